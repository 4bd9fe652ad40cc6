// What was heard becomes what is so: decide, then one statement that moves status, log, attempt,
// entries, balance and event together, or nothing. If somebody moved it meanwhile the statement
// finds no row, and the decision is made again from what is true now. Never twice, whoever calls.

import type { Attempt, AttemptKeyOf } from '../attempts/attempt.ts'
import { wakeAttempt } from '../attempts/attempt-record.ts'
import { attemptAsDecided, endAttempts } from '../attempts/statements.ts'
import type { FeedKey, NewEvent } from '../events/event.ts'
import { recordEvents } from '../events/statements.ts'
import type { NewIncident } from '../incidents/incident.ts'
import { payinSuccess } from '../ledger/postings.ts'
import { again, type Db, type Fragment } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { inTurn } from '../platform/in-turn.ts'
import { idsOf, joined } from '../platform/sql.ts'
import { type Decision, decide, type Facts } from './decide.ts'
import { callbackParts, evidenceOf, type Heard, storableAnswer } from './heard.ts'
import { incidentEvent } from './incident-event.ts'
import { endOf, eventOf, moveOf } from './move.ts'
import { type Alongside, openContradiction } from './open-contradiction.ts'
import { isOvertaken, moveOrdered, overtaken, type WithSession, withSession } from './ordered.ts'
import { endPayoutHold } from './payout-hold.ts'
import { settle } from './settle.ts'
import { moveStatus, transactionAsDecided } from './statements.ts'
import { findHeld, type Held } from './store.ts'

export type ApplyDeps = Readonly<{
  db: Db
  /** Tells the sequencer of this process that an event was written. */
  wake: () => void
}>

/** An attempt with what it is for, as one snapshot saw them. */
export type Owned = Readonly<{ attempt: Attempt }>

export type Applied<H extends Owned = Held> = Readonly<{
  decision: Decision
  /** As it was when decided; `moved` says whether the decision then changed it. */
  held: H
  moved: boolean
}>

/** `stale`: somebody moved it first, so the decision is made again. */
export type Outcome = 'moved' | 'nothing' | 'stale'

export type Ending = Extract<Decision, { is: 'settle' | 'fail' }>

/**
 * What attempts are for: transactions here, settlements further down the list. What is heard is
 * decided in one way for both; what a move then writes is the owner's.
 */
export type AttemptOwner<H extends Owned> = Readonly<{
  find(db: Db, key: AttemptKeyOf): Promise<H | undefined>
  /** How it stands, in a transaction's words. */
  standing(held: H): Facts['transaction']
  /** One statement: the end of both, with all that belongs to it, or nothing. */
  end(deps: ApplyDeps, heard: Heard, held: H, ending: Ending): Promise<Outcome>
  /** What its merchant hears of an incident, gated by the incident's id. */
  eventsOf(incident: NewIncident, held: H): readonly (NewEvent & FeedKey)[]
  /** What ends with the attempt where an incident is all that becomes of it. */
  alongside?(db: Db, incident: NewIncident, held: H): Alongside | undefined
}>

export const ofTransactions: AttemptOwner<WithSession> = {
  find: async (db, key) => {
    const held = await findHeld(db, key)
    return held && withSession(db, held)
  },
  standing: ({ transaction, session }) =>
    session === undefined
      ? transaction
      : { ...transaction, paid_by_another: isOvertaken(transaction, session) },
  end: moveBoth,
  eventsOf: (incident, held) => [incidentEvent(incident.id, incident, held)],
  alongside: overtaken,
}

const triesMax = 8

/**
 * Undefined when there is no such attempt. `seen`: how it stood a moment ago, where the caller has
 * just looked; if it has moved since, it is looked at again.
 */
export const applyAnswer = (
  deps: ApplyDeps,
  told: Heard,
  seen?: Held,
): Promise<Applied | undefined> =>
  // A payment that a session asked for is looked at again, together with its session.
  applyTo(
    ofTransactions,
    deps,
    told,
    seen?.transaction.checkout_session === null ? seen : undefined,
  )

