// The wait's parts of a statement: it is written with the payout (or its approval) that finds every
// operator's float used up, and removed by the statement that writes its first attempt.

import type { Fragment, Sql } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'

export type NewWait = Readonly<{
  merchant_id: string
  transaction_id: string
  environment: Environment
}>

/** `wait_made as (…)`, gated by the relation `gate`. */
export const insertWait = (sql: Sql, wait: NewWait, gate: string): Fragment => sql`
  wait_made as (
    insert into payout_waits (merchant_id, transaction_id, environment, reason)
    select ${wait.merchant_id}, ${wait.transaction_id}, ${wait.environment}, 'GATEWAY_FLOAT'
     where exists (select 1 from ${sql(gate)})
    returning transaction_id as id)`

/**
 * `wait_ended as (…)`: a row `id` for the statement that removes it, gated by the relation `gate`;
 * of several, one does.
 */
export const endWait = (
  sql: Sql,
  wait: Pick<NewWait, 'merchant_id' | 'transaction_id'>,
  gate: string,
): Fragment =>
  sql`wait_ended as (
    delete from payout_waits
     where merchant_id = ${wait.merchant_id} and transaction_id = ${wait.transaction_id}
       and exists (select 1 from ${sql(gate)})
    returning transaction_id as id)`

/**
 * `may_leave as (…)`: the payout of `gate`, unless its balance is frozen or its merchant suspended.
 * The balance is locked (after the payout): a freeze comes before this or after it.
 */
export const mayLeave = (sql: Sql, wait: NewWait, gate: string): Fragment =>
  sql`may_leave as (
    select g.id
      from ${sql(gate)} g
      join transactions t on t.merchant_id = ${wait.merchant_id} and t.id = g.id
      join balances b on b.merchant_id = t.merchant_id and b.environment = t.environment
                     and b.country = t.country_code
     where not b.is_frozen
       and not exists (select 1 from merchants m
                        where m.id = t.merchant_id and m.status = 'SUSPENDED')
       for share of b)`
