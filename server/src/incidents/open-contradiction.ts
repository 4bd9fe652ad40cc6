// A contradiction changes no status and no merchant balance: it opens an incident, once, and books
// the difference to that incident's own suspense account (money 3), with the event in the same
// statement. The incident's unique key is the gate: when it is reported again, it is open already
// and nothing is booked.

import { type AnswerReceived, callbackParts } from '../attempts/answer-received.ts'
import { type Attempt, floatOf, isOpen } from '../attempts/attempt.ts'
import { endOf } from '../attempts/attempt-end.ts'
import type { Contradiction } from '../attempts/decision.ts'
import { attemptAsDecided, endAttempts } from '../attempts/statements.ts'
import type { FeedKey, NewEvent } from '../events/event.ts'
import { recordEvents } from '../events/statements.ts'
import type { Capture } from '../gateways/gateway.ts'
import {
  capturedToSuspense,
  type Line,
  paidToSuspense,
  payoutReturnedToSuspense,
  reversedToSuspense,
} from '../ledger/postings.ts'
import { postEntries } from '../ledger/statements.ts'
import { type Db, retryOnDeadlock } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed, type Gate, type Part, type Relation, selectCounts } from '../platform/sql.ts'
import type { NewIncident } from './incident.ts'
import {
  findNoReturn,
  findTakenBack,
  type KnownCaptures,
  listKnownCaptures,
  openIncident,
} from './statements.ts'

/** An attempt that was contradicted, and the events for its owner's merchant, if any. */
export type ContradictedAttempt = Readonly<{
  attempt: Attempt
  eventsOf: (incident: NewIncident) => readonly (NewEvent & FeedKey)[]
  /** For a refund: the payment that it gives back. */
  payment_id?: string
  extraParts?: (incident: Pick<NewIncident, 'id' | 'type'>) => ExtraParts | undefined
}>

/**
 * Further parts of the same statement: what is locked before the attempt, and what follows the
 * incident.
 */
export type ExtraParts = Readonly<{
  before: readonly Part<never>[]
  /** The relation of `before` without which nothing happens. */
  when: Relation
  /** When the incident was opened. */
  after: (opened: Gate) => readonly Part<never>[]
  events: readonly (NewEvent & FeedKey)[]
}>

type News = Readonly<{ decision: Contradiction; follows?: string }>

/**
 * The operator reports the whole of what came back, or of what it captured: what is in no incident
 * yet, if anything.
 */
async function newsOf(
  db: Db,
  attempt: Attempt,
  decision: Contradiction,
): Promise<News | undefined> {
  if (decision.beside !== undefined) return newCaptures(db, attempt, decision, decision.beside)
  const { merchant_id, settlement_id } = attempt
  if (decision.type === 'RETURNED' && settlement_id !== null) {
    const follows = await findNoReturn(db, { merchant_id, settlement_id })
    return follows === undefined ? { decision } : { decision, follows }
  }
  const before = isOfAllThatCameBack(attempt, decision)
    ? await findTakenBack(db, attempt)
    : undefined
  if (before === undefined || (!before.is_known && !isPartOfPaid(attempt, decision))) {
    return { decision }
  }
  const amount = decision.amount - before.amount
  if (amount <= 0n) return undefined
  const more = { ...decision, type: 'AMOUNT_MISMATCH', amount, less: true } as const
  return { decision: more, follows: before.last }
}

/**
 * Of a payment a late refusal is so, too. The whole of what was paid out comes back by itself,
 * beside its parts.
 */
const isOfAllThatCameBack = (
  { direction }: Attempt,
  { type, why, less }: Contradiction,
): boolean =>
  direction === 'COLLECT'
    ? why !== undefined || type === 'REVERSED_AFTER_SUCCESS'
    : why !== undefined && less === true

/** Of one that people have booked, another amount follows what they booked it by. */
const isPartOfPaid = ({ booked_by }: Attempt, { type }: Contradiction): boolean =>
  type === 'AMOUNT_MISMATCH' && booked_by === null

