// The parts of the customer search. Law: a customer's search row, if there is one, agrees with the
// customer, in the same transaction; up to the mark every customer has one, and those beyond it are
// read directly. A payment writes none of this.

import type { Fragment, Sql } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { boundIn } from '../../platform/sql.ts'
import type { Term } from './terms.ts'

export type Owner = Readonly<{ merchant_id: string; environment: Environment }>

/** What a search reads of `c`, folded. For an erased customer nothing is left but spaces. */
export const wordsOf = (sql: Sql): Fragment => sql`
  fold_text(c.first_name || ' ' || c.last_name || ' ' || coalesce(c.email, '') || ' '
            || coalesce(c.phone, ''))`

/**
 * `found as (…)`: the search rows of those in the relation `changed`, as they are now. Made even
 * for a customer beyond the mark or erased, because the job, which may have read the old row, then
 * leaves what it finds.
 */
export const rewriteFound = (sql: Sql): Fragment => sql`
  found as (
    insert into customer_search (merchant_id, id, environment, words)
    select c.merchant_id, c.id, c.environment, ${wordsOf(sql)} from changed c
    on conflict (merchant_id, id) do update set words = excluded.words)`

/** For so long an older customer in the list may still be committed: see `index-customers.ts`. */
export const unsettled = (sql: Sql): Fragment => sql`interval '3 minutes'`

export const nil = '00000000-0000-0000-0000-000000000000'

/**
 * ` and …`: customer `c` is beyond the mark, a row `made_at, customer_id` or nulls. A mark of the
 * future, left by a clock that was set back, counts as one of now.
 */
export const beyondMark = (sql: Sql, made_at: Fragment, customer_id: Fragment): Fragment => sql`
  and (c.created_at, c.id) >
      (least(coalesce(${made_at}, '-infinity'), now() - ${unsettled(sql)}),
       coalesce(${customer_id}, ${nil}::uuid))`

/** What is left of an erased customer. */
const nothing = '   '

/** Those of the search rows that contain this. */
const ofStored = (sql: Sql, { merchant_id, environment }: Owner, search: string): Fragment => sql`
  from customer_search s
 where s.merchant_id = ${merchant_id} and s.environment = ${environment}
   and s.words <> ${nothing} and s.words ${like(sql, search)}`

/** Those of the customers beyond the mark that contain this and have no search row yet. */
function ofFresh(sql: Sql, { merchant_id, environment }: Owner, search: string): Fragment {
  const ofMark = (column: Fragment) => sql`
    (select ${column} from customer_search_marks
      where merchant_id = ${merchant_id} and environment = ${environment})`
  return sql`
    from customers c
   where c.merchant_id = ${merchant_id} and c.environment = ${environment}
     and c.deleted_at is null ${beyondMark(sql, ofMark(sql`made_at`), ofMark(sql`customer_id`))}
     and ${wordsOf(sql)} ${like(sql, search)}
     and not exists (select 1 from customer_search s
                      where s.merchant_id = c.merchant_id and s.id = c.id)`
}

/** How many are found; of search rows alone, which is a fraction of reading the customers. */
export const countFound = (sql: Sql, owner: Owner, search: string): Fragment => sql`
  select ((select count(*) ${ofStored(sql, owner, search)})
        + (select count(*) ${ofFresh(sql, owner, search)}))::int as count`

/**
 * ` and …`: customer `c` is one of them. As an array: the plan then begins with the words, however
 * common it takes them to be.
 */
export const andFound = (sql: Sql, owner: Owner, search: string): Fragment => sql`
  and c.id = any (array(
    select s.id ${ofStored(sql, owner, search)}
    union all
    select c.id ${ofFresh(sql, owner, search)}))`

/** ` and …`: the same, by checking each on the way down the list: for what very many contain. */
export const andMatching = (sql: Sql, _owner: Owner, search: string): Fragment => sql`
  and ${wordsOf(sql)} ${like(sql, search)}`

/** Nothing that was typed is a wildcard. */
const like = (sql: Sql, search: string): Fragment =>
  sql`like fold_text(${`%${search.replace(/[\\%_]/g, '\\$&')}%`})`

/** ` and …`: every term is in `words`, by one of its patterns. */
export function andWords(
  sql: Sql,
  words: Fragment,
  terms: readonly Term[],
  bind = boundIn(sql),
): Fragment {
  let all = sql``
  for (const patterns of terms) {
    let any = sql`false`
    for (const pattern of patterns) any = sql`${any} or ${words} like ${bind(pattern)}`
    all = sql`${all} and (${any})`
  }
  return all
}

/** What one search over all kinds looks for; `limit` rows of each kind. */
export type Sought = Owner &
  Readonly<{
    /** As it was typed, without the spaces around. */
    typed: string
    /** The same where it is an id. */
    id: string | undefined
    terms: readonly Term[]
    /** How many of the newest are looked at before anything else. */
    steps: number
    limit: number
  }>

type FoundColumns = Readonly<{
  kind: string
  title: Fragment
  detail: Fragment
  transaction_type?: Fragment
  /** The payment it is of. */
  transaction?: Fragment
  status?: Fragment
  amount?: Fragment
  currency?: Fragment
  /** Whether its operator has not said what came of it. */
  outcome_unknown?: Fragment
  /** A contradiction known of it, as JSON. */
  incident?: Fragment
  /** The key that replaces it. */
  rotated_to?: Fragment
  last_used_at?: Fragment
  /** What was typed is this one's own, whole. */
  is_exact: Fragment
}>

/** Of the relation `t`: what came back keeps its status, which alone would read as arrived. */
export const statusOrReturned = (sql: Sql): Fragment =>
  sql`case when t.returned_at is null then t.status else 'RETURNED' end`

/** The columns that all kinds are shown with, of the relation `t`. */
export function foundColumns(sql: Sql, of: FoundColumns): Fragment {
  const { transaction_type = sql`null`, status = sql`null`, amount = sql`null` } = of
  return sql`
    ${of.kind}::text as kind, t.id, ${of.title} as title, ${of.detail} as detail,
    ${transaction_type}::text as transaction_type,
    ${of.transaction ?? sql`null`}::uuid as transaction, ${status}::text as status,
    ${amount}::bigint as amount, ${of.currency ?? sql`null`}::text as currency,
    ${of.outcome_unknown ?? sql`false`} as outcome_unknown,
    ${of.incident ?? sql`null`}::json as incident,
    ${of.rotated_to ?? sql`null`}::uuid as rotated_to,
    ${of.last_used_at ?? sql`null`}::timestamptz as last_used_at,
    coalesce(${of.is_exact}, false) as is_exact, t.created_at as at`
}
