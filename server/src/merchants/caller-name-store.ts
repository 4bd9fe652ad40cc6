// What those who call for a merchant are called now: its members, and its API keys. Who has left
// the team keeps their name, as does a key that was deleted.

import type { Sql } from '../platform/db.ts'
import { control } from '../platform/places/places.ts'

/** By id; a member without a name by their e-mail address. */
export type CallerNames = ReadonlyMap<string, string>

/** Keys and people stand with control. Of ids that are neither nothing is found. */
export async function listCallerNames(sql: Sql, ids: readonly string[]): Promise<CallerNames> {
  const sought = [...new Set(ids)]
  if (sought.length === 0) return new Map()
  const rows = await control(sql)<{ id: string; name: string }[]>`
    select id, name from api_keys where id = any(${sought}::uuid[])
     union all
    select id, coalesce(nullif(btrim(first_name || ' ' || last_name), ''), email)
      from people where id = any(${sought}::uuid[]) and kind = 'MEMBER'`
  return new Map(rows.map(({ id, name }) => [id, name]))
}
