// Queries a gateway about an attempt: the one way in which the poller, verify, retry, a replay and
// an unsigned callback learn its outcome. One query at a time; one that was answered less than two
// seconds ago counts as made (money 1).

import type { Network } from '../catalogue/catalogue.ts'
import type { CatalogueOf } from '../catalogue/read-catalogue.ts'
import { type Gateway, type GatewayReply, type Gateways, refunds } from '../gateways/gateway.ts'
import type { Db } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { type Acceptance, acceptAttempt, acceptanceOf, isPageSoon, pageAskS } from './acceptance.ts'
import type { AnswerReceived } from './answer-received.ts'
import { type Applied, applyAnswer } from './apply-answer.ts'
import {
  type Attempt,
  type AttemptKeyOf,
  isOpen,
  leaseMarginS,
  queryAgainAfterS,
  wasTaken,
  wireAmount,
} from './attempt.ts'
import {
  claimQuery,
  claimResend,
  findAttempt,
  noteNotFound,
  noteTaken,
  restAttempt,
} from './attempt-statements.ts'
import type { Cause } from './evidence.ts'
import { type AttemptContext, type Purpose, purposeIdOf, purposeOf } from './purpose.ts'
import { type RefundOf, sendAttempt } from './send-attempt.ts'
import { isLeaseOver, type RouteDeps, registerCallback } from './try-routes.ts'

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
  }>

const pauseS = 2
const strangerPauseS = 300

/** `busy`: another query is under way, or was answered a moment ago. */
export async function queryAttempt(
  deps: QueryDeps,
  key: AttemptKeyOf,
  question: StatusQuery,
): Promise<'queried' | 'busy'> {
  const lease_s = longestCallS(deps.gateways) + leaseMarginS
  const attempt = await claimQuery(deps.db, key, { lease_s, pause_s: pauseS })
  if (attempt === undefined) return 'busy'
  const purpose = purposeOf(deps.purposes, attempt)
  const querying = { purpose, deps, question }
  const gateway = deps.gateways.get(attempt.gateway_code)
  if (gateway === undefined) {
    await leaveUnqueried(querying, attempt)
    return 'queried'
  }
  const refund = await refundOf(deps.db, attempt)
  const reply = await askGateway(gateway, attempt, refund)
  const received = {
    ...receivedOf(attempt, reply, gateway, question),
    status_at_query: attempt.status,
  }
  const applied = await applyAnswer(deps, purpose, received)
  if (applied !== undefined) await followUp(querying, { attempt, gateway, reply, refund }, applied)
  return 'queried'
}

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
  attempt: Attempt,
  refund: RefundOf | undefined,
): Promise<GatewayReply> {
  const key = keyAtGateway(attempt)
  if (refund === undefined) return gateway.query(key)
  assert(refunds(gateway), `${gateway.code} gives nothing back`)
  return gateway.askRefund({ ...key, ...refund })
}

/** What holds of a gateway's payments need not hold of its refunds. */
const factsOf = (gateway: Gateway, { refund_of }: Attempt) =>
  refund_of !== null && refunds(gateway)
    ? { ...gateway.facts, create_is_idempotent: gateway.refund_facts.idempotent }
    : gateway.facts

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
async function leaveUnqueried(
  { purpose, deps, question }: Querying,
  attempt: Attempt,
): Promise<void> {
  const context = attempt.asking_is_over ? await purpose.find(deps.db, attempt) : undefined
  if (context === undefined) return rest(deps, attempt, strangerPauseS)
  return purpose.giveUp(deps, context, question)
}

export function keyAtGateway(attempt: Attempt) {
  return {
    merchant_id: attempt.merchant_id,
    attempt_id: attempt.id,
    direction: attempt.direction,
    our_key: attempt.our_key,
    external_reference: attempt.external_reference,
    amount: wireAmount(attempt),
    currency: attempt.currency,
  }
}

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

