// Tries the routes of an attempt's purpose, one after the other: the next one only after proof that
// the one before took nothing (its own documented refusal, or never sent). An unknown outcome stops
// here: no other route, no second send; the poller will query.

import { type Answer, type GatewayReply, prepares } from '../gateways/gateway.ts'
import { assert, Refusal } from '../platform/errors.ts'
import { isAnsweredRetryable } from '../platform/http/errors.ts'
import type { WaitingAnswer } from './acceptance.ts'
import { applyAnswer } from './apply-answer.ts'
import { type AttemptKeyOf, type AttemptPlan, leaseMarginS } from './attempt.ts'
import { noteTaken, restAttempt } from './attempt-statements.ts'
import { insertDirectoryRow } from './callback-statements.ts'
import type { Cause } from './evidence.ts'
import { limitedByUs, refuseByExposure } from './exposure.ts'
import { prepareAndSend } from './prepare-attempt.ts'
import type { ApplyDeps, Purpose } from './purpose.ts'
import { isForPace, type RefundOf, type SendDeps } from './send-attempt.ts'

export type RouteDeps = ApplyDeps & SendDeps

/** What is sent in turn. */
export type RouteSequence = Cause &
  Readonly<{
    merchant_id: string
    /** The first is written already (by the statement that made or moved its purpose). */
    plans: readonly AttemptPlan[]
    /** When the statement that wrote the first was sent, by `clock`. Unix milliseconds. */
    since_ms: number
    otp: string | undefined
    description: string
    return_url: string
    /** For a refund that its operator makes. */
    refund?: RefundOf | undefined
  }>

export type RouteOutcome =
  /** The answer is stored already under the idempotency key. */
  | { is: 'waiting'; reply: { status: number; json: string } }
  | { is: 'unknown' }
  /** It ended, or was moved by another: its current state must be read. */
  | { is: 'moved' }
  /** Every route refused by itself; its purpose is FAILED. */
  | { is: 'no_route' }

export type RouteStep = Readonly<{ from: AttemptPlan; to: AttemptPlan; at: number; answer: Answer }>

/** What is written between two calls: this run's own statements, with the key of its caller. */
export type RouteRecorder = Readonly<{
  purpose: Purpose
  recordWaiting(plan: AttemptPlan, waiting: WaitingAnswer): Promise<RouteOutcome>
  /** False when another process has had the attempt meanwhile. */
  recordNextRoute(step: RouteStep): Promise<boolean>
}>

/** For how many seconds the process that sends an attempt holds its lease. */
export function leaseSeconds(deps: SendDeps, gateway_code: string): number {
  const gateway = deps.gateways.get(gateway_code)
  assert(gateway !== undefined, `no gateway ${gateway_code}`)
  // A reference of the gateway's own is asked for twice at most, before the call itself.
  const calls = prepares(gateway) ? 3 : 1
  return Math.ceil((calls * gateway.facts.call_timeout_ms) / 1000) + leaseMarginS
}

/**
 * A failure here, of whatever kind, is never reported as something that was not begun and may be
 * tried again: it is written already, and an operator may have it.
 */
export async function tryRoutes(
  deps: RouteDeps,
  sequence: RouteSequence,
  recorder: RouteRecorder,
): Promise<RouteOutcome> {
  try {
    return await sendEach(deps, sequence, recorder)
  } catch (error) {
    if (!(error instanceof Refusal || isAnsweredRetryable(error))) throw error
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
    const refused = await refuseByExposure(deps.db, plan)
    if (isLeaseOver(deps, plan.gateway_code, since_ms)) return { is: 'moved' }
    const { otp, description, return_url, refund } = sequence
    const texts = { otp, description, return_url, refund }
    const request = { key, plan, external_reference: '', ...texts }
    const reply = refused ?? waitForPace(plan, await prepareAndSend(deps, request, 1n))
    const { answer } = reply
    if (answer.is === 'waiting') return recordAcceptance(deps, recorder, plan, { key, answer })
    if (answer.is === 'unknown' && !isLost(deps, plan)) return recordUnknown(deps, key)
    const next = sequence.plans[at + 1]
    if (tookNothing(answer) && next !== undefined) {
      since_ms = deps.clock()
      if (await recorder.recordNextRoute({ from: plan, to: next, at, answer })) continue
    }
    const applied = await applyAnswer(
      deps,
      recorder.purpose,
      receivedOf(deps, sequence, plan, reply),
    )
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

/** As with an empty float: nothing was taken, and what is paid out waits. */
function waitForPace({ direction }: AttemptPlan, reply: GatewayReply): GatewayReply {
  if (direction === 'COLLECT' || !isForPace(reply.answer)) return reply
  return { ...reply, answer: limitedByUs('pace') }
}

/**
 * This process stood still for longer than its lease: others may have queried, sent or ended the
 * attempt, so nothing more is sent; the process that holds it now carries on.
 */
export function isLeaseOver(deps: SendDeps, gateway_code: string, since_ms: number): boolean {
  return deps.clock() - since_ms > leaseSeconds(deps, gateway_code) * 1000
}

/**
 * Proof that this route took nothing (money 1): its own refusal, a float that is empty, or the
 * request never left.
 */
function tookNothing(answer: Answer): boolean {
  return answer.is === 'never_sent' || (answer.is === 'refused' && answer.by !== 'payer')
}

/** Its operator cannot be asked without what the lost answer had, and nobody has its page. */
function isLost({ gateways }: RouteDeps, plan: AttemptPlan): boolean {
  const facts = gateways.get(plan.gateway_code)?.facts
  const isProof = facts?.ask_by === 'THEIR_REFERENCE' && facts.unshown_is_proof === true
  return isProof && isByPage(plan)
}

const isByPage = ({ direction, flow }: Pick<AttemptPlan, 'direction' | 'flow'>): boolean =>
  direction === 'COLLECT' && flow === 'redirect'

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
    by_page: isByPage(plan),
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

/** Money may have moved: the attempt is UNKNOWN, and the poller queries soon. */
async function recordUnknown(deps: RouteDeps, key: AttemptKeyOf): Promise<RouteOutcome> {
  const rest = { status: 'UNKNOWN', lease_no: 1n, external_reference: '', ask_after_s: 1 } as const
  const rested = await restAttempt(deps.db, key, rest)
  return rested ? { is: 'unknown' } : { is: 'moved' }
}
