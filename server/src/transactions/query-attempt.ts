// Queries a gateway about an attempt: the one way in which the poller, verify, retry, a replay and
// an unsigned callback learn its outcome. One query at a time; one that was answered less than two
// seconds ago counts as made (money 1).

import {
  type Attempt,
  type AttemptKeyOf,
  isOpen,
  leaseMarginS,
  queryAgainAfterS,
  wasTaken,
} from '../attempts/attempt.ts'
import {
  claimQuery,
  claimResend,
  noteNotFound,
  noteTaken,
  queryDaily,
  restAttempt,
} from '../attempts/attempt-record.ts'
import { sendAttempt } from '../attempts/send-attempt.ts'
import { acceptAttempts } from '../attempts/statements.ts'
import type { Network } from '../catalogue/catalogue.ts'
import type { CatalogueOf } from '../catalogue/catalogue-in-memory.ts'
import type { Gateway, GatewayReply, Gateways } from '../gateways/gateway.ts'
import { retryOnDeadlock } from '../platform/db.ts'
import { composed, selectIds } from '../platform/sql.ts'
import type { AnswerReceived } from './answer-received.ts'
import {
  type Applied,
  type AttemptOwner,
  applyAnswerFor,
  transactionOwner,
  type WithAttempt,
} from './apply-answer.ts'
import { closeUnended, openUnknown } from './close-unended.ts'
import { incidentEvent } from './incident-event.ts'
import { noteReferences } from './statements.ts'
import type { AttemptContext } from './store.ts'
import type { TriggeredBy } from './transaction.ts'
import {
  type Acceptance,
  acceptanceOf,
  isLeaseOver,
  type RouteDeps,
  registerCallback,
} from './try-routes.ts'

export type QueryDeps = RouteDeps & Readonly<{ catalogue: CatalogueOf }>

export type StatusQuery = Readonly<{
  triggered_by: TriggeredBy
  request_id: string
  /** The payer's code, when the caller's own replay brings it again. */
  otp?: string | undefined
}>

const pauseS = 2
const strangerPauseS = 300

/** The owner of the attempts that are queried: what it writes when the answer ends nothing. */
export type QueryOwner<H extends WithAttempt> = AttemptOwner<H> &
  Readonly<{
    /** The gateway has it after all: the answer to its send was lost, or came late. */
    accept(deps: QueryDeps, context: H, acceptance: Acceptance): Promise<void>
    /** The query time is over without evidence (money 1). */
    giveUp(deps: QueryDeps, context: H, question: StatusQuery): Promise<void>
    /** What a gateway is sent beside the attempt's figures. */
    textsOf(context: H): Readonly<{ description: string; return_url: string }>
  }>

const transactionQueryOwner: QueryOwner<AttemptContext> = {
  ...transactionOwner,
  accept: acceptLate,
  giveUp: giveUpQuerying,
  textsOf: ({ transaction }) => transaction,
}

/** `busy`: another query is under way, or was answered a moment ago. */
export const queryAttempt = (
  deps: QueryDeps,
  key: AttemptKeyOf,
  question: StatusQuery,
): Promise<'queried' | 'busy'> => queryAttemptFor(transactionQueryOwner, deps, key, question)

/** The same for any owner of attempts. */
export async function queryAttemptFor<H extends WithAttempt>(
  owner: QueryOwner<H>,
  deps: QueryDeps,
  key: AttemptKeyOf,
  question: StatusQuery,
): Promise<'queried' | 'busy'> {
  const lease_s = longestCallS(deps.gateways) + leaseMarginS
  const attempt = await claimQuery(deps.db, key, { lease_s, pause_s: pauseS })
  if (attempt === undefined) return 'busy'
  const gateway = deps.gateways.get(attempt.gateway_code)
  if (gateway === undefined) {
    await leaveUnqueried({ owner, deps, question }, attempt)
    return 'queried'
  }
  const reply = await gateway.query(keyAtGateway(attempt))
  const received = {
    ...receivedOf(attempt, reply, gateway, question),
    status_at_query: attempt.status,
  }
  const applied = await applyAnswerFor(owner, deps, received)
  const querying = { owner, deps, question }
  if (applied !== undefined) await followUp(querying, { attempt, gateway, reply }, applied)
  return 'queried'
}

type Querying<H extends WithAttempt> = {
  owner: QueryOwner<H>
  deps: QueryDeps
  question: StatusQuery
}

/**
 * The row's gateway is known only after its lease is taken, so this suffices for the slowest
 * gateway.
 */
function longestCallS(gateways: Gateways): number {
  const most_ms = Math.max(0, ...gateways.all().map(({ facts }) => facts.call_timeout_ms))
  return Math.ceil(most_ms / 1000)
}

/** This process cannot speak to the gateway. Another may; once the time is over, none could. */
async function leaveUnqueried<H extends WithAttempt>(
  { owner, deps, question }: Querying<H>,
  attempt: Attempt,
): Promise<void> {
  const context = attempt.asking_is_over ? await owner.find(deps.db, attempt) : undefined
  if (context === undefined) return rest(deps, attempt, strangerPauseS)
  return owner.giveUp(deps, context, question)
}

export function keyAtGateway(attempt: Attempt) {
  return {
    merchant_id: attempt.merchant_id,
    attempt_id: attempt.id,
    direction: attempt.direction,
    our_key: attempt.our_key,
    external_reference: attempt.external_reference,
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
    gateway: gateway.facts,
    otp_in_hand: question.otp !== undefined,
  }
}

type QueriedAttempt = { attempt: Attempt; gateway: Gateway; reply: GatewayReply }

