// What those who call for a merchant are called now: its members, and its API keys. Who has left
// the team keeps their name, as does a key that was deleted.

import { Type } from 'typebox'
import type { Db, Sql } from '../platform/db.ts'
import type { Caller } from '../platform/http/route.ts'
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

export const CreatedByName = Type.String({
  description:
    'What the member or the API key that made it is called now, who has left the team too; a ' +
    'member without a name by their e-mail address. Empty where neither made it, and for a ' +
    'call by API key.',
})

type Made = Readonly<{ api_key_id: string | null; member_id: string | null }>

const creatorOf = ({ api_key_id, member_id }: Made): string => api_key_id ?? member_id ?? ''

/**
 * Of a page by one statement, of one where nobody known made any by none. Every member may read the
 * members and the keys, and no key may.
 */
export async function namesOfCreators(
  db: Db,
  { session }: Pick<Caller, 'session'>,
  rows: readonly Made[],
): Promise<(row: Made) => string> {
  const ids = session === null ? [] : rows.map(creatorOf).filter((id) => id !== '')
  const names = await listCallerNames(db, ids)
  return (row) => names.get(creatorOf(row)) ?? ''
}

/** Of a record that a key reads as its events have it: without the name. */
export const CreatedByNameToMembers = Type.Optional(
  Type.String({
    description:
      'To members: what the member or the API key that made it is called now; a member without ' +
      'a name by their e-mail address. Absent for a call by API key.',
  }),
)

/** Each with who made it, where a member asks. */
export async function withCreators<Row extends Made>(
  db: Db,
  caller: Pick<Caller, 'session'>,
  rows: readonly Row[],
): Promise<(Row & Readonly<{ created_by_name?: string }>)[]> {
  if (caller.session === null) return [...rows]
  const nameOf = await namesOfCreators(db, caller, rows)
  return rows.map((row) => ({ ...row, created_by_name: nameOf(row) }))
}
