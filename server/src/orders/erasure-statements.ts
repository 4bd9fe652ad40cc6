// Removes a person from checkout sessions: those that they paid, and those that were made for them.

import type { Fragment, Sql, Tx } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { eachGroup, homeOf } from '../platform/places/places.ts'
import { names, type Traces, without } from '../platform/traces.ts'

export type MadeFor = Readonly<{
  merchant_id: string
  environment: Environment
  emails: readonly string[]
  phones: readonly string[]
  names: readonly string[]
  /** Others have paid, or tried to, under an e-mail of theirs (`othersPaidUnder`). */
  is_shared: boolean
}>

/**
 * The sessions of the person: under their e-mail, unless it is another's by phone or name; and
 * without an e-mail under their phone. Each by an index of its own.
 */
function ofPerson(sql: Sql, { merchant_id, environment, ...person }: MadeFor): Fragment {
  const { emails, phones, names, is_shared } = person
  const tails = sql`${phones.map(tailOfPhone).filter((tail) => tail !== '')}::text[]`
  const known = {
    tails,
    names: sql`array(select ${plainName(sql, sql`one`)} from unnest(${[...names]}::text[]) one)`,
    is_shared: sql`${is_shared}::boolean`,
  }
  const session = sql`checkout_sessions`
  const sessions = sql`
    select id, status, created_at from checkout_sessions
     where merchant_id = ${merchant_id} and environment = ${environment}`
  return sql`
    ${sessions} and customer_email <> '' and lower(customer_email) = any(${[...emails]}::text[])
       and ${isOfPerson(sql, session, known)}
     union all
    ${sessions} and ${isByPhoneAlone(sql, { session, tails })}`
}

const tailOfPhone = (phone: string): string => phone.replace(/\D/g, '').slice(-8)

const tailOf = (sql: Sql, phone: Fragment): Fragment =>
  sql`right(regexp_replace(${phone}, '[^0-9]', '', 'g'), 8)`

/** A whole name, however it is written. */
export const plainName = (sql: Sql, name: Fragment): Fragment =>
  sql`fold_text(btrim(regexp_replace(${name}, '\\s+', ' ', 'g')))`

/** What is known of the person beside their e-mails, as expressions. */
export type Known = Readonly<{
  /** The last eight digits of each number of theirs: an array. */
  tails: Fragment
  /** Each name of theirs, plain: an array. */
  names: Fragment
  is_shared: Fragment
}>

/**
 * Whether a session under the person's e-mail is theirs. An address may be a family's, or what a
 * shop writes for everybody: it is theirs by its phone; and without one by its name, where others
 * pay under the address as well. What they paid themselves is found by their payments.
 */
export const isOfPerson = (sql: Sql, session: Fragment, known: Known): Fragment => sql`
  case when ${session}.customer_phone <> ''
            then ${tailOf(sql, sql`${session}.customer_phone`)} = any(${known.tails})
       else not ${known.is_shared}
            or ${plainName(sql, sql`${session}.customer_name`)} = any(${known.names}) end`

type Address = Readonly<{
  merchant_id: string
  environment: Environment
  customer_id: string
  /** An array. */
  emails: Fragment
}>

/** Whether anybody else has paid, or tried to, a session under these e-mails: an expression. */
export const othersPaidUnder = (sql: Sql, of: Address): Fragment => sql`
  exists (select 1 from checkout_sessions s
            join transactions t on t.merchant_id = ${of.merchant_id} and t.id = s.transaction_id
           where s.merchant_id = ${of.merchant_id} and s.environment = ${of.environment}
             and s.customer_email <> '' and lower(s.customer_email) = any(${of.emails})
             and t.customer_id is distinct from ${of.customer_id}::uuid)`

/** Whether the address of the person is others' as well. */
export async function isSharedAddress(
  sql: Sql,
  of: Omit<Address, 'emails'> & Readonly<{ emails: readonly string[] }>,
): Promise<boolean> {
  const emails = sql`${[...of.emails]}::text[]`
  const [row] = await homeOf(sql, of.merchant_id)<{ is_shared: boolean }[]>`
    select ${othersPaidUnder(sql, { ...of, emails })} as is_shared`
  return row?.is_shared ?? false
}

