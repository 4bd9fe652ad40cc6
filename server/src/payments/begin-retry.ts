// The statement that begins a retry: the prompt is counted, the status moved back to PENDING and
// the attempt written, with the session that it pays; or nothing of it, and why is answered.

import type { AttemptPlan } from '../attempts/attempt.ts'
import { triggerOf } from '../attempts/evidence.ts'
import { insertAttempts, type NewAttempt } from '../attempts/statements.ts'
import {
  type CountedPrompts,
  countPrompts,
  withPrompts,
} from '../merchants/prompt-count-statements.ts'
import {
  beginReach,
  beginTarget,
  keyOf,
  lockTarget,
  readReach,
  type TargetIds,
  targetOf,
} from '../orders/statements.ts'
import { paymentErrors } from '../planning/errors.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import { promptOf, tooManyPrompts } from '../planning/prompt-limit.ts'
import { inTurn } from '../platform/batch-calls.ts'
import { assert, refuse } from '../platform/errors.ts'
import { renewKey } from '../platform/idempotency/statements.ts'
import { newId } from '../platform/ids.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed, oneRow, selectCounts } from '../platform/sql.ts'
import { adoptedFrom } from '../transactions/move.ts'
import { type Move, moveStatus } from '../transactions/statements.ts'
import { inboundStates } from '../transactions/states.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { Retry } from './plan-retry.ts'
import { readCheckoutTarget, refusalOf, requirePayable } from './require-payable.ts'

/**
 * In one statement the prompt is counted, the status moved and the attempt written; or it refuses.
 */
export async function beginRetry(
  deps: PaymentDeps,
  input: Retry,
  transaction: Transaction,
  attempt: NewAttempt,
): Promise<void> {
  const { db } = deps
  const { plan: first, lease_s } = attempt
  const { id } = transaction
  const of = homeOf(db, transaction.merchant_id)
  const prompt = {
    merchant_id: transaction.merchant_id,
    environment: transaction.environment,
    network_code: first.network_code,
    phone: first.operation_msisdn,
  }
  const limit = promptOf(deps, prompt)
  const move = backToPending(transaction, first, input)
  const target = targetOf(transaction)
  const version = target && (await payableVersion(deps, target))
  const lock = target && lockTarget(db, target, { version, to_begin: true })
  const wanted = lock ?? oneRow(db, 'wanted', id)
  const limits = [{ ...limit, gate_id: id }]
  const claim = { attempt_id: first.id, transaction_id: id, lease_s, names_person: true } as const
  const begin = async (prompted: CountedPrompts | undefined) => {
    const counted = countPrompts(db, limits, { when: wanted, counted: prompted })
    const moved = moveStatus(db, [move], { when: counted })
    const gate = { when: moved }
    const made = insertAttempts(db, [attempt], gate)
    const parts = [
      wanted,
      counted,
      moved,
      made,
      ...(target === undefined ? [] : [beginTarget(db, target, gate)]),
      renewKey(db, input.once, claim, gate),
    ]
    if (target !== undefined && lock !== undefined) {
      const last = beginReach(db, { lock, prompt: counted, attempt: made })
      const [reach] = await inTurn(db, transaction, () => composed(of, parts, last))
      const came = readReach(reach)
      if (came?.attempt !== 1) throw await refusalOf(deps, target, came, prompt)
      return
    }
    const counts = selectCounts(db, [counted, made])
    const [done] = await inTurn(db, transaction, () => composed(of, parts, counts))
    if (done?.[counted.name] !== 1n) throw await tooManyPrompts(deps, prompt)
    if (done[made.name] !== 1n) {
      throw refuse(paymentErrors.payment_already_pending, { retry_after_s: 1 })
    }
  }
  await withPrompts(of, { limits, run: begin, unused: () => [] })
}

/** The version of a session that may be paid, and whose last payment this is. */
async function payableVersion(deps: PaymentDeps, target: TargetIds): Promise<number> {
  const now = await readCheckoutTarget(deps.db, keyOf(target))
  assert(now !== undefined, 'a session does not go away')
  requirePayable(now, deps.limits)
  // A later payment of the session may still be open at its gateway.
  if (now.session.transaction_id !== target.transaction_id) {
    throw refuse(paymentErrors.not_retryable)
  }
  return now.session.version
}

function backToPending(transaction: Transaction, first: AttemptPlan, input: Retry): Move {
  const { caller } = input
  const byPayer = input.triggered_by === 'PAYER'
  assert(inboundStates.allows(transaction.status, 'PENDING'), 'only FAILED is tried again')
  return {
    ...adoptedFrom(first),
    merchant_id: transaction.merchant_id,
    environment: transaction.environment,
    id: transaction.id,
    transaction_type: transaction.transaction_type,
    from_status: transaction.status,
    version: transaction.version,
    to_status: 'PENDING',
    settled_attempt: null,
    external_reference: '',
    failure_code: '',
    failure_message: '',
    log_id: newId(),
    reason: byPayer ? 'payer tried again' : 'merchant retried',
    triggered_by: input.triggered_by ?? triggerOf(caller),
    actor_id: byPayer ? null : (caller.api_key_id ?? caller.member_id),
    attempt_id: first.id,
    evidence_kind: 'RULE',
    evidence_id: null,
    evidence_hash: null,
    evidence_said: 'retry requested',
    request_id: caller.request_id,
  }
}
