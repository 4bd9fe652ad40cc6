// The routes of a payment, one after the other: the next one only after proof that the one before
// took nothing (its own documented refusal, or never sent). Unknown stops here: no other route, no
// second send; the poller will ask.

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
import type { Answer, Told } from '../gateways/gateway.ts'
import { again, isLockTimeout, isTooSlow } from '../platform/db.ts'
import { assert, Refusal } from '../platform/errors.ts'
import type { Once } from '../platform/http/once.ts'
import type { Environment } from '../platform/http/route.ts'
import { renewKey } from '../platform/idempotency/statements.ts'
import { idsOf, joined } from '../platform/sql.ts'
import { type Applied, type ApplyDeps, applyAnswer } from './apply-answer.ts'
import { failureTextOf } from './failure-texts.ts'
import type { Heard } from './heard.ts'
import { adoptedFrom } from './move.ts'
import { recordTaken } from './record-taken.ts'
import { adoptFigures, transactionAsDecided } from './statements.ts'
import type { TriggeredBy } from './transaction.ts'

export type RouteDeps = ApplyDeps & SendDeps

export type Waiting = Extract<Answer, { is: 'waiting' }>

export type Tries = Readonly<{
  merchant_id: string
  environment: Environment
  transaction_id: string
  /** The version under which the transaction is PENDING now. */
  version: number
  /** The first is written already (by the statement that made or moved the transaction). */
  plans: readonly AttemptPlan[]
  first_priority: number
  /** When the statement that wrote the first was sent off, by `clock`. Unix milliseconds. */
  since_ms: number
  otp: string | undefined
  description: string
  return_url: string
  triggered_by: TriggeredBy
  request_id: string
  once: Once
  /** What is answered (and stored in the same statement) when a gateway took it and waits. */
  answerWaiting: (plan: AttemptPlan, waiting: Waiting) => { status: number; json: string }
}>

export type Tried =
  /** The answer is stored already under the idempotency key. */
  | { is: 'waiting'; reply: { status: number; json: string } }
  | { is: 'unknown' }
  /** It ended, or somebody else moved it: read how it stands. */
  | { is: 'moved' }
  /** Every route refused by itself; the transaction is FAILED. */
  | { is: 'no_route' }

/** Seconds for which the process that sends an attempt holds it. */
export function leaseOf(deps: SendDeps, gateway_code: string): number {
  const facts = deps.gateways.get(gateway_code)?.facts
  assert(facts !== undefined, `no gateway ${gateway_code}`)
  return Math.ceil(facts.call_timeout_ms / 1000) + leaseMarginS
}

/** What is sent in turn; the first attempt is written already. */
export type Turn = Pick<
  Tries,
  | 'merchant_id'
  | 'plans'
  | 'since_ms'
  | 'otp'
  | 'description'
  | 'return_url'
  | 'triggered_by'
  | 'request_id'
>

/** What is written down between two calls, by whoever's attempts they are. */
export type Writing = Readonly<{
  taken(plan: AttemptPlan, waiting: Waiting): Promise<Tried>
  /** False when somebody else has had the attempt meanwhile. */
  goOn(step: Step): Promise<boolean>
  heard(heard: Heard): Promise<Pick<Applied, 'decision' | 'moved'> | undefined>
}>

export const tryRoutes = (deps: RouteDeps, tries: Tries): Promise<Tried> =>
  sendInTurn(deps, tries, {
    taken: (plan, waiting) => recordWaiting(deps, tries, plan, waiting),
    goOn: (step) => goOn(deps, tries, step),
    heard: (heard) => applyAnswer(deps, heard),
  })

/**
 * What fails here is never told as something that was not begun and may be tried again: it is
 * written already, and an operator may have it.
 */
export async function sendInTurn(deps: RouteDeps, turn: Turn, writing: Writing): Promise<Tried> {
  try {
    return await sendEach(deps, turn, writing)
  } catch (error) {
    if (!(isLockTimeout(error) || isTooSlow(error) || error instanceof Refusal)) throw error
    throw new Error('what a gateway said was not recorded; it will be asked', { cause: error })
  }
}

async function sendEach(deps: RouteDeps, turn: Turn, writing: Writing): Promise<Tried> {
  let since_ms = turn.since_ms
  for (const [at, plan] of turn.plans.entries()) {
    const key = { merchant_id: turn.merchant_id, id: plan.id }
    await registerCallback(deps, key, plan)
    if (stoodStill(deps, plan.gateway_code, since_ms)) return { is: 'moved' }
    const told = await sendAttempt(deps, {
      key,
      plan,
      external_reference: '',
      otp: turn.otp,
      description: turn.description,
      return_url: turn.return_url,
    })
    const { answer } = told
    if (answer.is === 'waiting') return writeTaken(deps, writing, plan, { key, answer })
    if (answer.is === 'unknown') return recordUnknown(deps, key)
    const next = turn.plans[at + 1]
    if (tookNothing(answer) && next !== undefined) {
      since_ms = deps.clock()
      if (await writing.goOn({ from: plan, to: next, at, answer })) continue
    }
    const applied = await writing.heard(heardOf(deps, turn, plan, told))
    const failed = applied?.moved === true && applied.decision.is === 'fail'
    return failed && tookNothing(answer) ? { is: 'no_route' } : { is: 'moved' }
  }
  return { is: 'moved' }
}

type TakenNow = Readonly<{ key: AttemptKeyOf; answer: Waiting }>