type QueriedAttempt = {
  attempt: Attempt
  gateway: Gateway
  reply: GatewayReply
  refund: RefundOf | undefined
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
      if (reply.answer.is === 'waiting') {
        const acceptance = acceptanceOf(deps, attempt, reply.answer)
        if (isNews(purpose, context, acceptance)) return acceptLate(querying, context, acceptance)
      }
      await restAttempt(deps.db, attempt, {
        status: decision.status,
        lease_no: attempt.lease_no,
        external_reference: decision.external_reference,
        ask_after_s: decision.not_found?.again_after_s ?? againAfterS(queried),
        queued: isQueued(reply),
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
      // Woken by a contradiction, and nothing was learnt: the query stays due although the attempt
      // ended.
      return rest(deps, attempt, 60, isUninformative(reply.answer, attempt))
  }
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

/** When an operator does not find what it has confirmed, that proves nothing either. */
const isUninformative = (answer: GatewayReply['answer'], { status }: Attempt): boolean =>
  answer.is === 'unknown' ||
  answer.is === 'never_sent' ||
  (answer.is === 'not_found' && status === 'SUCCESS')

/**
 * The answer to its send was lost, and the gateway has it; or the payer's page has come, or is
 * another one: what the payer is to do is new. A code that is waited for has its own way in.
 */
function isNews(purpose: Purpose, context: AttemptContext, acceptance: Acceptance): boolean {
  const { accepted_at, next_action, checkout_url } = context.attempt
  if (purpose.stateOf(context).status !== 'PENDING') return false
  if (accepted_at === null) return true
  if (next_action !== 'REDIRECT') return false
  // An answer that shows no page takes none away.
  return acceptance.checkout_url === ''
    ? checkout_url === '' && acceptance.next_action !== next_action
    : acceptance.checkout_url !== checkout_url
}

/** Nothing moves until the operator lets it go on: its time has not begun. */
const isQueued = ({ answer }: GatewayReply): boolean =>
  answer.is === 'waiting' && answer.queued === true

/** For so many questions a page is asked for at short intervals: ten minutes. */
const pageAsks = 300

function againAfterS({ attempt, gateway, reply: { answer } }: QueriedAttempt): number {
  const isAwaited = answer.is === 'waiting' && isPageSoon(answer) && attempt.asks < pageAsks
  return isAwaited ? pageAskS : queryAgainAfterS(attempt.asks, gateway.facts.first_query_after_s)
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
  { attempt, gateway, refund }: QueriedAttempt,
  context: AttemptContext,
): Promise<void> {
  const { purpose, deps, question } = querying
  const lease_s = Math.ceil(gateway.facts.call_timeout_ms / 1000) + leaseMarginS
  const { lease_no } = attempt
  const since_ms = deps.clock()
  if (!(await claimResend(deps.db, attempt, { lease_no, lease_s }))) {
    return rest(deps, attempt, gateway.facts.first_query_after_s)
  }
  const network = (await deps.catalogue(0n)).networkByCode(attempt.network_code)
  await registerCallback(deps, attempt, attempt)
  if (isLeaseOver(deps, attempt.gateway_code, since_ms)) return
  const { description, return_url } = purpose.textsOf(context)
  const reply = await sendAttempt(deps, {
    key: attempt,
    plan: { ...attempt, flow: flowOf(attempt, network), breaker: false },
    external_reference: attempt.external_reference,
    otp: question.otp,
    description,
    return_url,
    refund,
  })
  if (reply.answer.is === 'waiting') {
    await noteIfPaidOut(deps, attempt)
    return acceptLate(querying, context, acceptanceOf(deps, attempt, reply.answer))
  }
  const received: AnswerReceived = {
    ...receivedOf(attempt, reply, gateway, question),
    evidence_kind: 'CREATE_ANSWER',
    under_lease: lease_no,
  }
  const applied = await applyAnswer(deps, purpose, received)
  if (applied?.decision.is === 'wait') await rest(deps, attempt, gateway.facts.first_query_after_s)
}

/** The receiver of a payout opens no page. */
const flowOf = ({ direction }: Attempt, network: Network | undefined) =>
  direction === 'DISBURSE' ? 'push' : (network?.flow ?? 'push')

/** The gateway has it after all: the answer to its send was lost, or came late. */
function acceptLate(
  { purpose, deps: { db } }: Querying,
  context: AttemptContext,
  acceptance: Acceptance,
): Promise<void> {
  const noted = purpose.noteReference(db, context, acceptance.external_reference)
  return acceptAttempt(db, noted, { ...acceptance, gate_id: purposeIdOf(context.attempt) })
}
