// Tries the routes of a payment, one after the other: the next one only after proof that the one
// before took nothing (its own documented refusal, or never sent). An unknown outcome stops here:
// no other route, no second send; the poller will query.

import type { AttemptKeyOf, AttemptPlan } from '../attempts/attempt.ts'
import { leaseMarginS } from '../attempts/attempt.ts'
import { insertDirectoryRow, noteTaken, restAttempt } from '../attempts/attempt-record.ts'
import { type SendDeps, sendAttempt } from '../attempts/send-attempt.ts'
import {
  type Accepted,
  type AttemptEnd,
  attemptSentOnce,
  endAttempts,
  insertAttempts,
} from '../attempts/statements.ts'
import type { Answer, GatewayReply } from '../gateways/gateway.ts'
import { isLockTimeout, isTooSlow, retryOnDeadlock } from '../platform/db.ts'
import { assert, Refusal } from '../platform/errors.ts'
import type { Once } from '../platform/http/once.ts'
import type { Environment } from '../platform/http/route.ts'
import { renewKey } from '../platform/idempotency/statements.ts'
import { composed, selectIds } from '../platform/sql.ts'
import type { AnswerReceived } from './answer-received.ts'
import { type Applied, type ApplyDeps, applyAnswer } from './apply-answer.ts'
import { failureTextOf } from './failure-texts.ts'
import { adoptedFrom } from './move.ts'
import { recordAccepted } from './record-accepted.ts'
import { adoptFigures, transactionAsDecided } from './statements.ts'
import type { TriggeredBy } from './transaction.ts'

export type RouteDeps = ApplyDeps & SendDeps

export type WaitingAnswer = Extract<Answer, { is: 'waiting' }>

export type RouteRun = Readonly<{
  merchant_id: string
  environment: Environment
  transaction_id: string
  /** The version under which the transaction is PENDING now. */
  version: number
  /** The first is written already (by the statement that made or moved the transaction). */
  plans: readonly AttemptPlan[]
  first_priority: number
  /** When the statement that wrote the first was sent, by `clock`. Unix milliseconds. */
  since_ms: number
  otp: string | undefined
  description: string
  return_url: string
  triggered_by: TriggeredBy
  request_id: string
  once: Once
  /** What is answered (and stored in the same statement) when a gateway took it and waits. */
  answerWaiting: (plan: AttemptPlan, waiting: WaitingAnswer) => { status: number; json: string }
}>

export type RouteOutcome =
  /** The answer is stored already under the idempotency key. */
  | { is: 'waiting'; reply: { status: number; json: string } }
  | { is: 'unknown' }
  /** It ended, or was moved by another: its current state must be read. */
  | { is: 'moved' }
  /** Every route refused by itself; the transaction is FAILED. */
  | { is: 'no_route' }

/** For how many seconds the process that sends an attempt holds its lease. */
export function leaseSeconds(deps: SendDeps, gateway_code: string): number {
  const facts = deps.gateways.get(gateway_code)?.facts
  assert(facts !== undefined, `no gateway ${gateway_code}`)
  return Math.ceil(facts.call_timeout_ms / 1000) + leaseMarginS
}

/** What is sent in turn; the first attempt is written already. */
export type RouteSequence = Pick<
  RouteRun,
  | 'merchant_id'
  | 'plans'
  | 'since_ms'
  | 'otp'
  | 'description'
  | 'return_url'
  | 'triggered_by'
  | 'request_id'
>

/** What is written between two calls, for any owner of attempts. */
export type RouteRecorder = Readonly<{
  recordWaiting(plan: AttemptPlan, waiting: WaitingAnswer): Promise<RouteOutcome>
  /** False when another process has had the attempt meanwhile. */
  startNextRoute(step: RouteStep): Promise<boolean>
  received(received: AnswerReceived): Promise<Pick<Applied, 'decision' | 'moved'> | undefined>
}>

export const tryRoutes = (deps: RouteDeps, run: RouteRun): Promise<RouteOutcome> =>
  sendAlongRoutes(deps, run, {
    recordWaiting: (plan, waiting) => recordWaiting(deps, run, plan, waiting),
    startNextRoute: (step) => startNextRoute(deps, run, step),
    received: (received) => applyAnswer(deps, received),
  })

/**
 * A failure here is never reported as something that was not begun and may be tried again: it is
 * written already, and an operator may have it.
 */