/** He has it, though somebody else has the attempt by now, or its payout's row is held. */
async function writeTaken(
  { db }: RouteDeps,
  writing: Writing,
  plan: AttemptPlan,
  { key, answer }: TakenNow,
): Promise<Tried> {
  let is_written = false
  try {
    const tried = await writing.taken(plan, answer)
    is_written = tried.is === 'waiting'
    return tried
  } finally {
    if (!is_written && plan.direction === 'DISBURSE') await noteTaken(db, key)
  }
}

/**
 * This process stood still for longer than its lease: others may have asked, sent or ended it, so
 * nothing is sent any more; whoever holds it now carries on.
 */
export function stoodStill(deps: SendDeps, gateway_code: string, since_ms: number): boolean {
  return deps.clock() - since_ms > leaseOf(deps, gateway_code) * 1000
}

/** Proof that this route took nothing (money 1): its own refusal, or the request never left. */
function tookNothing(answer: Answer): boolean {
  return answer.is === 'never_sent' || (answer.is === 'refused' && answer.by === 'gateway')
}

function heardOf(deps: RouteDeps, turn: Turn, plan: AttemptPlan, told: Told) {
  const gateway = deps.gateways.get(plan.gateway_code)
  assert(gateway !== undefined, `no gateway ${plan.gateway_code}`)
  return {
    merchant_id: turn.merchant_id,
    attempt_id: plan.id,
    answer: told.answer,
    hash: told.hash,
    triggered_by: turn.triggered_by,
    evidence_kind: 'CREATE_ANSWER' as const,
    request_id: turn.request_id,
    gateway: gateway.facts,
    under_lease: 1n,
  }
}

type Called = Pick<AttemptPlan, 'gateway_code' | 'gateway_id' | 'our_key'>

/** Gateways that call one fixed address find the attempt by what they call it. */
export async function registerCallback(
  deps: Pick<RouteDeps, 'db' | 'gateways'>,
  key: AttemptKeyOf,
  plan: Called,
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
  tries: Tries,
  plan: AttemptPlan,
  waiting: Waiting,
): Promise<Tried> {
  const answer = tries.answerWaiting(plan, waiting)
  const { merchant_id, environment, transaction_id, version, once } = tries
  const { external_reference } = waiting
  const accepted = { ...takenBy(deps, sentOnce(merchant_id, plan), waiting), gate: transaction_id }
  const noted = { merchant_id, id: transaction_id, version, external_reference }
  const done = await recordTaken(deps.db, { environment, noted, accepted, once, answer })
  return done ? { is: 'waiting', reply: answer } : { is: 'moved' }
}

/** An attempt that nobody but its writer has sent. */
export const sentOnce = (merchant_id: string, { id, gateway_code }: AttemptPlan) => ({
  merchant_id,
  id,
  gateway_code,
  lease_no: 1n,
})

/** An attempt as a gateway took it. */
export type TakenBy = Omit<Accepted, 'gate'>

export function takenBy(
  deps: Pick<RouteDeps, 'gateways'>,
  attempt: AttemptKeyOf & Readonly<{ gateway_code: string; lease_no: bigint }>,
  waiting: Waiting,
): TakenBy {
  return {
    merchant_id: attempt.merchant_id,
    id: attempt.id,
    lease_no: attempt.lease_no,
    external_reference: waiting.external_reference,
    next_action: nextActionOf(waiting),
    checkout_url: typeof waiting.next === 'object' ? waiting.next.redirect_to : '',
    ask_after_s: deps.gateways.get(attempt.gateway_code)?.facts.first_ask_after_s ?? 10,
  }
}

export function nextActionOf(waiting: Waiting) {
  if (waiting.next === 'otp') return 'ENTER_OTP' as const
  return waiting.next === 'payer' ? ('APPROVE_ON_PHONE' as const) : ('REDIRECT' as const)
}

/** Money may have moved: the attempt is UNKNOWN, the poller asks soon. */
async function recordUnknown(deps: RouteDeps, key: AttemptKeyOf): Promise<Tried> {
  const rest = { status: 'UNKNOWN', lease_no: 1n, external_reference: '', ask_after_s: 1 } as const
  const rested = await restAttempt(deps.db, key, rest)
  return rested ? { is: 'unknown' } : { is: 'moved' }
}

export type Step = { from: AttemptPlan; to: AttemptPlan; at: number; answer: Answer }

/** The end of the route that took nothing. */
export function endOfStep(
  { from, answer }: Step,
  of: Pick<AttemptEnd, 'merchant_id' | 'gate'>,
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
 * One statement: this route's end, the figures of the next one, and its attempt. Not when somebody
 * else has had the attempt meanwhile (this process slept): he may have sent it again.
 */
async function goOn(deps: RouteDeps, tries: Tries, step: Step): Promise<boolean> {
  const { db } = deps
  const { merchant_id, environment, transaction_id, version } = tries
  const { from, to } = step
  const lease_s = leaseOf(deps, to.gateway_code)
  const attempt = {
    merchant_id,
    environment,
    transaction_id,
    priority: tries.first_priority + step.at + 1,
    plan: to,
    lease_s,
  }
  const parts = [
    transactionAsDecided(db, { merchant_id, id: transaction_id, version }),
    attemptSentOnce(db, { merchant_id, id: from.id }, 'unmoved'),
    adoptFigures(db, { merchant_id, id: transaction_id, version }, adoptedFrom(to), 'same'),
    endAttempts(db, 'adopted', [endOfStep(step, { merchant_id, gate: transaction_id })]),
    insertAttempts(db, [attempt], 'adopted', 'attempt_ended'),
    renewKey(db, tries.once, { transaction_id, attempt_id: to.id, lease_s }, 'adopted'),
  ]
  const rows = await again(() => joined(db, parts, idsOf(db, 'attempt_made')))
  return rows.length > 0
}