/** The same, whosever attempt it is. */
export async function applyTo<H extends Owned>(
  owner: AttemptOwner<H>,
  deps: ApplyDeps,
  told: Heard,
  seen?: H,
): Promise<Applied<H> | undefined> {
  const heard = { ...told, answer: storableAnswer(told.answer) }
  const key = { merchant_id: heard.merchant_id, id: heard.attempt_id }
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const held = (tries === 1 ? seen : undefined) ?? (await owner.find(deps.db, key))
    if (held === undefined) return undefined
    const decision = decide({
      attempt: asWhenAsked(held.attempt, heard),
      transaction: owner.standing(held),
      answer: heard.answer,
      evidence: { kind: heard.evidence_kind },
      gateway: heard.gateway,
      otp_in_hand: heard.otp_in_hand ?? false,
      send: sendOf(heard, held.attempt),
      asked_when: heard.asked_when,
    })
    const outcome = await carryOut({ owner, deps, heard }, held, decision)
    if (outcome !== 'stale') return { decision, held, moved: outcome === 'moved' }
  }
  throw new Error(`attempt ${heard.attempt_id} moved under us ${triesMax} times`)
}

function sendOf(heard: Heard, attempt: Attempt): Facts['send'] {
  if (heard.evidence_kind !== 'CREATE_ANSWER') return undefined
  if (attempt.lease_no !== heard.under_lease) return 'outdated'
  return heard.under_lease === 1n ? 'only' : 'again'
}

/** A "not found" counts from when it was asked: the process may have stood still since. */
function asWhenAsked(attempt: Attempt, { asked_age_s, asked_not_found_s }: Heard): Attempt {
  const grace_age_s = Math.min(attempt.grace_age_s, asked_age_s ?? attempt.grace_age_s)
  const { not_found_age_s: now_s } = attempt
  // Unsaid since, or said by nobody when this question was put: then it is said for the first time.
  const isSaid = now_s !== null && asked_not_found_s != null
  return { ...attempt, grace_age_s, not_found_age_s: isSaid ? asked_not_found_s : null }
}

type CarryingOut<H extends Owned> = { owner: AttemptOwner<H>; deps: ApplyDeps; heard: Heard }

async function carryOut<H extends Owned>(
  { owner, deps, heard }: CarryingOut<H>,
  held: H,
  decision: Decision,
): Promise<Outcome> {
  const { attempt } = held
  switch (decision.is) {
    case 'settle':
    case 'fail':
      return owner.end(deps, heard, held, decision)
    case 'end_attempt':
      return endOnly(deps, heard, attempt, decision)
    case 'incident': {
      const eventsOf = (incident: NewIncident) => owner.eventsOf(incident, held)
      const alongside = (incident: NewIncident) => owner.alongside?.(deps.db, incident, held)
      return openContradiction(deps, heard, { attempt, eventsOf, alongside }, decision)
    }
    case 'ask':
      await wakeAttempt(deps.db, attempt)
      return 'nothing'
    default:
      return 'nothing'
  }
}

