// Removes the payer from what we sent to gateways and from what they answered. The hash of each
// callback stays, because it is evidence.

import type { Sql, Tx } from '../../platform/db.ts'
import { lastTwo, type Traces, without } from '../../platform/traces.ts'

type Of = Readonly<{ merchant_id: string; transaction_ids: readonly string[] }>

/** The attempts of these payments. */
export async function eraseAsked(
  tx: Tx,
  { merchant_id, transaction_ids }: Of,
  traces: Traces,
): Promise<void> {
  await tx`
    update attempts
       set operation_msisdn = ${lastTwo(tx, tx`operation_msisdn`)}, checkout_url = '',
           gateway_detail = ${without(tx, tx`gateway_detail`, traces)},
           failure_message = ${without(tx, tx`failure_message`, traces)}
     where merchant_id = ${merchant_id} and transaction_id = any(${[...transaction_ids]}::uuid[])`
}

/** What gateways sent about them. A callback's id begins with its attempt's time (record 0005). */
export async function eraseCallbacks(
  sql: Sql,
  { merchant_id, transaction_ids }: Of,
): Promise<void> {
  await sql`
    update gateway_callbacks c set body = ''
      from attempts a
     where a.merchant_id = ${merchant_id}
       and a.transaction_id = any(${[...transaction_ids]}::uuid[])
       and c.merchant_id = ${merchant_id} and c.attempt_id = a.id and c.body <> ''
       and c.id >= (left(a.id::text, 14) || '0000-0000-000000000000')::uuid
       and c.id <= (left(a.id::text, 14) || 'ffff-ffff-ffffffffffff')::uuid`
}