export async function sendAlongRoutes(
  deps: RouteDeps,
  sequence: RouteSequence,
  recorder: RouteRecorder,
): Promise<RouteOutcome> {
  try {
    return await sendEach(deps, sequence, recorder)
  } catch (error) {
    if (!(isLockTimeout(error) || isTooSlow(error) || error instanceof Refusal)) throw error
    throw new Error('what a gateway said was not recorded; it will be asked', { cause: error })
  }
}

async function sendEach(
  deps: RouteDeps,
  sequence: RouteSequence,
  recorder: RouteRecorder,
): Promise<RouteOutcome> {
  let since_ms = sequence.since_ms
  for (const [at, plan] of sequence.plans.entries()) {
    const key = { merchant_id: sequence.merchant_id, id: plan.id }
    await registerCallback(deps, key, plan)
    if (isLeaseOver(deps, plan.gateway_code, since_ms)) return { is: 'moved' }
    const reply = await sendAttempt(deps, {
      key,
      plan,
      external_reference: '',
      otp: sequence.otp,
      description: sequence.description,
      return_url: sequence.return_url,
    })
    const { answer } = reply
    if (answer.is === 'waiting') return recordAcceptance(deps, recorder, plan, { key, answer })
    if (answer.is === 'unknown') return recordUnknown(deps, key)
    const next = sequence.plans[at + 1]
    if (tookNothing(answer) && next !== undefined) {
      since_ms = deps.clock()
      if (await recorder.startNextRoute({ from: plan, to: next, at, answer })) continue
    }
    const applied = await recorder.received(receivedOf(deps, sequence, plan, reply))
    const failed = applied?.moved === true && applied.decision.is === 'fail'
    return failed && tookNothing(answer) ? { is: 'no_route' } : { is: 'moved' }
  }
  return { is: 'moved' }
}

type AcceptedAnswer = Readonly<{ key: AttemptKeyOf; answer: WaitingAnswer }>

/**
 * The operator has it, though another process has the attempt by now, or its payout's row is
 * locked.
 */
async function recordAcceptance(
  { db }: RouteDeps,
  recorder: RouteRecorder,
  plan: AttemptPlan,
  { key, answer }: AcceptedAnswer,
): Promise<RouteOutcome> {
  let is_written = false
  try {
    const outcome = await recorder.recordWaiting(plan, answer)
    is_written = outcome.is === 'waiting'
    return outcome
  } finally {
    if (!is_written && plan.direction === 'DISBURSE') await noteTaken(db, key)
  }
}

/**
 * This process stood still for longer than its lease: others may have queried, sent or ended the
 * attempt, so nothing more is sent; the process that holds it now carries on.
 */
export function isLeaseOver(deps: SendDeps, gateway_code: string, since_ms: number): boolean {
  return deps.clock() - since_ms > leaseSeconds(deps, gateway_code) * 1000
}

/** Proof that this route took nothing (money 1): its own refusal, or the request never left. */
function tookNothing(answer: Answer): boolean {
  return answer.is === 'never_sent' || (answer.is === 'refused' && answer.by === 'gateway')
}

function receivedOf(
  deps: RouteDeps,
  sequence: RouteSequence,
  plan: AttemptPlan,
  reply: GatewayReply,
) {
  const gateway = deps.gateways.get(plan.gateway_code)
  assert(gateway !== undefined, `no gateway ${plan.gateway_code}`)
  return {
    merchant_id: sequence.merchant_id,
    attempt_id: plan.id,
    answer: reply.answer,
    hash: reply.hash,
    triggered_by: sequence.triggered_by,
    evidence_kind: 'CREATE_ANSWER' as const,
    request_id: sequence.request_id,
    gateway: gateway.facts,
    under_lease: 1n,
  }
}

type CallbackTarget = Pick<AttemptPlan, 'gateway_code' | 'gateway_id' | 'our_key'>

/** Gateways that call one fixed address find the attempt by their own reference. */
export async function registerCallback(
  deps: Pick<RouteDeps, 'db' | 'gateways'>,
  key: AttemptKeyOf,
  plan: CallbackTarget,
): Promise<void> {
  const gateway = deps.gateways.get(plan.gateway_code)
  if (gateway?.facts.callback_address !== 'STATIC') return
  await insertDirectoryRow(deps.db, {
    gateway_id: plan.gateway_id,
    key: plan.our_key,
    merchant_id: key.merchant_id,
    attempt_id: key.id,
  })
}

