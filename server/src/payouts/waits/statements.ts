// The wait's parts of a statement: it is written with the payout (or its approval) that finds every
// operator's float used up, and removed by the statement that writes its first attempt.

import type { Sql } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { type Gate, type OptionalGate, type Part, part } from '../../platform/sql.ts'

export type NewWait = Readonly<{
  merchant_id: string
  transaction_id: string
  environment: Environment
}>

/** `wait_made as (…)`. */
export const insertWait = (sql: Sql, wait: NewWait, { when }: OptionalGate = {}): Part =>
  part(
    'wait_made',
    sql`wait_made as (
    insert into payout_waits (merchant_id, transaction_id, environment, reason)
    select ${wait.merchant_id}, ${wait.transaction_id}, ${wait.environment}, 'GATEWAY_FLOAT'
     ${when === undefined ? sql`` : sql`where exists (select 1 from ${sql(when.name)})`}
    returning transaction_id as id)`,
  )

/** `wait_ended as (…)`: a row for the statement that removes it; of several, one does. */
export const endWait = (
  sql: Sql,
  wait: Pick<NewWait, 'merchant_id' | 'transaction_id'>,
  { when }: OptionalGate = {},
): Part =>
  part(
    'wait_ended',
    sql`wait_ended as (
    delete from payout_waits
     where merchant_id = ${wait.merchant_id} and transaction_id = ${wait.transaction_id}
       ${when === undefined ? sql`` : sql`and exists (select 1 from ${sql(when.name)})`}
    returning transaction_id as id)`,
  )

/**
 * `may_leave as (…)`: the payout of `when`, unless its balance is frozen or its merchant suspended.
 * The balance is locked (after the payout): a freeze comes before this or after it.
 */
export const mayLeave = (sql: Sql, wait: NewWait, { when }: Gate): Part =>
  part(
    'may_leave',
    sql`may_leave as (
    select g.id
      from ${sql(when.name)} g
      join transactions t on t.merchant_id = ${wait.merchant_id} and t.id = g.id
      join balances b on b.merchant_id = t.merchant_id and b.environment = t.environment
                     and b.country = t.country_code
     where not b.is_frozen
       and not exists (select 1 from merchants m
                        where m.id = t.merchant_id and m.status = 'SUSPENDED')
       for share of b)`,
  )