/** What is left to do when the answer moved nothing: rest, send again, or give up querying. */
async function followUp<H extends WithAttempt>(
  querying: Querying<H>,
  queried: QueriedAttempt,
  { decision, context }: Applied<H>,
): Promise<void> {
  const { owner, deps, question } = querying
  const { attempt, gateway, reply } = queried
  if (reply.answer.is === 'waiting') await noteIfPaidOut(deps, attempt)
  switch (decision.is) {
    case 'send_again':
      return sendAgain(querying, queried, context)
    case 'wait':
      if (decision.not_found !== undefined) {
        await noteNotFound(deps.db, attempt, attempt.lease_no)
      }
      if (attempt.asking_is_over) return owner.giveUp(deps, context, question)
      if (reply.answer.is === 'waiting' && isNews(owner, context)) {
        return owner.accept(deps, context, acceptanceOf(deps, attempt, reply.answer))
      }
      await restAttempt(deps.db, attempt, {
        status: decision.status,
        lease_no: attempt.lease_no,
        external_reference: decision.external_reference,
        ask_after_s:
          decision.not_found?.again_after_s ??
          queryAgainAfterS(attempt.asks, gateway.facts.first_query_after_s),
      })
      return
    case 'incident':
      return leaveToPeople(querying, attempt, context)
    case 'confirm':
    case 'fail':
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
function leaveToPeople<H extends WithAttempt>(
  { owner, deps, question }: Querying<H>,
  attempt: Attempt,
  context: H,
): Promise<void> {
  const isOver = attempt.asking_is_over && isOpen(attempt.status)
  return isOver ? owner.giveUp(deps, context, question) : rest(deps, attempt, 3600)
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

/** The answer to its send was lost, and the gateway has it: what the payer is to do is new. */
const isNews = <H extends WithAttempt>(owner: QueryOwner<H>, context: H): boolean =>
  context.attempt.accepted_at === null && owner.stateOf(context).status === 'PENDING'

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
 * The query time is over without evidence (money 1): a payin becomes FAILED with an incident and is
 * queried about once a day; a payout stays as it is until two people close it.
 */
async function giveUpQuerying(
  deps: QueryDeps,
  context: AttemptContext,
  question: StatusQuery,
): Promise<void> {
  const { attempt } = context
  const mayClose =
    context.transaction.status === 'PENDING' &&
    context.transaction.flow_direction === 'INBOUND' &&
    isOpen(context.attempt.status)
  if (mayClose) {
    await closeUnended(deps, context, {
      failure_code: 'UNKNOWN',
      reason: 'the asking time is over and the gateway has not ended it',
      triggered_by: question.triggered_by,
      request_id: question.request_id,
      ask_after_s: 24 * 3600,
      // What people have booked for it is known.
      incident: context.attempt.booked_by === null,
    })
    return
  }
  if (leavesUnknown(context)) {
    await openUnknown(deps, {
      attempt,
      eventsOf: (incident) => [incidentEvent(incident.id, incident, context)],
    })
  }
  await queryDaily(deps.db, attempt)
}

/**
 * What became of the attempt matters to people: its transaction waits for it, or has succeeded by
 * another attempt, so that this one may have moved the money a second time.
 */
const leavesUnknown = ({ attempt, transaction }: AttemptContext): boolean =>
  transaction.status === 'PENDING' ||
  (transaction.status === 'SUCCESS' && isOpen(attempt.status) && attempt.booked_by === null)

/**
 * The gateway does not know the key, it deduplicates, and two minutes are not over: send the same
 * again.
 */
async function sendAgain<H extends WithAttempt>(
  { owner, deps, question }: Querying<H>,
  { attempt, gateway }: QueriedAttempt,
  context: H,
): Promise<void> {
  const lease_s = Math.ceil(gateway.facts.call_timeout_ms / 1000) + leaseMarginS
  const { lease_no } = attempt
  const since_ms = deps.clock()
  if (!(await claimResend(deps.db, attempt, { lease_no, lease_s }))) {
    return rest(deps, attempt, gateway.facts.first_query_after_s)
  }
  const network = (await deps.catalogue(0n)).networkByCode(attempt.network_code)
  await registerCallback(deps, attempt, attempt)
  if (isLeaseOver(deps, attempt.gateway_code, since_ms)) return
  const { description, return_url } = owner.textsOf(context)
  const reply = await sendAttempt(deps, {
    key: attempt,
    plan: { ...attempt, flow: flowOf(attempt, network), breaker: false },
    external_reference: attempt.external_reference,
    otp: question.otp,
    description,
    return_url,
  })
  if (reply.answer.is === 'waiting') {
    await noteIfPaidOut(deps, attempt)
    return owner.accept(deps, context, acceptanceOf(deps, attempt, reply.answer))
  }
  const received: AnswerReceived = {
    ...receivedOf(attempt, reply, gateway, question),
    evidence_kind: 'CREATE_ANSWER',
    under_lease: lease_no,
  }
  const applied = await applyAnswerFor(owner, deps, received)
  if (applied?.decision.is === 'wait') await rest(deps, attempt, gateway.facts.first_query_after_s)
}

/** The receiver of a payout opens no page. */
const flowOf = ({ direction }: Attempt, network: Network | undefined) =>
  direction === 'DISBURSE' ? 'push' : (network?.flow ?? 'push')

async function acceptLate(
  { db }: QueryDeps,
  { transaction: { id, version } }: AttemptContext,
  acceptance: Acceptance,
): Promise<void> {
  const { merchant_id, external_reference } = acceptance
  const noted = noteReferences(db, [{ merchant_id, id, version, external_reference }])
  const accepted = acceptAttempts(db, [{ ...acceptance, gate_id: id }], { when: noted })
  await retryOnDeadlock(() => composed(db, [noted, accepted], selectIds(db, accepted)))
}