async function recordWaiting(
  deps: RouteDeps,
  run: RouteRun,
  plan: AttemptPlan,
  waiting: WaitingAnswer,
): Promise<RouteOutcome> {
  const answer = run.answerWaiting(plan, waiting)
  const { merchant_id, environment, transaction_id, version, once } = run
  const { external_reference } = waiting
  const accepted = {
    ...acceptanceOf(deps, sentOnce(merchant_id, plan), waiting),
    gate_id: transaction_id,
  }
  const noted = { merchant_id, id: transaction_id, version, external_reference }
  const done = await recordAccepted(deps.db, { environment, noted, accepted, once, answer })
  return done ? { is: 'waiting', reply: answer } : { is: 'moved' }
}

/** An attempt that only its writer has sent. */
export const sentOnce = (merchant_id: string, { id, gateway_code }: AttemptPlan) => ({
  merchant_id,
  id,
  gateway_code,
  lease_no: 1n,
})

/** An attempt as a gateway took it. */
export type Acceptance = Omit<Accepted, 'gate_id'>

export function acceptanceOf(
  deps: Pick<RouteDeps, 'gateways'>,
  attempt: AttemptKeyOf & Readonly<{ gateway_code: string; lease_no: bigint }>,
  waiting: WaitingAnswer,
): Acceptance {
  return {
    merchant_id: attempt.merchant_id,
    id: attempt.id,
    lease_no: attempt.lease_no,
    external_reference: waiting.external_reference,
    next_action: nextActionOf(waiting),
    checkout_url: typeof waiting.next === 'object' ? waiting.next.redirect_to : '',
    ask_after_s: deps.gateways.get(attempt.gateway_code)?.facts.first_query_after_s ?? 10,
  }
}

export function nextActionOf(waiting: WaitingAnswer) {
  if (waiting.next === 'otp') return 'ENTER_OTP' as const
  return waiting.next === 'payer' ? ('APPROVE_ON_PHONE' as const) : ('REDIRECT' as const)
}

/** Money may have moved: the attempt is UNKNOWN, and the poller queries soon. */
async function recordUnknown(deps: RouteDeps, key: AttemptKeyOf): Promise<RouteOutcome> {
  const rest = { status: 'UNKNOWN', lease_no: 1n, external_reference: '', ask_after_s: 1 } as const
  const rested = await restAttempt(deps.db, key, rest)
  return rested ? { is: 'unknown' } : { is: 'moved' }
}

export type RouteStep = { from: AttemptPlan; to: AttemptPlan; at: number; answer: Answer }

/** The end of the route that took nothing. */
export function endOfRoute(
  { from, answer }: RouteStep,
  of: Pick<AttemptEnd, 'merchant_id' | 'gate_id'>,
): AttemptEnd {
  const refused = answer.is === 'refused'
  const code = refused ? answer.failure_code : 'GATEWAY_UNAVAILABLE'
  return {
    ...of,
    id: from.id,
    status: 'FAILED',
    gateway_ended: true,
    external_reference: refused ? answer.external_reference : '',
    failure_code: code,
    failure_message: failureTextOf(code).en,
    gateway_detail: refused ? answer.detail : 'never sent',
    ask_after_s: null,
  }
}

/**
 * One statement: this route's end, the figures of the next one, and its attempt. Not when another
 * process has had the attempt meanwhile (this one slept): that process may have sent it again.
 */
async function startNextRoute(deps: RouteDeps, run: RouteRun, step: RouteStep): Promise<boolean> {
  const { db } = deps
  const { merchant_id, environment, transaction_id, version } = run
  const { from, to } = step
  const lease_s = leaseSeconds(deps, to.gateway_code)
  const attempt = {
    merchant_id,
    environment,
    transaction_id,
    priority: run.first_priority + step.at + 1,
    plan: to,
    lease_s,
  }
  const key = { merchant_id, id: transaction_id, version }
  const unmoved = transactionAsDecided(db, key)
  const same = attemptSentOnce(db, { merchant_id, id: from.id }, { when: unmoved })
  const adopted = adoptFigures(db, key, adoptedFrom(to), { when: same })
  const gate = { when: adopted }
  const ended = endAttempts(db, [endOfRoute(step, { merchant_id, gate_id: transaction_id })], gate)
  const made = insertAttempts(db, [attempt], { ...gate, after: ended })
  const claim = { transaction_id, attempt_id: to.id, lease_s }
  const parts = [unmoved, same, adopted, ended, made, renewKey(db, run.once, claim, gate)]
  const rows = await retryOnDeadlock(() => composed(db, parts, selectIds(db, made)))
  return rows.length > 0
}