/** One may have been too much by itself, or another amount, before the others were known. */
async function newCaptures(
  db: Db,
  attempt: Attempt,
  decision: Contradiction,
  captures: readonly Capture[],
): Promise<News | undefined> {
  const known = await listKnownCaptures(db, attempt, tooMuchSide(attempt))
  const seconds = known.filter(({ type }) => type === 'DUPLICATE_CAPTURE')
  const has = (one: Capture) => (of: KnownCaptures) =>
    of.currency === one.currency && of.references.includes(one.external_reference)
  const beside = captures.flatMap((one) => {
    if (seconds.some(has(one))) return []
    const counted = known.filter(has(one)).reduce((sum, { amount }) => sum + amount, 0n)
    return one.amount > counted ? [{ ...one, amount: one.amount - counted }] : []
  })
  if (beside.length === 0) return undefined
  const amount = beside.reduce((sum, one) => sum + one.amount, 0n)
  const follows = seconds.at(-1)?.id
  return {
    decision: { ...decision, amount, beside },
    ...(follows === undefined ? {} : { follows }),
  }
}

/** We hold what is nobody's yet; or we have paid out more than was promised. */
const tooMuchSide = ({ direction }: Attempt) => (direction === 'COLLECT' ? 'CREDIT' : 'DEBIT')

/** `nothing` when this incident was open (or resolved) already; `stale` when the attempt moved. */
export async function openContradiction(
  { db, wake }: { db: Db; wake: () => void },
  received: AnswerReceived,
  contradicted: ContradictedAttempt,
  reported: Contradiction,
): Promise<'moved' | 'nothing' | 'stale'> {
  const { attempt } = contradicted
  const news = await newsOf(db, attempt, reported)
  if (news === undefined && !endsWithoutNews(attempt, reported)) return 'nothing'
  const { parts, same, done } =
    news === undefined
      ? endKnown(db, received, contradicted, reported)
      : openNew(db, received, contradicted, news)
  const [row] = await retryOnDeadlock(() =>
    composed(homeOf(db, attempt.merchant_id), parts, selectCounts(db, [same, done])),
  )
  if (row?.[same.name] !== 1n) return 'stale'
  if (row[done.name] !== 1n) return 'nothing'
  wake()
  return 'moved'
}

/** `same`: the attempt as it was decided from. `done`: has a row where it was not so before. */
type Statement = Readonly<{ parts: readonly Part<never>[]; same: Part; done: Part }>

function openNew(
  db: Db,
  received: AnswerReceived,
  { attempt, eventsOf, payment_id, extraParts }: ContradictedAttempt,
  { decision, follows }: News,
): Statement {
  const { merchant_id, environment } = attempt
  const incident = incidentOf(attempt, decision, { payment_id, follows })
  const posting = {
    merchant_id,
    environment,
    gate_id: incident.id,
    cause_kind: 'INCIDENT' as const,
    cause_id: incident.id,
    attempt_id: attempt.id,
    lines: linesOf(attempt, incident, decision),
  }
  const extra = extraParts?.(incident)
  const same = attemptAsDecided(db, attempt, { when: extra?.when })
  const opened = openIncident(db, incident, { when: same })
  const gate = { when: opened }
  // What is left of several payments is decided by itself, and ends the attempt then.
  const ends = decision.then_confirm === undefined ? [endingOf(incident.id, attempt, decision)] : []
  const parts = [
    ...(extra?.before ?? []),
    same,
    opened,
    postEntries(db, [posting], gate),
    endAttempts(db, ends, { ...gate, is_taken: isTaken(decision) }),
    ...(extra?.after(gate) ?? []),
    recordEvents(db, [...eventsOf(incident), ...(extra?.events ?? [])], gate),
    ...callbackParts(db, received, incident.id, gate),
  ]
  return { parts, same, done: opened }
}

/** The whole of a second capture may be in incidents already, as another amount. */
const endsWithoutNews = ({ status }: Attempt, { type, then_confirm }: Contradiction): boolean =>
  type === 'DUPLICATE_CAPTURE' && then_confirm === undefined && status !== 'SUCCESS'

