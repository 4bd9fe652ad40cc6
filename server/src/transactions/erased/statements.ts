// Taking the payer out of his payments. What moved, when, for how much and why stays.

import type { Sql, Tx } from '../../platform/db.ts'
import { lastTwo, names, type Traces, without } from '../../platform/traces.ts'
import { wordsOf } from '../search/statements.ts'

type Payer = Readonly<{ merchant_id: string; customer_id: string }>

export type PaidAs = Readonly<{ emails: string[]; phones: string[]; names: string[] }>

/** Under which names his payments know him. */
export async function readPaidAs(tx: Tx, { merchant_id, customer_id }: Payer): Promise<PaidAs> {
  const [row] = await tx<PaidAs[]>`
    select coalesce(array_agg(distinct lower(customer_email)), '{}') as emails,
           coalesce(array_agg(distinct customer_phone), '{}')
             || coalesce(array_agg(distinct operation_msisdn), '{}') as phones,
           coalesce(array_agg(distinct customer_first_name || ' ' || customer_last_name), '{}')
             as names
      from transactions
     where merchant_id = ${merchant_id} and customer_id = ${customer_id}`
  return row ?? { emails: [], phones: [], names: [] }
}

/** The payments, and the sessions that they paid. */
export const erasePayer = (
  tx: Tx,
  { merchant_id, customer_id }: Payer,
  traces: Traces,
): Promise<{ id: string; checkout_session: string | null }[]> => tx<
  { id: string; checkout_session: string | null }[]
>`
  update transactions
     set customer_email = '', customer_first_name = '', customer_last_name = '',
         customer_phone = '', operation_msisdn = ${lastTwo(tx, tx`operation_msisdn`)},
         ip_address = case when checkout_session is null then ip_address else '' end,
         description = ${without(tx, tx`description`, traces)},
         merchant_reference = ${without(tx, tx`merchant_reference`, traces)},
         return_url = ${without(tx, tx`return_url`, traces)},
         failure_message = ${without(tx, tx`failure_message`, traces)},
         metadata = case when ${names(tx, tx`metadata::text`, traces)} then '{}'::jsonb
                         else metadata end
   where merchant_id = ${merchant_id} and customer_id = ${customer_id}
  returning id, checkout_session`

/** What a search finds of these payments: made again of what is left. */
export async function eraseFound(
  sql: Sql,
  of: Readonly<{ merchant_id: string; transaction_ids: readonly string[] }>,
): Promise<void> {
  await sql`
    update transaction_search f set words = ${wordsOf(sql)}
      from transactions t
     where t.merchant_id = ${of.merchant_id}
       and t.id = any(${[...of.transaction_ids]}::uuid[])
       and f.merchant_id = t.merchant_id and f.id = t.id`
}
