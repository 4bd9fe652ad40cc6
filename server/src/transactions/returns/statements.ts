// How far a payout is on its way back stands on its own row, and changes under that row's lock:
// what two people ask for and what the operator says of itself exclude each other, and it is booked
// once. The questions to operators stand in `payout_reversals`.

import type { ReturnState } from '../../attempts/decision.ts'
import type { Sql, Tx } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { eachGroup, homeOf } from '../../platform/places/places.ts'
import { type Gate, type OptionalGate, type Part, part } from '../../platform/sql.ts'
import type { TransactionKey } from '../transaction.ts'

/**
 * `return_found as (…)`: its operator says first that it came back. Locks the payout before its
 * attempt; no row where it was asked for, or known, since it was read.
 */
export const markFound = (sql: Sql, key: TransactionKey): Part =>
  part(
    'return_found',
    sql`return_found as (
    update transactions set return_state = 'FOUND', updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id} and status = 'SUCCESS'
       and return_state is null
    returning id)`,
  )

export type Returned = TransactionKey &
  Readonly<{
    from: Exclude<ReturnState, 'RETURNED'>
    version: number
    /** What is available again. Hundredths. */
    amount: bigint
    returned_at: Date
  }>

/** `payout_returned as (…)`: it is the merchant's again, while it is as it was read. */
export const markReturned = (sql: Sql, back: Returned, { when }: OptionalGate = {}): Part =>
  part(
    'payout_returned',
    sql`payout_returned as (
    update transactions
       set return_state = 'RETURNED', returned_at = ${back.returned_at},
           returned_amount = ${back.amount}, version = version + 1,
           refund_changes = refund_changes + 1, updated_at = now()
     where merchant_id = ${back.merchant_id} and id = ${back.id}
       and version = ${back.version} and return_state = ${back.from}
       ${when === undefined ? sql`` : sql`and exists (select 1 from ${sql(when.name)})`}
    returning id)`,
  )

/** `reversal_ended as (…)`: the open question of a payout that is back. */
export const endReversal = (sql: Sql, key: TransactionKey, { when }: Gate): Part =>
  part(
    'reversal_ended',
    sql`reversal_ended as (
    update payout_reversals set status = 'SUCCESS', due_at = null, ended_at = now()
     where merchant_id = ${key.merchant_id} and transaction_id = ${key.id}
       and status = 'PENDING' and exists (select 1 from ${sql(when.name)})
    returning id)`,
  )

// The statements about reversals that are not part of a composed one.

export type NewReversal = Readonly<{
  merchant_id: string
  id: string
  environment: Environment
  transaction_id: string
  attempt_id: string
  note: string
  proposed_by: string
  confirmed_by: string
}>

/** False where the payout is no longer one that can be asked for. */
export async function insertReversal(tx: Tx, made: NewReversal): Promise<boolean> {
  const asked = await tx`
    update transactions set return_state = 'ASKED', updated_at = now()
     where merchant_id = ${made.merchant_id} and id = ${made.transaction_id}
       and transaction_type = 'RETRAIT' and status = 'SUCCESS' and return_state is null
       and settled_attempt = ${made.attempt_id}`
  if (asked.count === 0) return false
  await tx`
    insert into payout_reversals (merchant_id, id, environment, transaction_id, attempt_id, note,
      proposed_by, confirmed_by)
    values (${made.merchant_id}, ${made.id}, ${made.environment}, ${made.transaction_id},
      ${made.attempt_id}, ${made.note}, ${made.proposed_by}, ${made.confirmed_by})`
  return true
}

export type DueReversal = Readonly<{
  merchant_id: string
  id: string
  environment: Environment
  transaction_id: string
  attempt_id: string
  /** With the one that is due now. */
  sends: number
  answered: string
  age_s: number
}>

const lease_s = 60
const slowest_s = 900

/**
 * Those that are due, each for one worker, and put down as sent before they are: who dies leaves
 * them due again later, ever more rarely.
 */
export const claimDueReversals = (sql: Sql, limit: number): Promise<DueReversal[]> =>
  eachGroup(
    sql,
    (at) => at<DueReversal[]>`
  update payout_reversals r
     set sends = r.sends + 1,
         due_at = now() + interval '1 second'
                  * least(greatest(${lease_s}, 5 * 2 ^ least(r.sends, 10)), ${slowest_s})
    from (select merchant_id, id from payout_reversals
           where due_at <= now() order by due_at limit ${limit} for update skip locked) d
   where r.merchant_id = d.merchant_id and r.id = d.id
  returning r.merchant_id, r.id, r.environment, r.transaction_id, r.attempt_id, r.sends,
            r.answered, extract(epoch from now() - r.created_at)::float8 as age_s`,
  )

/** What its operator answered to it, in our words. */
export async function noteAnswered(
  sql: Sql,
  { merchant_id, id }: Pick<DueReversal, 'merchant_id' | 'id'>,
  said: string,
): Promise<void> {
  await homeOf(sql, merchant_id)`
    update payout_reversals set answered = ${said}
     where merchant_id = ${merchant_id} and id = ${id} and status = 'PENDING'`
}

const look_every_h = 24
/** What comes back later is found by the operator's own word alone. Days. */
const looked_for_d = 30

export type DueLook = Pick<
  DueReversal,
  'merchant_id' | 'environment' | 'transaction_id' | 'attempt_id'
>

/**
 * Those that were given up and are looked for, each for one worker; the next look is put down with
 * the claim, the last one ends it. What has come back since, or was asked for again, is not.
 */
export const claimDueLooks = (sql: Sql, limit: number): Promise<DueLook[]> =>
  eachGroup(
    sql,
    (at) => at<DueLook[]>`
  update payout_reversals r
     set look_again_at = case
           when t.return_state is null
                and now() < r.ended_at + ${looked_for_d - 1} * interval '1 day'
           then now() + ${look_every_h} * interval '1 hour' end
    from (select merchant_id, id from payout_reversals
           where look_again_at <= now() order by look_again_at
           limit ${limit} for update skip locked) d,
         transactions t
   where r.merchant_id = d.merchant_id and r.id = d.id
     and t.merchant_id = r.merchant_id and t.id = r.transaction_id
  returning r.merchant_id, r.environment, r.transaction_id, r.attempt_id`,
  )

/**
 * It was refused, or nothing came of it; false where the payout has come back meanwhile, or another
 * has given this one up: the payout may have been asked for again since.
 */
export async function failReversal(tx: Tx, one: DueReversal): Promise<boolean> {
  const asked = await tx`
    select 1 from transactions
     where merchant_id = ${one.merchant_id} and id = ${one.transaction_id}
       and return_state = 'ASKED'
       for update`
  if (asked.count === 0) return false
  const ended = await tx`
    update payout_reversals
       set status = 'FAILED', due_at = null, ended_at = now(),
           look_again_at = now() + ${look_every_h} * interval '1 hour'
     where merchant_id = ${one.merchant_id} and id = ${one.id} and status = 'PENDING'`
  if (ended.count === 0) return false
  await tx`
    update transactions set return_state = null, updated_at = now()
     where merchant_id = ${one.merchant_id} and id = ${one.transaction_id}`
  return true
}

/** The database's time. */
export async function findNow(sql: Sql): Promise<Date> {
  const [row] = await sql<{ now: Date }[]>`select now()::timestamptz(3) as now`
  return row?.now ?? new Date()
}