/** Its attempt ends all the same, by its own row, and so does the payment of its session. */
function endKnown(
  db: Db,
  received: AnswerReceived,
  { attempt, extraParts }: ContradictedAttempt,
  decision: Contradiction,
): Statement {
  const { id } = attempt
  const extra = extraParts?.({ id, type: decision.type })
  const same = attemptAsDecided(db, attempt, { when: extra?.when })
  const gate = { when: same }
  const ended = endAttempts(db, [endingOf(id, attempt, decision)], gate)
  const parts = [
    ...(extra?.before ?? []),
    same,
    ended,
    ...(extra?.after(gate) ?? []),
    recordEvents(db, extra?.events ?? [], gate),
    ...callbackParts(db, received, id, gate),
  ]
  return { parts, same, done: ended }
}

function incidentOf(
  attempt: Attempt,
  decision: Contradiction,
  of: Readonly<{ payment_id: string | undefined; follows: string | undefined }>,
): NewIncident {
  const { type, amount, currency, beside } = decision
  const follows = of.follows ?? (type === 'AMOUNT_MISMATCH' ? attempt.booked_by : null)
  const corrects = follows ?? attempt.booked_by
  // It was collected and taken back, or more was paid out than promised.
  const weAreShort = (attempt.direction === 'COLLECT') === cameBack(decision)
  return {
    merchant_id: attempt.merchant_id,
    environment: attempt.environment,
    id: newId(),
    type,
    attempt_id: attempt.id,
    transaction_id: of.payment_id ?? attempt.transaction_id,
    settlement_id: attempt.settlement_id,
    refund_id: attempt.refund_id,
    callback_id: null,
    follows,
    gateway_id: attempt.gateway_id,
    country: attempt.country_code,
    currency,
    amount,
    suspense_side: amount === 0n ? null : weAreShort ? 'DEBIT' : 'CREDIT',
    detail: {
      external_reference: beside?.[0]?.external_reference ?? decision.external_reference,
      ...(decision.references === undefined ? {} : { references: decision.references }),
      ...(beside === undefined
        ? {}
        : { captured: beside.map(({ external_reference }) => external_reference) }),
      ...(decision.why === undefined ? {} : { why: decision.why }),
      ...(corrects === null ? {} : { follows: corrects }),
    },
  }
}

/** It was in the books: what was collected was taken back, or what was paid out came back. */
const cameBack = ({ type, less }: Contradiction): boolean =>
  type === 'REVERSED_AFTER_SUCCESS' || type === 'RETURNED' || less === true

/** An operator that names an amount it moved has taken the attempt, whatever the amount. */
const isTaken = ({ type, less }: Contradiction): boolean =>
  type === 'AMOUNT_MISMATCH' && less !== true

function linesOf(
  attempt: Attempt,
  incident: NewIncident,
  decision: Contradiction,
): readonly Line[] {
  const { amount } = decision
  const { merchant_id, environment, country, currency, gateway_id } = incident
  const place = { merchant_id, environment, country, currency }
  const where = { place, incident_id: incident.id, gateway_id, float: floatOf(attempt) }
  const back = cameBack(decision)
  if (attempt.direction === 'COLLECT') {
    return back ? reversedToSuspense(where, amount) : capturedToSuspense(where, amount)
  }
  return back ? payoutReturnedToSuspense(where, amount) : paidToSuspense(where, amount)
}

const hourS = 3600

/**
 * A second capture ends its attempt; another amount leaves an open attempt open, queried hourly.
 */
function endingOf(gate_id: string, attempt: Attempt, decision: Contradiction) {
  const ended = decision.type === 'DUPLICATE_CAPTURE' || decision.type === 'PAID_AFTER_RELEASE'
  const mismatch = decision.type === 'AMOUNT_MISMATCH'
  const stays = mismatch && isOpen(attempt.status) ? 'UNKNOWN' : attempt.status
  return endOf(attempt, {
    gate_id,
    status: ended ? 'SUCCESS' : stays,
    gateway_ended: ended || attempt.gateway_ended,
    external_reference: decision.external_reference,
    failure_code: ended ? '' : attempt.failure_code,
    gateway_detail: mismatch ? 'another amount was confirmed' : '',
    ask_after_s: stays === 'UNKNOWN' && !ended ? hourS : (decision.ask_again_after_s ?? null),
  })
}
