// Removes a person from the answers that are kept under keys: whoever repeats the call then gets
// the same answer without the person. Only answers are found that were marked as naming one.

import type { Tx } from '../db.ts'
import { type Kept, keptText } from '../packed/kept.ts'
import { jsonRows } from '../sql.ts'
import { lastTwo, names, type Traces } from '../traces.ts'

type Made = Readonly<{
  merchant_id: string
  /** Of what the calls have made. */
  made_ids: readonly string[]
  /** A number of the person: its last two digits stay. */
  number_field: string
  /** Of the person whatever they contain. */
  emptied_fields: readonly string[]
}>

/** Answers of calls about these; each is done once, and is found no more. */
export async function eraseKeptAnswers(
  tx: Tx,
  { merchant_id, made_ids, number_field, emptied_fields }: Made,
  traces: Traces,
): Promise<void> {
  const rows = await tx<(Kept & { environment: string; key: string })[]>`
    select environment, key, plain, packed from idempotency_keys
     where merchant_id = ${merchant_id} and transaction_id = any(${[...made_ids]}::uuid[])
       and names_person and status is not null
     order by environment, key
       for update`
  if (rows.length === 0) return
  const open = rows.map(({ environment, key, ...kept }) => ({
    environment,
    key,
    answer: keptText(kept) ?? '{}',
  }))
  // As JSON that keeps the order of its fields.
  await tx`
    update idempotency_keys k
       set packed = null, names_person = null,
           plain = (
           select coalesce(json_object_agg(name,
                    case when name = ${number_field}
                           then to_json(${lastTwo(tx, tx`(value #>> '{}')`)})
                         when name = any(${[...emptied_fields]}::text[])
                           then case when json_typeof(value) = 'object' then '{}' else '""' end
                                ::json
                         when json_typeof(value) = 'object'
                              and ${names(tx, tx`value::text`, traces)} then '{}'::json
                         when json_typeof(value) = 'string'
                              and ${names(tx, tx`value::text`, traces)} then '""'::json
                         else value end order by place), '{}'::json)::text
             from json_each(o.answer::json) with ordinality as field (name, value, place))
      from ${jsonRows(tx, open, tx`environment text, key text, answer text`)} as o
     where k.merchant_id = ${merchant_id} and k.environment = o.environment and k.key = o.key`
}
