// What an attempt is for: a transaction, a settlement or a refund. The engine in this folder sends,
// queries and ends attempts of all three in the same way and knows none by name; what only one of
// them can read or write stands behind this interface.

import type { FeedKey } from '../events/event.ts'
import type { Health } from '../gateways/health.ts'
import type { Db, Sql, Tx } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import type { Part } from '../platform/sql.ts'
import type { AnswerReceived } from './answer-received.ts'
import type { Attempt, AttemptKeyOf } from './attempt.ts'
import type { Contradiction, Ending, PurposeState, Requeueing, Returning } from './decision.ts'
import type { Cause } from './evidence.ts'

export type ApplyDeps = Readonly<{
  db: Db
  /**
   * Wakes the sequencers, because an event was written. Where the statement has numbered it
   * (`recordNumbered`), they are given its feed: among very many they find it late by themselves.
   */
  wake: (numbered_in?: FeedKey) => void
  /** Counts how payments end, by route. Absent: nobody does. */
  health?: Pick<Health, 'count' | 'now'>
  /** Called for each that goes back to waiting, because its operator has no float of ours. */
  requeued?: (gateway_code: string) => void
}>

/** An attempt and, in each purpose's own type, what it is for: what a decision is made from. */
export type AttemptContext = Readonly<{ attempt: Attempt }>

/** `stale`: it was moved first by another, so the decision is made again. */
export type Outcome = 'moved' | 'nothing' | 'stale'

/** What was decided, and the answer that it was decided from: its evidence. */
export type Decided<D> = Readonly<{ decision: D; received: AnswerReceived }>

/** What two people have decided of an attempt whose operator never reported its outcome. */
export type StaffClosure = Readonly<{ paid: boolean; person: Person }>

/**
 * A context goes back only to the purpose that found it. What is written is one statement each: it
 * happens whole while everything is as it was read, or not at all.
 */
export type Purpose<C extends AttemptContext = AttemptContext> = Readonly<{
  owns(attempt: ForOne): boolean
  /** Undefined for an attempt that does not exist or is for something else. */
  find(db: Db, key: AttemptKeyOf): Promise<C | undefined>
  /** The same in an open transaction, and no more than `closeByStaff` needs. */
  findIn(tx: Tx, key: AttemptKeyOf): Promise<C | undefined>
  stateOf(context: C): PurposeState
  /** What a gateway is sent beside the attempt's figures. */
  textsOf(context: C): Readonly<{ description: string; return_url: string }>
  /** The end of the attempt and of what it is for, with everything that belongs to it. */
  end(deps: ApplyDeps, context: C, decided: Decided<Ending>): Promise<Outcome>
  /** The attempt ends alone and what it is for waits to be sent again; where it `may_wait`. */
  requeue?(deps: ApplyDeps, context: C, decided: Decided<Requeueing>): Promise<Outcome>
  /** What was paid out is the merchant's again; where it can be `ASKED` for. */
  giveBack?(deps: ApplyDeps, context: C, decided: Decided<Returning>): Promise<Outcome>
  /** Opens the incident of a contradiction, with the events that its merchant gets of it. */
  contradict(deps: ApplyDeps, context: C, decided: Decided<Contradiction>): Promise<Outcome>
  /** Keeps the gateway's reference, while what it is for waits as it was read. */
  noteReference(sql: Sql, context: C, external_reference: string): Part
  /** The query time is over without evidence (money 1). */
  giveUp(deps: ApplyDeps, context: C, cause: Cause): Promise<void>
  /** False when it is not open any more, because the operator has answered after all. */
  closeByStaff(tx: Tx, context: C, closure: StaffClosure): Promise<boolean>
}>

type ForOne = Pick<Attempt, 'id' | 'transaction_id' | 'settlement_id' | 'refund_id'>

export function purposeOf(purposes: readonly Purpose[], attempt: ForOne): Purpose {
  const found = purposes.find((purpose) => purpose.owns(attempt))
  assert(found !== undefined, `attempt ${attempt.id} is for nothing that is known`)
  return found
}

/** The id of what it carries out. */
export function purposeIdOf({ id, transaction_id, settlement_id, refund_id }: ForOne): string {
  const found = transaction_id ?? settlement_id ?? refund_id
  assert(found !== null, `attempt ${id} is for nothing`)
  return found
}
