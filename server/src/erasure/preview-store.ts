// What an erasure would touch, read in one statement that looks at no more than so many rows of
// each kind: a history of millions costs what one of a thousand does. It locks nothing.

import {
  isByPhoneAlone,
  isOfPerson,
  othersPaidUnder,
  plainName,
} from '../orders/erasure-statements.ts'
import type { Fragment, Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'
import { isNamed } from '../transactions/erasure-statements.ts'
import { canBeTriedAgain, isCountedPayout } from './store.ts'

/** How many of each kind are looked at; of more it is only known that there are more. */
export const looked_at_max = 1000

export type Foreseen = Readonly<{
  transactions: number
  refunds: number
  checkout_sessions: number
  /** There is more of the kind than was looked at, or what it hangs on was not all looked at. */
  more_transactions: boolean
  more_refunds: boolean
  more_checkout_sessions: boolean
  is_unended: boolean
  has_incident: boolean
  /** When the newest LIVE success whose payer the law wants known is old enough; else null. */
  kept_by_law_until: Date | null
  /** When no limit counts the newest LIVE payout any more; else null. */
  counted_until: Date | null
  has_open_session: boolean
}>

type Of = Readonly<{ merchant_id: string; environment: Environment; id: string }>

/** The newest payments that name the customer, and whose payer they are. */
const recent = (sql: Sql, { merchant_id, id }: Of): Fragment => sql`
  select t.id, t.environment, t.transaction_type, t.status, t.created_at, t.checkout_session,
         lower(t.customer_email) as email, t.customer_phone as phone,
         t.customer_first_name || ' ' || t.customer_last_name as name,
         case when t.operation_msisdn like '*%' then '' else t.operation_msisdn end as msisdn
    from transactions t
   where t.merchant_id = ${merchant_id} and t.customer_id = ${id} and ${isNamed(sql)}
   order by t.created_at desc, t.id desc limit ${looked_at_max + 1}`

/**
 * The e-mails, numbers and names under which sessions may have been made for the customer. A number
 * that is another customer's now finds none.
 */
const person = (sql: Sql, { merchant_id, environment, id }: Of): Fragment => sql`
  select array(select email from customer where email <> ''
               union select email from recent where email <> '') as emails,
         array(select right(regexp_replace(one, '[^0-9]', '', 'g'), 8)
                 from (select phone from customer union select phone from recent
                       union select msisdn from recent) known (one)
                where one <> ''
                  and not exists (select 1 from customers o
                                   where o.merchant_id = ${merchant_id}
                                     and o.environment = ${environment}
                                     and o.phone = one and o.id <> ${id})) as tails,
         array(select ${plainName(sql, sql`one`)}
                 from (select name from customer union select name from recent) known (one)
                where btrim(one) <> '') as names`

const address = (sql: Sql, { id, ...owner }: Of): Fragment => sql`
  select ${othersPaidUnder(sql, { ...owner, customer_id: id, emails: sql`p.emails` })} as is_shared
    from person p`

/**
 * By e-mail first and so many at most, since an address may be a whole shop's; those without one
 * by phone.
 */
function madeFor(sql: Sql, { merchant_id, environment }: Of): Fragment {
  const [session, tails] = [sql`s`, sql`p.tails`]
  const known = { tails, names: sql`p.names`, is_shared: sql`a.is_shared` }
  const among = sql`
      from person p, address a, checkout_sessions s
     where s.merchant_id = ${merchant_id} and s.environment = ${environment}`
  return sql`
    (select s.id, s.status, ${isOfPerson(sql, session, known)} as is_own ${among}
        and s.customer_email <> '' and lower(s.customer_email) = any(p.emails)
      limit ${looked_at_max + 1})
    union all
    (select s.id, s.status, true as is_own ${among}
        and ${isByPhoneAlone(sql, { session, tails })}
      limit ${looked_at_max + 1})`
}

const refundsOf = (sql: Sql, { merchant_id }: Of): Fragment => sql`
  select r.status from recent t
    join refunds r on r.merchant_id = ${merchant_id} and r.payment_id = t.id
   limit ${looked_at_max + 1}`

const blockers = (sql: Sql, { merchant_id }: Of, live_payer_days: number): Fragment => sql`
  select exists (select 1 from recent where status = 'PENDING')
      or exists (select 1 from recent t
                   join attempts a on a.merchant_id = ${merchant_id} and a.transaction_id = t.id
                  where a.status in ('PENDING', 'UNKNOWN') and a.due_at is not null)
      or exists (select 1 from refunds_of where status = 'PENDING') as is_unended,
         exists (select 1 from recent t
                   join incidents i on i.merchant_id = ${merchant_id}
                    and i.transaction_id = t.id and i.status = 'OPEN') as has_incident,
         (select max(t.created_at) + ${live_payer_days} * interval '1 day' from recent t
           where t.environment = 'LIVE' and t.status = 'SUCCESS'
             and t.created_at > now() - ${live_payer_days} * interval '1 day')
           as kept_by_law_until,
         (select max(t.created_at) + interval '24 hours' from recent t
           where ${isCountedPayout(sql)}) as counted_until,
         exists (select 1 from made_for where is_own and status = 'PENDING')
      or exists (select 1 from recent t where ${canBeTriedAgain(sql, merchant_id)})
           as has_open_session`

const counts = (sql: Sql): Fragment => sql`
  select (select count(*)::int from recent) as transactions,
         (select count(*)::int from refunds_of) as refunds,
         (select count(*)::int
            from (select checkout_session from recent where checkout_session is not null
                  union select id from made_for where is_own) s) as checkout_sessions,
         (select count(*)::int from made_for) as seen_sessions`

/** None: there is no such customer of this merchant there. */
export async function foresee(
  sql: Sql,
  of: Of,
  live_payer_days: number,
): Promise<Foreseen | undefined> {
  const max = looked_at_max
  const [row] = await homeOf(sql, of.merchant_id)<Foreseen[]>`
    with customer as (
      select coalesce(lower(c.email), '') as email, coalesce(c.phone, '') as phone,
             c.first_name || ' ' || c.last_name as name
        from customers c
       where c.merchant_id = ${of.merchant_id} and c.id = ${of.id}
         and c.environment = ${of.environment} and c.deleted_at is null),
    recent as (${recent(sql, of)}),
    person as (${person(sql, of)}),
    address as (${address(sql, of)}),
    made_for as (${madeFor(sql, of)}),
    refunds_of as (${refundsOf(sql, of)}),
    blockers as (${blockers(sql, of, live_payer_days)}),
    counted as (${counts(sql)})
    select least(n.transactions, ${max}) as transactions, least(n.refunds, ${max}) as refunds,
           least(n.checkout_sessions, ${max}) as checkout_sessions,
           n.transactions > ${max} as more_transactions,
           n.transactions > ${max} or n.refunds > ${max} as more_refunds,
           n.transactions > ${max} or n.seen_sessions > ${max} or n.checkout_sessions > ${max}
             as more_checkout_sessions,
           b.is_unended, b.has_incident, b.kept_by_law_until, b.counted_until,
           b.has_open_session
      from customer, counted n, blockers b`
  return row
}
