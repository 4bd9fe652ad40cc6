// The wait's parts of a statement: it is written with the payout (or its approval) that finds every
// operator's float used up, and taken away by the statement that writes its first attempt.

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

/** `wait_ended as (…)`: a row `id` for who takes it away; of several one does. */
export const endWait = (
  sql: Sql,
  wait: Pick<NewWait, 'merchant_id' | 'transaction_id'>,
): Fragment =>
  sql`wait_ended as (
    delete from payout_waits
     where merchant_id = ${wait.merchant_id} and transaction_id = ${wait.transaction_id}
    returning transaction_id as id)`
