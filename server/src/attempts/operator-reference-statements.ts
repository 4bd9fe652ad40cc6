// The statements about what a payer finds a payment by in the operator's message: on its receipt,
// and where somebody looks for it by that.

import type { Fragment, Sql } from '../platform/db.ts'
import { homeOf } from '../platform/places/places.ts'
import { type Attempt, type AttemptKeyOf, operatorReferenceOf } from './attempt.ts'

type PaidAttempt = Pick<Attempt, 'our_key' | 'external_reference' | 'operator_reference'>

/** What its payer finds a payment by at its operator; empty where there is nothing. */
export async function findOperatorReference(
  sql: Sql,
  { merchant_id, id }: AttemptKeyOf,
): Promise<string> {
  const [row] = await homeOf(sql, merchant_id)<PaidAttempt[]>`
    select our_key, external_reference, operator_reference
      from attempts
     where merchant_id = ${merchant_id} and transaction_id = ${id} and status = 'SUCCESS'
     order by finished_at limit 1`
  return row === undefined ? '' : operatorReferenceOf({ ...row, status: 'SUCCESS' })
}

/** The payments of a merchant that their operator calls so: `id`. Capitals count as small ones. */
export const idsByOperatorReference = (
  sql: Sql,
  merchant_id: string,
  typed: string,
): Fragment => sql`
  select a.transaction_id as id from attempts a
   where a.merchant_id = ${merchant_id} and a.transaction_id is not null
     and a.operator_reference is not null and lower(a.operator_reference) = lower(${typed})`
