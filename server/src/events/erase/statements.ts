// Removes a person from the events of payments and sessions. Deliveries are made from these, so
// later tries and the logs no longer contain the person.

import type { Tx } from '../../platform/db.ts'
import { lastTwo, names, type Traces } from '../../platform/traces.ts'

const person_keys = ['customer_email', 'customer_name', 'customer_phone', 'ip_address']

export async function eraseEvents(
  tx: Tx,
  { merchant_id, subject_ids }: Readonly<{ merchant_id: string; subject_ids: readonly string[] }>,
  traces: Traces,
): Promise<void> {
  await tx`
    update events
       set data = (
           select coalesce(jsonb_object_agg(key,
                    case when key = 'msisdn'
                           then to_jsonb(${lastTwo(tx, tx`(value #>> '{}')`)})
                         when key = any(${person_keys}::text[]) then '""'::jsonb
                         when jsonb_typeof(value) = 'object'
                              and ${names(tx, tx`value::text`, traces)} then '{}'::jsonb
                         when jsonb_typeof(value) = 'string'
                              and ${names(tx, tx`value::text`, traces)} then '""'::jsonb
                         else value end), '{}'::jsonb)
             from jsonb_each(data))
     where merchant_id = ${merchant_id}
       and coalesce(transaction_id, subject_id) = any(${[...subject_ids]}::uuid[])`
}
