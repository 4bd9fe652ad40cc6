// The events that were recorded about something, for tests: their data is kept packed.

import { keptText } from '../../src/platform/packed/kept.ts'
import type { Json } from '../harness.ts'
import type { OwnerSql } from './database.ts'

type Row = Readonly<{ type: string; plain: string | null; packed: Uint8Array | null }>

/** Of a transaction or another subject, the oldest first. */
export async function eventsAbout(
  owner: OwnerSql,
  id: string,
): Promise<{ type: string; data: Json }[]> {
  const rows = await owner<Row[]>`
    select type, plain::text as plain, packed from events
     where ${id}::uuid in (transaction_id, subject_id) order by id`
  return rows.map(({ type, ...kept }) => ({ type, data: JSON.parse(keptText(kept) ?? '{}') }))
}
