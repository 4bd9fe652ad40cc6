// Queries a gateway about an attempt: the one way in which the poller, verify, retry, a replay and
// an unsigned callback learn its outcome. One query at a time; one that was answered less than two
// seconds ago counts as made (money 1).

import type { CatalogueOf } from '../catalogue/read-catalogue.ts'
import { firstAskS } from '../gateways/callback-times.ts'
import {
  type AttemptKey,
  cancels,
  cancelsQueued,
  type Gateway,
  type GatewayReply,
  type Gateways,
  type Memo,
  prepares,
  refunds,
} from '../gateways/gateway.ts'
import type { Db } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { type Acceptance, acceptAttempt, acceptanceOf } from './acceptance.ts'
import type { AnswerReceived } from './answer-received.ts'
import { type Applied, applyAnswer, countKnown } from './apply-answer.ts'
import { type Attempt, isOpen, leaseMarginS, wasTaken, wireAmount } from './attempt.ts'
import {
  claimResend,
  findAttempt,
  noteNotFound,
  noteTaken,
  restAttempt,
} from './attempt-statements.ts'
import type { Cause } from './evidence.ts'
import { isAboveLimit } from './exposure.ts'
import { findMemo } from './memo-statements.ts'
import { prepareAndSend } from './prepare-attempt.ts'
import { type AttemptContext, type Purpose, purposeIdOf, purposeOf } from './purpose.ts'
import {
  type AskedAgain,
  againAfterS,
  endedAgainAfterS,
  flowOf,
  isByPage,
  isNews,
  isPromptOver,
  isQueued,
  type QueriedAttempt,
  wokenAgainAfterS,
} from './queried-attempt.ts'
import { type AttemptToAsk, claimQuery } from './query-statements.ts'
import { noteAlarm, type RefundOf } from './send-attempt.ts'
import { isLeaseOver, leaseSeconds, type RouteDeps, registerCallback } from './try-routes.ts'

export type QueryDeps = RouteDeps &
  Readonly<{
    catalogue: CatalogueOf
    /** Everything that an attempt can be for. */
    purposes: readonly Purpose[]
  }>

export type StatusQuery = Cause &
  Readonly<{
    /** The payer's code, when the caller's own replay brings it again. */
    otp?: string | undefined
    /** Its merchant wants back what is in the operator's queue: that is requested, then queried. */
    take_back?: true
  }>

const pauseS = 2
/** What is wanted back is said to the operator although it was asked a moment ago. */
const takeBackPauseS = 0
/** An operator may take a moment to end what was cancelled. Seconds. */
const afterCancelS = 60
const strangerPauseS = 300

/** `busy`: another query is under way, or was answered a moment ago. */
export async function queryAttempt(
  deps: QueryDeps,
  key: AttemptToAsk,
  question: StatusQuery,
): Promise<'queried' | 'busy'> {
  const lease_s = longestCallS(deps.gateways) + leaseMarginS
  const pause_s = question.take_back ? takeBackPauseS : pauseS
  const attempt = await claimQuery(deps.db, key, { lease_s, pause_s })
  if (attempt === undefined) return 'busy'
  const purpose = purposeOf(deps.purposes, attempt)
  const querying = { purpose, deps, question }
  const gateway = deps.gateways.get(attempt.gateway_code)
  if (gateway === undefined) {
    await leaveUnqueried(querying, attempt)
    return 'queried'
  }
  const refund = await refundOf(deps.db, attempt)
  const memo = isAskedByMemo(gateway) ? await findMemo(deps, attempt) : undefined
  const take_back = question.take_back ?? takesBack(attempt)
  const reply = await askGateway(gateway, keyAtGateway(attempt, memo), { refund, take_back })
  await noteAlarm(deps, { ...attempt, call: 'ASK' }, reply.answer)
  const by_page = await isByPage(deps, gateway, attempt)
  const queried = { attempt, gateway, reply, refund, memo, by_page }
  const applied = await applyAnswer(deps, purpose, queriedAnswer(queried, question))
  if (applied !== undefined) await followUp(querying, queried, applied)
  return 'queried'
}

