// Who made a transaction, for how much, and why it failed, as conditions. None of them has an
// index: whoever lists by them says how far to look (docs/decisions/0082).

import type { Fragment, Sql } from '../platform/db.ts'
import type { Bind } from '../platform/sql.ts'
import type { TransactionFilters } from './filters.ts'
import type { TransactionVia } from './transaction.ts'

type Made = Pick<
  TransactionFilters,
  | 'checkout_session'
  | 'created_by_member'
  | 'api_key'
  | 'via'
  | 'amount__gte'
  | 'amount__lte'
  | 'failure_code'
>

/** ` and …`: what the filters let through of `t`. */
export function madeAs(sql: Sql, filters: Made, bind: Bind): Fragment {
  const { checkout_session: session, created_by_member: member, api_key: key, via } = filters
  const { amount__gte: from, amount__lte: to, failure_code: why } = filters
  const atLeast = (sum: bigint) => sql`and t.requested_amount >= ${bind(String(sum))}::bigint`
  const atMost = (sum: bigint) => sql`and t.requested_amount <= ${bind(String(sum))}::bigint`
  return sql`
    ${session === undefined ? sql`` : sql`and t.checkout_session = ${bind(session)}::uuid`}
    ${member === undefined ? sql`` : sql`and t.member_id = ${bind(member)}::uuid`}
    ${key === undefined ? sql`` : sql`and t.api_key_id = ${bind(key)}::uuid`}
    ${via === undefined ? sql`` : madeVia(sql, via)}
    ${from === undefined ? sql`` : atLeast(from)}
    ${to === undefined ? sql`` : atMost(to)}
    ${why === undefined ? sql`` : sql`and t.failure_code = ${bind(why)}`}`
}

/** As `viaOf` reads it. */
function madeVia(sql: Sql, via: TransactionVia): Fragment {
  if (via === 'LINK') return sql`and t.payment_link is not null`
  if (via === 'CHECKOUT') return sql`and t.payment_link is null and t.checkout_session is not null`
  const onNoPage = sql`and t.payment_link is null and t.checkout_session is null`
  return via === 'KEY'
    ? sql`${onNoPage} and t.api_key_id is not null`
    : sql`${onNoPage} and t.api_key_id is null and t.member_id is not null`
}