async function moveBoth(
  { db, wake }: ApplyDeps,
  heard: Heard,
  held: WithSession,
  decision: Ending,
): Promise<Outcome> {
  const { attempt, transaction, session } = held
  const paid = decision.is === 'settle'
  const failure_code = paid ? '' : decision.failure_code
  const move = moveOf(transaction, attempt, {
    to_status: paid ? 'SUCCESS' : 'FAILED',
    external_reference: decision.external_reference || attempt.external_reference,
    failure_code,
    reason: paid ? 'gateway confirmed' : `gateway refused: ${failure_code}`,
    triggered_by: heard.triggered_by,
    evidence: evidenceOf(heard),
    request_id: heard.request_id,
  })
  const end = endOf(attempt, {
    gate: transaction.id,
    status: paid ? 'SUCCESS' : 'FAILED',
    gateway_ended: true,
    external_reference: decision.external_reference,
    failure_code,
    gateway_detail: paid ? '' : decision.detail,
    ask_after_s: null,
  })
  const event = eventOf(transaction, attempt, move)
  const { callback } = heard
  if (transaction.flow_direction === 'OUTBOUND') {
    const parts = [
      ...moveStatus(db, [move], 'same'),
      endAttempts(db, 'moved', [end]),
      ...endPayoutHold(db, held, paid ? 'SPEND' : 'RELEASE'),
      recordEvents(db, 'moved', [event]),
    ]
    if (!(await moveUnderLock(db, heard, held, parts))) return 'stale'
    wake()
    return 'moved'
  }
  if (session !== undefined) {
    const posting = paid ? successPosting(held) : undefined
    const moving = { move, end, event, posting, asDecided: asDecidedAfter(db, heard, held) }
    if (!(await moveOrdered(db, heard, { ...held, session }, moving))) return 'stale'
    wake()
    return 'moved'
  }
  const moved = paid
    ? await settle(db, {
        move,
        end,
        posting: successPosting(held),
        event,
        callback: callback && { ...callback, gate: transaction.id },
      })
    : await moveUnderLock(db, heard, held, [
        ...moveStatus(db, [move], 'same'),
        endAttempts(db, 'moved', [end]),
        recordEvents(db, 'moved', [event]),
      ])
  if (!moved) return 'stale'
  wake()
  return 'moved'
}

/** The parts of a move, in one statement, while everything is as it was decided from. */
async function moveUnderLock(db: Db, heard: Heard, held: Held, move: Fragment[]): Promise<boolean> {
  const kept = callbackParts(db, heard, held.transaction.id, 'moved')
  const parts = [...asDecided(db, heard, held), ...move, ...kept]
  const rows = await inTurn(db, held.attempt, () => joined(db, parts, idsOf(db, 'moved')))
  return rows.length > 0
}

/**
 * A refusal ends the payment only while its attempt is the one under way: the next route's start
 * changes no version. A success settles whatever is under way.
 */
const asDecided = (db: Db, heard: Heard, held: Held): Fragment[] =>
  asDecidedAfter(db, heard, held)(undefined)

/** The same, once the relation `gate` has locked what is locked before a transaction. */
const asDecidedAfter =
  (db: Db, heard: Heard, { attempt, transaction: { id, version } }: Held) =>
  (gate: string | undefined): Fragment[] => [
    transactionAsDecided(db, { merchant_id: attempt.merchant_id, id, version }, gate),
    // Who has asked since knows better than an old refusal, and no better than an old success.
    attemptAsDecided(db, { ...attempt, under_lease: leaseOf(heard) }, 'unmoved'),
  ]

const leaseOf = ({ answer, under_lease }: Heard) =>
  answer.is === 'confirmed' ? undefined : under_lease

function successPosting({ attempt, transaction }: Held) {
  assert(transaction.flow_direction === 'INBOUND', 'payouts settle by their own postings')
  const { merchant_id, environment, country_code: country, currency } = attempt
  return {
    merchant_id,
    environment,
    gate: transaction.id,
    cause_kind: 'TRANSACTION' as const,
    cause_id: transaction.id,
    attempt_id: attempt.id,
    lines: payinSuccess(
      { merchant_id, environment, country, currency },
      attempt.gateway_id,
      attempt,
    ),
  }
}

/** What it was for has ended without this attempt; the attempt's own end is still written. */
async function endOnly(
  { db }: ApplyDeps,
  heard: Heard,
  attempt: Attempt,
  decision: Extract<Decision, { is: 'end_attempt' }>,
): Promise<Outcome> {
  const end = endOf(attempt, {
    gate: attempt.id,
    status: 'FAILED',
    gateway_ended: true,
    external_reference: decision.external_reference,
    failure_code: decision.failure_code,
    gateway_detail: decision.detail,
    ask_after_s: null,
  })
  const parts = [
    attemptAsDecided(db, attempt, null),
    endAttempts(db, 'same', [end]),
    ...callbackParts(db, heard, attempt.id, 'same'),
  ]
  const rows = await again(() => joined(db, parts, idsOf(db, 'attempt_ended')))
  return rows.length > 0 ? 'moved' : 'stale'
}