/** What its operator says of it now, for whoever has just had it changed there. */
export async function askNow(
  deps: Pick<QueryDeps, 'db' | 'seals'>,
  gateway: Gateway,
  attempt: Attempt,
): Promise<GatewayReply> {
  const refund = await refundOf(deps.db, attempt)
  const memo = isAskedByMemo(gateway) ? await findMemo(deps, attempt) : undefined
  return askGateway(gateway, keyAtGateway(attempt, memo), { refund, take_back: undefined })
}

/** Whoever was to ask the operator may have died, or have had no answer. */
const takesBack = ({ is_wanted_back, is_queued, status }: Attempt): true | undefined =>
  is_wanted_back && is_queued && isOpen(status) ? true : undefined

const isAskedByMemo = ({ facts }: Gateway): boolean => facts.ask_by === 'THEIR_REFERENCE'

/** For a refund that its operator makes: what it gives back. */
async function refundOf(
  db: Db,
  { merchant_id, refund_id, refund_of }: Attempt,
): Promise<RefundOf | undefined> {
  if (refund_id === null || refund_of === null) return undefined
  const collected = await findAttempt(db, { merchant_id, id: refund_of })
  assert(collected !== undefined, `refund ${refund_id} of no attempt`)
  return { refund_id, of: keyAtGateway(collected) }
}

function askGateway(
  gateway: Gateway,
  key: AttemptKey,
  about: Readonly<{ refund: RefundOf | undefined; take_back: true | undefined }>,
): Promise<GatewayReply> {
  const { refund, take_back } = about
  if (take_back && cancelsQueued(gateway)) return gateway.cancelQueued(key)
  if (refund === undefined) return gateway.query(key)
  assert(refunds(gateway), `${gateway.code} gives nothing back`)
  return gateway.askRefund({ ...key, ...refund })
}

/**
 * What holds of a gateway's payments need not hold of its refunds. And where it makes the reference
 * itself, an attempt without one took nothing, so that it may be sent again.
 */
function factsOf(gateway: Gateway, { refund_of, external_reference }: Attempt) {
  const { facts } = gateway
  if (refund_of !== null && refunds(gateway)) {
    return { ...facts, payout_is_idempotent: gateway.refund_facts.idempotent }
  }
  return prepares(gateway) && external_reference === ''
    ? { ...facts, create_is_idempotent: true, payout_is_idempotent: true }
    : facts
}

type Querying = Readonly<{ purpose: Purpose; deps: QueryDeps; question: StatusQuery }>

/**
 * The row's gateway is known only after its lease is taken, so this suffices for the slowest
 * gateway.
 */
function longestCallS(gateways: Gateways): number {
  const most_ms = Math.max(0, ...gateways.all().map(({ facts }) => facts.call_timeout_ms))
  return Math.ceil(most_ms / 1000)
}

/** This process cannot speak to the gateway. Another may; once the time is over, none could. */
async function leaveUnqueried(querying: Querying, attempt: Attempt): Promise<void> {
  const { purpose, deps, question } = querying
  if (!isOpen(attempt.status)) return restEnded(querying, attempt, wokenAgainAfterS(attempt))
  const context = attempt.asking_is_over ? await purpose.find(deps.db, attempt) : undefined
  if (context === undefined) return rest(deps, attempt, strangerPauseS)
  return purpose.giveUp(deps, context, question)
}

export function keyAtGateway(attempt: Attempt, memo?: Memo): AttemptKey {
  return {
    merchant_id: attempt.merchant_id,
    attempt_id: attempt.id,
    direction: attempt.direction,
    our_key: attempt.our_key,
    external_reference: attempt.external_reference,
    amount: wireAmount(attempt),
    currency: attempt.currency,
    sends: attempt.sends,
    age_s: attempt.grace_age_s,
    ...(memo === undefined ? {} : { memo }),
  }
}

/** The answer to a question about an attempt, as it is decided on. */
const queriedAnswer = (
  { attempt, gateway, reply, by_page }: QueriedAttempt,
  question: StatusQuery,
): AnswerReceived => ({
  ...receivedOf(attempt, reply, gateway, question),
  by_page,
  status_at_query: attempt.status,
})

