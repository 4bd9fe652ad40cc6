// The transactions among what one search over all kinds finds: by their reference, the merchant's
// own or the operator's, by a short walk, a longer one where it should fill the few that are shown,
// and at last by the search rows (docs/decisions/0018, 0082).

import { idsByOperatorReference } from '../../attempts/operator-reference-statements.ts'
import { andRoom } from '../../customers/search/found-statements.ts'
import {
  andWords,
  foundColumns,
  type Sought,
  statusOrReturned,
} from '../../customers/search/statements.ts'
import type { Fragment, Sql } from '../../platform/db.ts'
import { boundIn, type Part, part } from '../../platform/sql.ts'
import { readTransactionFilters } from '../filters.ts'
import { gravestIncident, outcomeUnknown } from '../mark-statements.ts'
import { ownedBy, transactionColumns } from '../store.ts'
import { freshIds, liveMatches, storedMatches, wordsOf } from './statements.ts'

/** How much longer the second walk is. */
const further = 10

/** `found_transactions as (…)`, with what it is found by. */
export function foundTransactions(sql: Sql, sought: Sought): Part {
  const { id, typed } = sought
  const name = sql`btrim(t.customer_first_name || ' ' || t.customer_last_name)`
  const columns = foundColumns(sql, {
    kind: 'TRANSACTION',
    title: sql`coalesce(nullif(${name}, ''), nullif(t.operation_msisdn, ''), t.customer_email)`,
    detail: sql`t.reference`,
    transaction_type: sql`t.transaction_type`,
    status: statusOrReturned(sql),
    amount: sql`t.requested_amount`,
    currency: sql`t.currency`,
    outcome_unknown: outcomeUnknown(sql),
    incident: gravestIncident(sql),
    is_exact:
      id === undefined
        ? sql`t.reference = upper(${typed}) or t.merchant_reference = ${typed}
              or lower(t.external_reference) = lower(${typed})
              or exists (select 1 from named_by_operators n where n.id = t.id)`
        : sql`true`,
  })
  const shown = (ids: Fragment) => sql`
    found_transactions as materialized (
      select ${columns} from transactions t
       where t.merchant_id = ${sought.merchant_id} and t.id = any(array(${ids})))`
  const byKey = sql`select t.id from transactions t where ${ownedBy(sql, sought)}`
  if (id !== undefined) return part('found_transactions', shown(sql`${byKey} and t.id = ${id}`))
  return part(
    'found_transactions',
    sql`named_transactions as materialized (${byKey} and t.reference = upper(${typed}))`,
    sql`ordered_transactions as materialized (
      ${byKey} and t.merchant_reference = ${typed} and t.merchant_reference <> ''
      order by t.created_at desc, t.id desc limit ${sought.limit})`,
    sql`named_by_operators as materialized (
      ${byKey} and t.id = any(array(${idsByOperatorReference(sql, sought.merchant_id, typed)}))
      limit ${sought.limit})`,
    ...byWords(sql, sought),
    shown(sql`
      select id from named_transactions union select id from ordered_transactions
      union select id from named_by_operators
      union select id from near_transactions union select id from far_transactions
      union select id from stored_transactions`),
  )
}

/** Each part is passed over where those before it have filled what is shown. */
function byWords(sql: Sql, sought: Sought): Fragment[] {
  const { steps } = sought
  const search = { ...sought, ...readTransactionFilters({}) }
  const bind = boundIn(sql)
  const unnamed = sql`and not exists (select 1 from named_transactions)`
  const seen = sql`and (select count(*) from near_transactions) between 1 and ${sought.limit - 1}`
  const newest = sql`order by t.created_at desc, t.id desc limit ${sought.limit}`
  const room = sql`${unnamed} ${andRoom(sql, sought, 'near_transactions')}
    ${andRoom(sql, sought, 'far_transactions')}`
  return [
    walked(sql, sought, { name: 'near_transactions', from: 0, steps, when: unnamed }),
    walked(sql, sought, {
      name: 'far_transactions',
      from: steps,
      steps: further * steps,
      when: seen,
    }),
    freshIds(sql, sought, bind),
    sql`live_transactions as materialized (${liveMatches(sql, search, bind)} ${room} ${newest})`,
    sql`old_transactions as materialized (${storedMatches(sql, search, bind)} ${room} ${newest})`,
    sql`stored_transactions as (
      select id from live_transactions union all select id from old_transactions)`,
  ]
}

type Walk = Readonly<{ name: string; from: number; steps: number; when: Fragment }>

const walked = (sql: Sql, sought: Sought, walk: Walk): Fragment => sql`
  ${sql(walk.name)} as materialized (
    select t.id
      from (select ${transactionColumns(sql)} from transactions t where ${ownedBy(sql, sought)}
             order by t.created_at desc, t.id desc offset ${walk.from} limit ${walk.steps}) as t
     cross join lateral (select ${wordsOf(sql)} as words offset 0) as said
     where true ${walk.when} ${andWords(sql, sql`said.words`, sought.terms)}
     order by t.created_at desc, t.id desc limit ${sought.limit})`
