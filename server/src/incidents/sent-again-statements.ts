// What an operator took nothing of for want of our float is sent again: when, to whom, and until
// when; and whether it may be. An operator, or somebody, may have said something of an ended
// attempt since: then what it was for is neither sent again nor given back before it is known what
// was paid.

import { wasRefusedBy } from '../attempts/attempt-statements.ts'
import type { Room } from '../gateways/read-balances.ts'
import type { Fragment, Sql } from '../platform/db.ts'
import { homeOf } from '../platform/places/places.ts'

/** Of an attempt `a`: neither its operator nor people have said yet what was paid by it. */
const isUndecided = (sql: Sql): Fragment => sql`
  (a.due_at is not null
   or exists (select 1 from incidents i
               where i.merchant_id = a.merchant_id and i.attempt_id = a.id
                 and i.status = 'OPEN'
                 and (i.suspense_side is not null or i.detail ? 'after_its_end')))`

/**
 * The same, or people have booked what was paid by it, or borne it ourselves: then nothing more is
 * sent for it.
 */
export const isPerhapsPaid = (sql: Sql): Fragment => sql`
  (a.booked_amount > 0
   or ${isUndecided(sql)}
   or exists (select 1 from incidents i
               where i.merchant_id = a.merchant_id and i.attempt_id = a.id
                 and i.resolution = 'WRITE_OFF' and i.suspense_side = 'DEBIT'
                 and i.status = 'RESOLVED'))`

/** Those that carry out what row `of` is, by their column `by`. */
const attemptsFor = (sql: Sql, by: CarriedOut['by'], of: string): Fragment => sql`
  attempts a where a.merchant_id = ${sql(of)}.merchant_id and a.${sql(by)} = ${sql(of)}.id`

/** Whether what row `of` is has an attempt that is undecided. */
export const hasUndecidedOf = (sql: Sql, by: CarriedOut['by'], of: string): Fragment => sql`
  exists (select 1 from ${attemptsFor(sql, by, of)} and ${isUndecided(sql)})`

/** The same, for one by which its money may be there already. */
export const mayBePaidOf = (sql: Sql, by: CarriedOut['by'], of: string): Fragment => sql`
  exists (select 1 from ${attemptsFor(sql, by, of)} and ${isPerhapsPaid(sql)})`

/** What an attempt carries out: the column that names it, and its id. */
export type CarriedOut = Readonly<{
  merchant_id: string
  by: 'transaction_id' | 'settlement_id' | 'refund_id'
  id: string
}>

const attemptsOf = (sql: Sql, { merchant_id, by, id }: CarriedOut): Fragment => sql`
  attempts a where a.merchant_id = ${merchant_id} and a.${sql(by)} = ${id}`

/** Whether an attempt of it is undecided: then its hold stays. */
export async function hasUndecided(sql: Sql, of: CarriedOut): Promise<boolean> {
  const rows = await homeOf(sql, of.merchant_id)`
    select 1 from ${attemptsOf(sql, of)} and ${isUndecided(sql)} limit 1`
  return rows.count > 0
}

/** Whether its money may be there already: then it is not sent again. */
export async function mayBePaid(sql: Sql, of: CarriedOut): Promise<boolean> {
  const rows = await homeOf(sql, of.merchant_id)`
    select 1 from ${attemptsOf(sql, of)} and ${isPerhapsPaid(sql)} limit 1`
  return rows.count > 0
}

/**
 * Of an attempt `a`: another amount than was asked came, or went, by it: people look into that, or
 * have booked it. Whether its operator still has to say more of one that ended is not asked.
 */
const isOtherwise = (sql: Sql): Fragment => sql`
  (a.booked_amount > 0
   or exists (select 1 from incidents o
               where o.merchant_id = a.merchant_id and o.attempt_id = a.id
                 and o.type = 'AMOUNT_MISMATCH' and o.status = 'OPEN'))`

/** Whether such an amount came, or went, by an attempt of it. */
export async function cameOtherwise(sql: Sql, of: CarriedOut): Promise<boolean> {
  const rows = await homeOf(sql, of.merchant_id)`
    select 1 from ${attemptsOf(sql, of)} and ${isOtherwise(sql)} limit 1`
  return rows.count > 0
}

/** The same of what row `of` is. */
export const cameOtherwiseOf = (sql: Sql, by: CarriedOut['by'], of: string): Fragment => sql`
  exists (select 1 from ${attemptsFor(sql, by, of)} and ${isOtherwise(sql)})`

/** What people have booked as paid by its attempts, in hundredths. */
export async function sumBooked(sql: Sql, of: CarriedOut): Promise<bigint> {
  const [row] = await homeOf(sql, of.merchant_id)<{ sum: bigint }[]>`
    select coalesce(sum(a.booked_amount), 0)::bigint as sum from ${attemptsOf(sql, of)}`
  return row?.sum ?? 0n
}

/**
 * What waits for a float is sent again after so many seconds, twice as long each time. It waits for
 * so many hours at most (contract 8.24), counted from when it could first be sent.
 */
export const sentAgain = { after_s: 30, after_max_s: 1800, at_most_h: 72 } as const

/**
 * What is due and may not leave (staff have stopped it, people look into it) is put off for longer,
 * so many at once that it holds up nothing that may. Whoever sends looks again under the locks.
 */
export const putOff = { after_s: 300, at_once: 500 } as const

/** When what was claimed is looked at again, by `due.may_leave`. */
export const lookedAtAgain = (sql: Sql): Fragment => sql`
  now() + interval '1 second'
    * case when due.may_leave then ${sentAgain.after_s}::int else ${putOff.after_s}::int end`

/**
 * When it is sent again, and when it ends, by its attempts: the first was made when it could go.
 */
export const dueAgain = (sql: Sql, of: CarriedOut): Fragment => sql`
  select now() + interval '1 second'
           * least(${sentAgain.after_s} * 2 ^ least(count(*), 10), ${sentAgain.after_max_s})
           as again_at,
         min(a.created_at) + ${sentAgain.at_most_h} * interval '1 hour' as over_at
    from ${attemptsOf(sql, of)}`

/** A row that waits for a float: its name in the statement, and the columns that say whose. */
export type WaitingRow = Readonly<{
  by: CarriedOut['by']
  of: string
  country: 'country' | 'country_code'
  /** What its receiver gets. */
  sum: 'net_amount' | 'amount'
}>

/**
 * By what people have marked: all that wait in the country. By what an operator shows: those that
 * it had refused before, and that are no more than it holds now; its sandbox may count in a
 * currency of its own.
 */
export function fitsRoom(sql: Sql, room: Room, row: WaitingRow): Fragment {
  const { of, country, sum } = row
  if ('waited_for' in room) return sql`${sql(of)}.${sql(country)} = ${room.country}`
  const { environment, gateway_id, asked_at, pays_in, currency, amount } = room
  return sql`
    ${sql(of)}.${sql(sum)} <= ${amount}
    and (${sql(of)}.currency = ${currency} or ${environment} = 'SANDBOX')
    and ${sql(of)}.${sql(country)} = coalesce(${pays_in}::text, ${sql(of)}.${sql(country)})
    and ${wasRefusedBy(sql, { gateway_id, asked_at }, row)}`
}

/** The gateways that were asked to carry it out, oldest first. */
export async function listTried(sql: Sql, of: CarriedOut): Promise<string[]> {
  const rows = await homeOf(sql, of.merchant_id)<{ gateway_id: string }[]>`
    select a.gateway_id from ${attemptsOf(sql, of)} order by a.created_at, a.priority, a.id`
  return rows.map(({ gateway_id }) => gateway_id)
}