function receivedOf(
  attempt: Attempt,
  reply: GatewayReply,
  gateway: Gateway,
  question: StatusQuery,
): AnswerReceived {
  return {
    merchant_id: attempt.merchant_id,
    attempt_id: attempt.id,
    answer: reply.answer,
    hash: reply.hash,
    triggered_by: question.triggered_by,
    evidence_kind: 'STATUS_ANSWER',
    request_id: question.request_id,
    age_at_query_s: attempt.grace_age_s,
    not_found_at_query_s: attempt.not_found_age_s,
    gateway: factsOf(gateway, attempt),
    otp_in_hand: question.otp !== undefined,
  }
}

/** What is left to do when the answer moved nothing: rest, send again, or give up querying. */
async function followUp(
  querying: Querying,
  queried: QueriedAttempt,
  { decision, context }: Applied,
): Promise<void> {
  const { purpose, deps, question } = querying
  const { attempt, reply } = queried
  if (reply.answer.is === 'waiting') await noteIfPaidOut(deps, attempt)
  switch (decision.is) {
    case 'send_again':
      return sendAgain(querying, queried, context)
    case 'wait':
      if (decision.not_found !== undefined) {
        await noteNotFound(deps.db, attempt, attempt.lease_no)
      }
      if (attempt.asking_is_over && !isQueued(reply)) {
        return purpose.giveUp(deps, context, question)
      }
      if (isPromptOver(queried)) return cancelPrompt(querying, queried)
      if (reply.answer.is === 'waiting') {
        const acceptance = acceptanceOf(deps, attempt, reply.answer)
        if (isNews(purpose, context, acceptance)) {
          countKnown(deps.health, attempt)
          return acceptLate(querying, context, acceptance)
        }
      }
      await restAttempt(deps.db, attempt, {
        status: decision.status,
        lease_no: attempt.lease_no,
        external_reference: decision.external_reference,
        ask_after_s:
          decision.not_found?.again_after_s ??
          againAfterS(deps.gateways, queried, question.take_back),
        queued: reply.answer.is === 'waiting' ? isQueued(reply) : undefined,
      })
      return
    case 'incident':
      return leaveToPeople(querying, attempt, context)
    case 'confirm':
    case 'fail':
    case 'requeue':
    case 'end_attempt':
      return
    default:
      // The operator reports what people have booked for it: there is nothing more to learn.
      if (isOpen(context.attempt.status)) return leaveToPeople(querying, attempt, context)
      return restEnded(querying, attempt, endedAgainAfterS(queried))
  }
}

/**
 * `again` undefined: it is no longer due. `spent`: neither, and people look into it first where
 * what it was for still waits, whose hold is not given back for want of an answer.
 */
async function restEnded(
  { purpose, deps, question }: Querying,
  attempt: Attempt,
  again: AskedAgain,
): Promise<void> {
  if (typeof again === 'number') return rest(deps, attempt, again, true)
  const context = again === 'spent' ? await purpose.find(deps.db, attempt) : undefined
  if (context !== undefined) await purpose.giveUp(deps, context, question)
  return rest(deps, attempt, 0)
}

/** Only what the operator says after it counts: the payer may have been quicker. */
async function cancelPrompt({ purpose, deps, question }: Querying, queried: QueriedAttempt) {
  const { attempt, gateway, memo } = queried
  assert(cancels(gateway), `${gateway.code} cancels nothing`)
  const reply = await gateway.cancel(keyAtGateway(attempt, memo))
  const applied = await applyAnswer(deps, purpose, queriedAnswer({ ...queried, reply }, question))
  if (applied?.decision.is === 'wait') await rest(deps, attempt, afterCancelS)
}

/**
 * Queried hourly while its query time lasts: what the operator reported is for people to resolve.
 */
