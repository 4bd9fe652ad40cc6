// What was heard becomes what is so: decide, then one statement that moves status, log, attempt,
// entries, balance and event together, or nothing. If somebody moved it meanwhile the statement
// finds no row, and the decision is made again from what is true now. Never twice, whoever calls.

import { attemptAsDecided, endAttempts } from '../attempts/statements.ts'
import { recordEvents } from '../events/statements.ts'
import { payinSuccess } from '../ledger/postings.ts'
import { postEntries } from '../ledger/statements.ts'
import { again, type Db, type Fragment } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { idsOf, joined } from '../platform/sql.ts'
import { type Decision, decide } from './decide.ts'
import { callbackParts, evidenceOf, type Heard } from './heard.ts'
import { endOf, eventOf, moveOf } from './move.ts'
import { openContradiction } from './open-contradiction.ts'
import { moveStatus } from './statements.ts'
import { findHeld, type Held } from './store.ts'

export type ApplyDeps = Readonly<{
  db: Db
  /** Tells the sequencer of this process that an event was written. */
  wake: () => void
}>

export type Applied = Readonly<{
  decision: Decision
  /** As it was when decided; `moved` says whether the decision then changed it. */
  held: Held
  moved: boolean
}>

const triesMax = 8

/** Undefined when there is no such attempt. */
export async function applyAnswer(deps: ApplyDeps, heard: Heard): Promise<Applied | undefined> {
  const key = { merchant_id: heard.merchant_id, id: heard.attempt_id }
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const held = await findHeld(deps.db, key)
    if (held === undefined) return undefined
    const decision = decide({
      attempt: held.attempt,
      transaction: held.transaction,
      answer: heard.answer,
      evidence: { kind: heard.evidence_kind },
      gateway: heard.gateway,
      otp_in_hand: heard.otp_in_hand ?? false,
    })
    if (await carryOut(deps, heard, held, decision)) return { decision, held, moved: true }
    if (!isMove(decision)) return { decision, held, moved: false }
  }
  throw new Error(`attempt ${heard.attempt_id} moved under us ${triesMax} times`)
}

const isMove = ({ is }: Decision): boolean =>
  is === 'settle' || is === 'fail' || is === 'end_attempt'

/** True when it happened; false when nothing was to do, or somebody moved it first. */
async function carryOut(
  deps: ApplyDeps,
  heard: Heard,
  held: Held,
  decision: Decision,
): Promise<boolean> {
  switch (decision.is) {
    case 'settle':
    case 'fail':
      return moveBoth(deps, heard, held, decision)
    case 'end_attempt':
      return endOnly(deps, heard, held, decision)
    case 'incident':
      return openContradiction(deps, heard, held, decision)
    default:
      return false
  }
}

type Ending = Extract<Decision, { is: 'settle' | 'fail' }>

async function moveBoth(
  { db, wake }: ApplyDeps,
  heard: Heard,
  held: Held,
  decision: Ending,
): Promise<boolean> {
  const { attempt, transaction } = held
  const books = { merchant_id: attempt.merchant_id, environment: attempt.environment }
  const paid = decision.is === 'settle'
  const failure_code = paid ? '' : decision.failure_code
  const move = moveOf(transaction, attempt, {
    to_status: paid ? 'SUCCESS' : 'FAILED',
    external_reference: decision.external_reference || attempt.external_reference,
    failure_code,
    reason: paid ? 'gateway confirmed' : `gateway refused: ${failure_code}`,
    triggered_by: heard.triggered_by,
    evidence: evidenceOf(heard),
    request_id: heard.request_id,
  })
  const end = endOf(attempt, {
    gate: transaction.id,
    status: paid ? 'SUCCESS' : 'FAILED',
    gateway_ended: true,
    external_reference: decision.external_reference,
    failure_code,
    gateway_detail: paid ? '' : decision.detail,
    ask_after_s: null,
  })
  const parts: Fragment[] = [
    ...moveStatus(db, books, [move]),
    endAttempts(db, attempt.merchant_id, 'moved', [end]),
    ...(paid ? postEntries(db, books, 'moved', [successPosting(held)]) : []),
    recordEvents(db, books, 'moved', [eventOf(transaction, attempt, move)]),
    ...callbackParts(db, heard, transaction.id, 'moved'),
  ]
  const rows = await again(() => joined(db, parts, idsOf(db, 'moved')))
  if (rows.length === 0) return false
  wake()
  return true
}

function successPosting({ attempt, transaction }: Held) {
  assert(transaction.flow_direction === 'INBOUND', 'payouts settle by their own postings')
  const { merchant_id, environment, country_code: country, currency } = attempt
  return {
    gate: transaction.id,
    cause_kind: 'TRANSACTION' as const,
    cause_id: transaction.id,
    attempt_id: attempt.id,
    lines: payinSuccess(
      { merchant_id, environment, country, currency },
      attempt.gateway_id,
      attempt,
    ),
  }
}

/** The transaction has ended without this attempt; the attempt's own end is still written. */
async function endOnly(
  { db }: ApplyDeps,
  heard: Heard,
  held: Held,
  decision: Extract<Decision, { is: 'end_attempt' }>,
): Promise<boolean> {
  const { attempt } = held
  const end = endOf(attempt, {
    gate: attempt.id,
    status: 'FAILED',
    gateway_ended: true,
    external_reference: decision.external_reference,
    failure_code: decision.failure_code,
    gateway_detail: decision.detail,
    ask_after_s: null,
  })
  const parts = [
    attemptAsDecided(db, attempt),
    endAttempts(db, attempt.merchant_id, 'same', [end]),
    ...callbackParts(db, heard, attempt.id, 'same'),
  ]
  const rows = await again(() => joined(db, parts, idsOf(db, 'attempt_ended')))
  return rows.length > 0
}
