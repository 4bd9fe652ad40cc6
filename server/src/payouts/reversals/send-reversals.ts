// Due work: asks operators for what two people want back. What the operator answers to that moves
// nothing: the payout has come back when its own state says so, to our own question, whoever asks
// it. So it may be sent twice and lost: a payout comes back once.

import { findAttempt } from '../../attempts/attempt-statements.ts'
import { describeAnswer } from '../../attempts/decide.ts'
import { keyAtGateway, queryAttempt } from '../../attempts/query-attempt.ts'
import { noteAlarm } from '../../attempts/send-attempt.ts'
import { systemActor } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { type Answer, reverses } from '../../gateways/gateway.ts'
import type { PaymentDeps } from '../../planning/facts.ts'
import { inTransaction } from '../../platform/db.ts'
import { homeOf } from '../../platform/places/places.ts'
import {
  claimDueLooks,
  claimDueReversals,
  type DueLook,
  type DueReversal,
  failReversal,
  noteAnswered,
} from '../../transactions/returns/statements.ts'
import { findTransaction } from '../../transactions/store.ts'

const batch = 20
/** An operator that never gives it back is not asked for ever: what comes later is found. */
const given_up_after_s = 24 * 3600

/** Returns how many there were; one that fails is due again and holds up no other. */
export async function sendReversals(deps: PaymentDeps): Promise<number> {
  const due = await claimDueReversals(deps.db, batch)
  const looks = await claimDueLooks(deps.db, batch)
  const ended = await Promise.allSettled([
    ...due.map((one) => sendOne(deps, one)),
    ...looks.map((one) => lookFor(deps, one)),
  ])
  const failed = ended.find((one) => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return due.length + looks.length
}

/** Its operator had not given it back; if it has since, people decide on that (`RETURNED`). */
async function lookFor(deps: PaymentDeps, one: DueLook): Promise<void> {
  const { merchant_id, environment, attempt_id: id } = one
  const key = { merchant_id, environment, id }
  await queryAttempt(deps, key, { triggered_by: 'SYSTEM', request_id: '' })
}

async function sendOne(deps: PaymentDeps, one: DueReversal): Promise<void> {
  // Whoever sent it before may have died, or received nothing.
  if (one.sends > 1 && (await askHowItStands(deps, one)) === 'ended') return
  const { merchant_id, attempt_id: id } = one
  const attempt = await findAttempt(deps.db, { merchant_id, id })
  const gateway = attempt && deps.gateways.get(attempt.gateway_code)
  if (attempt === undefined || gateway === undefined || !reverses(gateway)) {
    return giveUp(deps, one, 'this operator is not spoken to')
  }
  const { answer } = await gateway.reverse(keyAtGateway(attempt))
  // As with a refund: what was paid is asked back.
  await noteAlarm(deps, { ...attempt, call: 'REFUND' }, answer)
  await noteAnswered(deps.db, one, describeAnswer(answer))
  const now = await askHowItStands(deps, one)
  // What is refused may have come back before: who was not asked is asked again.
  if (now !== 'open') return
  if (isRefused(answer)) return giveUp(deps, one, describeAnswer(answer))
  if (one.age_s > given_up_after_s) await giveUp(deps, one, 'its operator did not give it back')
}

const isRefused = ({ is }: Answer): boolean => is === 'refused' || is === 'not_found'

const lookEveryMs = 250
const looksMost = 20

/**
 * Whether it is still on its way after its operator has been asked how the payout stands. A
 * question under way, or answered a moment ago, is older than what was sent: it is waited for.
 */
async function askHowItStands(
  deps: PaymentDeps,
  { merchant_id, environment, attempt_id, transaction_id: id }: DueReversal,
): Promise<'open' | 'ended' | 'not_asked'> {
  const question = { triggered_by: 'SYSTEM' as const, request_id: '' }
  const ask = () => queryAttempt(deps, { merchant_id, environment, id: attempt_id }, question)
  let asked = await ask()
  for (let looks = 1; asked === 'busy' && looks < looksMost; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    asked = await ask()
  }
  const payout = await findTransaction(deps.db, { merchant_id, id })
  if (payout?.return_state !== 'ASKED') return 'ended'
  return asked === 'queried' ? 'open' : 'not_asked'
}

/** The payout stands. If its money comes back all the same, that is found and people decide. */
async function giveUp(deps: PaymentDeps, one: DueReversal, why: string): Promise<void> {
  const { merchant_id, environment, transaction_id } = one
  await inTransaction(homeOf(deps.db, merchant_id), async (tx) => {
    if (!(await failReversal(tx, one))) return
    await recordAct(tx, {
      merchant_id,
      environment,
      actor: systemActor,
      action: 'payout.reversal_failed',
      target_kind: 'transaction',
      target_id: transaction_id,
      after: { why },
    })
  })
}