function leaveToPeople(
  { purpose, deps, question }: Querying,
  attempt: Attempt,
  context: AttemptContext,
): Promise<void> {
  const isOver = attempt.asking_is_over && isOpen(attempt.status)
  return isOver ? purpose.giveUp(deps, context, question) : rest(deps, attempt, 3600)
}

/** An operator that reports having it has it, even when the answer comes too late for its lease. */
async function noteIfPaidOut({ db }: QueryDeps, attempt: Attempt): Promise<void> {
  if (attempt.direction !== 'DISBURSE') return
  if (wasTaken(attempt) && attempt.not_found_at === null) return
  await noteTaken(db, attempt)
}

/** Gives the lease back; an attempt that has ended is no longer due, unless nothing was learnt. */
async function rest(
  deps: QueryDeps,
  attempt: Attempt,
  ask_after_s: number,
  though_ended = false,
): Promise<void> {
  await restAttempt(deps.db, attempt, {
    status: attempt.status === 'PENDING' ? 'PENDING' : 'UNKNOWN',
    lease_no: attempt.lease_no,
    external_reference: '',
    ask_after_s,
    though_ended,
  })
}

/**
 * The gateway does not know the key, it deduplicates, and two minutes are not over: send the same
 * again.
 */
async function sendAgain(
  querying: Querying,
  { attempt, gateway, refund, by_page }: QueriedAttempt,
  context: AttemptContext,
): Promise<void> {
  const { purpose, deps, question } = querying
  const lease_s = leaseSeconds(deps, attempt.gateway_code)
  const { lease_no } = attempt
  const since_ms = deps.clock()
  const within_s = replayTimeS(attempt, gateway)
  // Whoever was to send it first may have died before it looked at what is open.
  if (await isAboveLimit(deps.db, attempt)) {
    return rest(deps, attempt, firstAskS(deps.gateways, attempt) ?? pauseS)
  }
  if (!(await claimResend(deps.db, attempt, { lease_no, lease_s, within_s }))) {
    return rest(deps, attempt, firstAskS(deps.gateways, attempt) ?? pauseS)
  }
  const flow = await flowOf(deps, attempt)
  await registerCallback(deps, attempt, attempt)
  if (isLeaseOver(deps, attempt.gateway_code, since_ms)) return
  const { description, return_url } = purpose.textsOf(context)
  const { external_reference } = attempt
  const plan = { ...attempt, flow, breaker: false }
  const texts = { otp: question.otp, description, return_url, refund }
  const request = { key: attempt, plan, external_reference, ...texts }
  const reply = await prepareAndSend(deps, request, lease_no)
  // It was counted anew by this answer, or is with its operator.
  const isOver = reply.answer.is === 'unknown' || reply.answer.is === 'waiting'
  if (isOver) countKnown(deps.health, attempt)
  if (reply.answer.is === 'waiting') {
    await noteIfPaidOut(deps, attempt)
    return acceptLate(querying, context, acceptanceOf(deps, attempt, reply.answer))
  }
  const received: AnswerReceived = {
    ...receivedOf(attempt, reply, gateway, question),
    by_page,
    evidence_kind: 'CREATE_ANSWER',
    under_lease: lease_no,
  }
  const applied = await applyAnswer(deps, purpose, received)
  if (applied?.decision.is !== 'wait') {
    if (applied !== undefined && !isOver) countKnown(deps.health, attempt)
    return
  }
  await rest(deps, attempt, firstAskS(deps.gateways, attempt) ?? pauseS)
}

/** Of a collection that is asked about by its replay. Seconds after it was made. */
const replayTimeS = ({ direction }: Attempt, { facts }: Gateway): number | undefined =>
  direction === 'COLLECT' && facts.ask_by === 'REPLAY' ? facts.idempotency_s : undefined

/** The gateway has it after all: the answer to its send was lost, or came late. */
function acceptLate(
  { purpose, deps: { db } }: Querying,
  context: AttemptContext,
  acceptance: Acceptance,
): Promise<void> {
  const noted = purpose.noteReference(db, context, acceptance.external_reference)
  return acceptAttempt(db, noted, { ...acceptance, gate_id: purposeIdOf(context.attempt) })
}
