// Asking a gateway what became of an attempt: the one way the poller, verify, retry, a replay and
// an unsigned callback learn the truth. One question at a time; what was answered less than two
// seconds ago counts as asked (money 1).

import {
  type Attempt,
  type AttemptKeyOf,
  askAgainAfterS,
  isOpen,
  leaseMarginS,
  wasTaken,
} from '../attempts/attempt.ts'
import {
  askDaily,
  claimAsk,
  claimResend,
  noteNotFound,
  noteTaken,
  restAttempt,
} from '../attempts/attempt-record.ts'
import { sendAttempt } from '../attempts/send-attempt.ts'
import { acceptAttempts } from '../attempts/statements.ts'
import type { Network } from '../catalogue/catalogue.ts'
import type { CatalogueOf } from '../catalogue/catalogue-in-memory.ts'
import type { Gateway, Gateways, Told } from '../gateways/gateway.ts'
import { again } from '../platform/db.ts'
import { idsOf, joined } from '../platform/sql.ts'
import {
  type Applied,
  type AttemptOwner,
  applyTo,
  type Owned,
  ofTransactions,
} from './apply-answer.ts'
import { closeUnended, openUnknown } from './close-unended.ts'
import type { Heard } from './heard.ts'
import { incidentEvent } from './incident-event.ts'
import { noteReferences } from './statements.ts'
import type { Held } from './store.ts'
import type { TriggeredBy } from './transaction.ts'
import {
  type RouteDeps,
  registerCallback,
  stoodStill,
  type TakenBy,
  takenBy,
} from './try-routes.ts'

export type AskDeps = RouteDeps & Readonly<{ catalogue: CatalogueOf }>

export type Question = Readonly<{
  triggered_by: TriggeredBy
  request_id: string
  /** The payer's code, when the caller's own replay brings it again. */
  otp?: string | undefined
}>

const pauseS = 2
const strangerPauseS = 300

/** Whose attempts are asked about: what its owner writes when the answer ends nothing. */
export type AskedOwner<H extends Owned> = AttemptOwner<H> &
  Readonly<{
    /** The gateway has it after all: the answer to its send was lost, or came late. */
    accept(deps: AskDeps, held: H, taken: TakenBy): Promise<void>
    /** The asking time is over without evidence (money 1). */
    giveUp(deps: AskDeps, held: H, question: Question): Promise<void>
    /** What a gateway is told beside the attempt's figures. */
    words(held: H): Readonly<{ description: string; return_url: string }>
  }>

const asked: AskedOwner<Held> = {
  ...ofTransactions,
  accept: acceptLate,
  giveUp: giveUpAsking,
  words: ({ transaction }) => transaction,
}

/** `busy`: another question is under way, or was answered a moment ago. */
export const askAttempt = (
  deps: AskDeps,
  key: AttemptKeyOf,
  question: Question,
): Promise<'asked' | 'busy'> => askFor(asked, deps, key, question)

/** The same, whosever attempt it is. */
export async function askFor<H extends Owned>(
  owner: AskedOwner<H>,
  deps: AskDeps,
  key: AttemptKeyOf,
  question: Question,
): Promise<'asked' | 'busy'> {
  const lease_s = longestCallS(deps.gateways) + leaseMarginS
  const attempt = await claimAsk(deps.db, key, { lease_s, pause_s: pauseS })
  if (attempt === undefined) return 'busy'
  const gateway = deps.gateways.get(attempt.gateway_code)
  if (gateway === undefined) {
    await leaveUnasked({ owner, deps, question }, attempt)
    return 'asked'
  }
  const told = await gateway.ask(keyAtGateway(attempt))
  const heard = { ...heardOf(attempt, told, gateway, question), asked_when: attempt.status }
  const applied = await applyTo(owner, deps, heard)
  const asking = { owner, deps, question }
  if (applied !== undefined) await followUp(asking, { attempt, gateway, told }, applied)
  return 'asked'
}