/** Whether a session, opened by a payment link, has no e-mail and a number of the person. */
export const isByPhoneAlone = (
  sql: Sql,
  { session, tails }: Readonly<{ session: Fragment; tails: Fragment }>,
): Fragment => sql`
  ${session}.customer_email = '' and ${session}.customer_phone <> ''
  and ${tailOf(sql, sql`${session}.customer_phone`)} = any(${tails})`

/** A session that may still be paid. */
export async function hasOpenSession(sql: Sql, of: MadeFor): Promise<boolean> {
  const rows = await homeOf(sql, of.merchant_id)`
    select 1 from (${ofPerson(sql, of)}) s where status = 'PENDING' limit 1`
  return rows.count > 0
}

/** Those that the person paid. Returns their ids: their events must be erased too. */
export const erasePaidSessions = (
  tx: Tx,
  of: Readonly<{ merchant_id: string; session_ids: readonly string[] }>,
  traces: Traces,
): Promise<string[]> =>
  of.session_ids.length === 0
    ? Promise.resolve([])
    : erase(
        tx,
        tx`select id from checkout_sessions
            where merchant_id = ${of.merchant_id} and id = any(${[...of.session_ids]}::uuid[])`,
        { merchant_id: of.merchant_id, traces },
      )

/** Of those made for the person: how many, looking at so many. */
export async function countSessionsFor(
  sql: Sql,
  of: MadeFor & Readonly<{ limit: number }>,
): Promise<number> {
  const rows = await homeOf(sql, of.merchant_id)`
    select 1 from (${ofPerson(sql, of)}) s limit ${of.limit}`
  return rows.count
}

/**
 * A portion of those made for the person until they were forgotten. One that can still be paid is
 * left: it forbids the erasure, so it was made beside it.
 */
export const eraseSessionsFor = (
  tx: Tx,
  of: MadeFor & Readonly<{ forgotten_at: Date; limit: number }>,
  traces: Traces,
): Promise<string[]> =>
  erase(
    tx,
    tx`select id from (${ofPerson(tx, of)}) s
        where status <> 'PENDING' and created_at <= ${of.forgotten_at} limit ${of.limit}`,
    { merchant_id: of.merchant_id, traces },
  )

/** The payments by which these sessions were paid, or last tried: their events stand under them. */
export async function listPaymentsFor(
  sql: Sql,
  { merchant_id, session_ids }: Readonly<{ merchant_id: string; session_ids: readonly string[] }>,
): Promise<string[]> {
  if (session_ids.length === 0) return []
  const rows = await homeOf(sql, merchant_id)<{ id: string }[]>`
    select distinct transaction_id as id from checkout_sessions
     where merchant_id = ${merchant_id} and id = any(${[...session_ids]}::uuid[])
       and transaction_id is not null`
  return rows.map(({ id }) => id)
}

async function erase(
  tx: Tx,
  which: Fragment,
  { merchant_id, traces }: Readonly<{ merchant_id: string; traces: Traces }>,
): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    update checkout_sessions
       set customer_email = '', customer_name = '', customer_phone = '',
           description = ${without(tx, tx`description`, traces)},
           merchant_reference = ${without(tx, tx`merchant_reference`, traces)},
           return_url = ${without(tx, tx`return_url`, traces)},
           metadata = case when ${names(tx, tx`metadata::text`, traces)} then '{}'::jsonb
                           else metadata end
     where id in (${which}) and merchant_id = ${merchant_id}
    returning id`
  return rows.map(({ id }) => id)
}

/**
 * Removes the payer from sessions that ended unpaid and have not changed for so many days since.
 */
async function eraseUnpaid(
  sql: Sql,
  { days, limit }: Readonly<{ days: number; limit: number }>,
): Promise<number> {
  const rows = await eachGroup(
    sql,
    (at) => at<{ one: number }[]>`
    update checkout_sessions
       set customer_email = '', customer_name = '', customer_phone = ''
     where (merchant_id, id) in (
           select merchant_id, id from checkout_sessions
            where status in ('EXPIRED', 'CANCELLED')
              and (customer_email <> '' or customer_phone <> '' or customer_name <> '')
              and updated_at < now() - ${days} * interval '1 day' and pending_payment is null
            order by updated_at limit ${limit} for update skip locked)
    returning 1 as one`,
  )
  return rows.length
}

// A session that ended unpaid long ago keeps what was requested, and forgets the payer.

export const forgetUnpaid = (
  sql: Sql,
  portion: Readonly<{ days: number; limit: number }>,
): Promise<number> => eraseUnpaid(sql, portion)
