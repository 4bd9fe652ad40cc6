// Applies an answer: decide, then one statement that moves status, log, attempt, entries, balance
// and event together, or nothing. If what the attempt is for moved meanwhile the statement finds no
// row, and the decision is made again from the current state. No answer is ever applied twice.

import type { Health } from '../gateways/health.ts'
import { retryOnDeadlock } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed, selectIds } from '../platform/sql.ts'
import { type AnswerReceived, callbackParts, storableAnswer } from './answer-received.ts'
import { type Attempt, countsAsUnknown } from './attempt.ts'
import { endOf } from './attempt-end.ts'
import { wakeAttempt } from './attempt-statements.ts'
import { decide } from './decide.ts'
import type { Decision, Facts } from './decision.ts'
import type { ApplyDeps, AttemptContext, Outcome, Purpose } from './purpose.ts'
import { fateOf } from './send-attempt.ts'
import { attemptAsDecided, endAttempts } from './statements.ts'

export type Applied = Readonly<{
  decision: Decision
  /** The state that was decided from; `moved` says whether the decision then changed it. */
  context: AttemptContext
  moved: boolean
}>

const triesMax = 8

/**
 * As `applyOne`. Of several payments by one key all but one are put into an incident first; the one
 * that is left is then decided alone. Whoever dies between them receives both again.
 */
export async function applyAnswer(
  deps: ApplyDeps,
  purpose: Purpose,
  raw: AnswerReceived,
  seen?: AttemptContext,
): Promise<Applied | undefined> {
  const applied = await applyOne(deps, purpose, raw, seen)
  const { then_confirm } = applied?.decision.is === 'incident' ? applied.decision : {}
  if (then_confirm === undefined) return applied
  return applyOne(deps, purpose, { ...raw, answer: { is: 'confirmed', ...then_confirm } })
}

/**
 * Undefined when there is no such attempt of this purpose. `seen` is its state a moment ago, where
 * the caller has just found it; if it has moved since, it is read again.
 */
async function applyOne(
  deps: ApplyDeps,
  purpose: Purpose,
  raw: AnswerReceived,
  seen?: AttemptContext,
): Promise<Applied | undefined> {
  const received = { ...raw, answer: storableAnswer(raw.answer) }
  const key = { merchant_id: received.merchant_id, id: received.attempt_id }
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const context = (tries === 1 ? seen : undefined) ?? (await purpose.find(deps.db, key))
    if (context === undefined) return undefined
    const decision = decide({
      attempt: asWhenQueried(context.attempt, received),
      purpose: purpose.stateOf(context),
      answer: received.answer,
      evidence: { kind: received.evidence_kind },
      gateway: received.gateway,
      by_page: received.by_page,
      otp_in_hand: received.otp_in_hand ?? false,
      send: sendOf(received, context.attempt),
      status_at_query: received.status_at_query,
    })
    const outcome = await carryOut({ purpose, deps, received }, context, decision)
    if (outcome === 'stale') continue
    const moved = outcome === 'moved'
    if (moved) countEnd(deps, received, context.attempt, decision)
    return { decision, context, moved }
  }
  throw new Error(`attempt ${received.attempt_id} moved under us ${triesMax} times`)
}

const endings: readonly Decision['is'][] = ['confirm', 'fail', 'end_attempt', 'requeue']

/** Of an answer to the send itself, whoever sent it has counted it. */
function countEnd(
  { health, requeued }: ApplyDeps,
  { answer, evidence_kind }: AnswerReceived,
  attempt: Attempt,
  decision: Decision,
): void {
  if (decision.is === 'requeue') requeued?.(attempt.gateway_code)
  const isLater = evidence_kind !== 'CREATE_ANSWER' && attempt.refund_of === null
  if (health === undefined || !isLater || !endings.includes(decision.is)) return
  countKnown(health, attempt)
  const { route_id, merchant_id } = attempt
  const fate = answer.is === 'not_found' ? 'bad' : fateOf(answer)
  if (fate !== undefined) health.count({ route_id, merchant_id, fate })
}

/** That nothing is known of it is over: the operator has it, it has ended, or it is sent again. */
export function countKnown(health: Pick<Health, 'count' | 'now'>, attempt: Attempt): void {
  const { route_id, merchant_id, grace_age_s } = attempt
  if (!countsAsUnknown(attempt)) return
  health.count({ route_id, merchant_id, fate: 'known', at_ms: health.now() - grace_age_s * 1000 })
}

function sendOf(received: AnswerReceived, attempt: Attempt): Facts['send'] {
  if (received.evidence_kind !== 'CREATE_ANSWER') return undefined
  if (attempt.lease_no !== received.under_lease) return 'outdated'
  return received.under_lease === 1n ? 'only' : 'again'
}

/** A "not found" counts from the moment of the query: the process may have stood still since. */
function asWhenQueried(
  attempt: Attempt,
  { age_at_query_s, not_found_at_query_s }: AnswerReceived,
): Attempt {
  const grace_age_s = Math.min(attempt.grace_age_s, age_at_query_s ?? attempt.grace_age_s)
  const { not_found_age_s: now_s } = attempt
  // Where the operator retracted it since, or had not said it when this query was made, it now says
  // so for the first time.
  const isStated = now_s !== null && not_found_at_query_s != null
  return { ...attempt, grace_age_s, not_found_age_s: isStated ? not_found_at_query_s : null }
}

type Applying = Readonly<{ purpose: Purpose; deps: ApplyDeps; received: AnswerReceived }>

async function carryOut(
  { purpose, deps, received }: Applying,
  context: AttemptContext,
  decision: Decision,
): Promise<Outcome> {
  const { attempt } = context
  switch (decision.is) {
    case 'confirm':
    case 'fail':
      return purpose.end(deps, context, { decision, received })
    case 'end_attempt':
      return endAttemptOnly(deps, received, attempt, decision)
    case 'requeue':
      assert(purpose.requeue !== undefined, `attempt ${attempt.id} is for what cannot wait`)
      return purpose.requeue(deps, context, { decision, received })
    case 'return':
      assert(purpose.giveBack !== undefined, `attempt ${attempt.id} is for what never comes back`)
      return purpose.giveBack(deps, context, { decision, received })
    case 'incident':
      return purpose.contradict(deps, context, { decision, received })
    case 'query':
      await wakeAttempt(deps.db, attempt)
      return 'nothing'
    default:
      return 'nothing'
  }
}

/** Its purpose has ended without this attempt; the attempt's own end is still written. */
async function endAttemptOnly(
  { db }: ApplyDeps,
  received: AnswerReceived,
  attempt: Attempt,
  decision: Extract<Decision, { is: 'end_attempt' }>,
): Promise<Outcome> {
  const { abandoned = false } = decision
  const end = endOf(attempt, {
    gate_id: attempt.id,
    status: 'FAILED',
    gateway_ended: !abandoned,
    external_reference: decision.external_reference,
    failure_code: decision.failure_code,
    gateway_detail: decision.detail,
    ask_after_s: decision.ask_again_after_s ?? null,
  })
  const same = attemptAsDecided(db, { ...attempt, unshown: abandoned })
  const ended = endAttempts(db, [end], { when: same })
  const parts = [same, ended, ...callbackParts(db, received, attempt.id, { when: same })]
  const rows = await retryOnDeadlock(() =>
    composed(homeOf(db, attempt.merchant_id), parts, selectIds(db, ended)),
  )
  return rows.length > 0 ? 'moved' : 'stale'
}