type Asking<H extends Owned> = { owner: AskedOwner<H>; deps: AskDeps; question: Question }

/** The row's gateway is known only after its lease is taken: enough for the slowest of them. */
function longestCallS(gateways: Gateways): number {
  const most_ms = Math.max(0, ...gateways.all().map(({ facts }) => facts.call_timeout_ms))
  return Math.ceil(most_ms / 1000)
}

/** This process cannot speak to its gateway. Another may; when the time is over, nobody could. */
async function leaveUnasked<H extends Owned>(
  { owner, deps, question }: Asking<H>,
  attempt: Attempt,
): Promise<void> {
  const held = attempt.asking_is_over ? await owner.find(deps.db, attempt) : undefined
  if (held === undefined) return rest(deps, attempt, strangerPauseS)
  return owner.giveUp(deps, held, question)
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

function heardOf(attempt: Attempt, told: Told, gateway: Gateway, question: Question): Heard {
  return {
    merchant_id: attempt.merchant_id,
    attempt_id: attempt.id,
    answer: told.answer,
    hash: told.hash,
    triggered_by: question.triggered_by,
    evidence_kind: 'STATUS_ANSWER',
    request_id: question.request_id,
    asked_age_s: attempt.grace_age_s,
    asked_not_found_s: attempt.not_found_age_s,
    gateway: gateway.facts,
    otp_in_hand: question.otp !== undefined,
  }
}

type Asked = { attempt: Attempt; gateway: Gateway; told: Told }

/** What is left to do when the answer moved nothing: rest, send again, or give up asking. */
async function followUp<H extends Owned>(
  asking: Asking<H>,
  asked: Asked,
  { decision, held }: Applied<H>,
): Promise<void> {
  const { owner, deps, question } = asking
  const { attempt, gateway, told } = asked
  if (told.answer.is === 'waiting') await noteIfPaidOut(deps, attempt)
  switch (decision.is) {
    case 'send_again':
      return sendAgain(asking, asked, held)
    case 'wait':
      if (decision.not_found !== undefined) {
        await noteNotFound(deps.db, attempt, attempt.lease_no)
      }
      if (attempt.asking_is_over) return owner.giveUp(deps, held, question)
      if (told.answer.is === 'waiting' && isNews(owner, held)) {
        return owner.accept(deps, held, takenBy(deps, attempt, told.answer))
      }
      await restAttempt(deps.db, attempt, {
        status: decision.status,
        lease_no: attempt.lease_no,
        external_reference: decision.external_reference,
        ask_after_s:
          decision.not_found?.again_after_s ??
          askAgainAfterS(attempt.asks, gateway.facts.first_ask_after_s),
      })
      return
    case 'incident':
      return leaveToPeople(asking, attempt, held)
    case 'settle':
    case 'fail':
    case 'end_attempt':
      return
    default:
      // What people have booked for it is what the operator says: there is nothing more to learn.
      if (isOpen(held.attempt.status)) return leaveToPeople(asking, attempt, held)
      // Woken by a contradiction, and nothing was learnt: the question stays due, though it ended.
      return rest(deps, attempt, 60, saysNothing(told.answer, attempt))
  }
}

/** Asked hourly while its asking time lasts: what was heard of it is for people. */
function leaveToPeople<H extends Owned>(
  { owner, deps, question }: Asking<H>,
  attempt: Attempt,
  held: H,
): Promise<void> {
  const isOver = attempt.asking_is_over && isOpen(attempt.status)
  return isOver ? owner.giveUp(deps, held, question) : rest(deps, attempt, 3600)
}

/** Whoever says that he has it has it, though his answer may come too late for its lease. */
async function noteIfPaidOut({ db }: AskDeps, attempt: Attempt): Promise<void> {
  if (attempt.direction !== 'DISBURSE') return
  if (wasTaken(attempt) && attempt.not_found_at === null) return
  await noteTaken(db, attempt)
}

/** An operator that does not find what it has confirmed says nothing of it, either. */
const saysNothing = (answer: Told['answer'], { status }: Attempt): boolean =>
  answer.is === 'unknown' ||
  answer.is === 'never_sent' ||
  (answer.is === 'not_found' && status === 'SUCCESS')

/** The answer to its send was lost, and the gateway has it: what the payer is to do is new. */
const isNews = <H extends Owned>(owner: AskedOwner<H>, held: H): boolean =>
  held.attempt.accepted_at === null && owner.standing(held).status === 'PENDING'

/** Gives the lease back; an attempt that has ended is due no more, unless nothing was learnt. */
async function rest(
  deps: AskDeps,
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
 * The asking time is over without evidence (money 1): a payin becomes FAILED with an incident and
 * is asked about once a day; a payout stays as it is until two people close it.
 */
async function giveUpAsking(deps: AskDeps, held: Held, question: Question): Promise<void> {
  const { attempt } = held
  const mayClose =
    held.transaction.status === 'PENDING' &&
    held.transaction.flow_direction === 'INBOUND' &&
    isOpen(held.attempt.status)
  if (mayClose) {
    await closeUnended(deps, held, {
      failure_code: 'UNKNOWN',
      reason: 'the asking time is over and the gateway has not ended it',
      triggered_by: question.triggered_by,
      request_id: question.request_id,
      ask_after_s: 24 * 3600,
      // What people have booked for it is known.
      incident: held.attempt.booked_by === null,
    })
    return
  }
  if (held.transaction.status === 'PENDING') {
    await openUnknown(deps, {
      attempt,
      eventsOf: (incident) => [incidentEvent(incident.id, incident, held)],
    })
  }
  await askDaily(deps.db, attempt)
}

/** The gateway does not know the key, it dedupes, and two minutes are not over: the same again. */
async function sendAgain<H extends Owned>(
  { owner, deps, question }: Asking<H>,
  { attempt, gateway }: Asked,
  held: H,
): Promise<void> {
  const lease_s = Math.ceil(gateway.facts.call_timeout_ms / 1000) + leaseMarginS
  const { lease_no } = attempt
  const since_ms = deps.clock()
  if (!(await claimResend(deps.db, attempt, { lease_no, lease_s }))) {
    return rest(deps, attempt, gateway.facts.first_ask_after_s)
  }
  const network = (await deps.catalogue(0n)).networkByCode(attempt.network_code)
  await registerCallback(deps, attempt, attempt)
  if (stoodStill(deps, attempt.gateway_code, since_ms)) return
  const { description, return_url } = owner.words(held)
  const told = await sendAttempt(deps, {
    key: attempt,
    plan: { ...attempt, flow: flowOf(attempt, network), breaker: false },
    external_reference: attempt.external_reference,
    otp: question.otp,
    description,
    return_url,
  })
  if (told.answer.is === 'waiting') {
    await noteIfPaidOut(deps, attempt)
    return owner.accept(deps, held, takenBy(deps, attempt, told.answer))
  }
  const heard: Heard = {
    ...heardOf(attempt, told, gateway, question),
    evidence_kind: 'CREATE_ANSWER',
    under_lease: lease_no,
  }
  const applied = await applyTo(owner, deps, heard)
  if (applied?.decision.is === 'wait') await rest(deps, attempt, gateway.facts.first_ask_after_s)
}

/** Whoever is paid opens no page. */
const flowOf = ({ direction }: Attempt, network: Network | undefined) =>
  direction === 'DISBURSE' ? 'push' : (network?.flow ?? 'push')

async function acceptLate(
  { db }: AskDeps,
  { transaction: { id, version } }: Held,
  taken: TakenBy,
): Promise<void> {
  const { merchant_id, external_reference } = taken
  const parts = [
    noteReferences(db, [{ merchant_id, id, version, external_reference }]),
    acceptAttempts(db, [{ ...taken, gate: id }], 'noted'),
  ]
  await again(() => joined(db, parts, idsOf(db, 'accepted')))
}
