// The statements about floats: where staff have said that an operator has none left for payouts.

import type { Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'

export type FloatRow = Readonly<{
  gateway_code: string
  country: string
  is_empty: boolean
  note: string
  set_by: string | null
  updated_at: Date
}>

export const listFloats = (sql: Sql, environment: Environment): Promise<FloatRow[]> => sql<
  FloatRow[]
>`
  select g.code as gateway_code, f.country, f.is_empty, f.note, f.set_by, f.updated_at
    from gateway_floats f
    join gateways g on g.id = f.gateway_id
   where g.environment = ${environment}
   order by g.code, f.country`

export async function upsertFloat(
  sql: Sql,
  float: Pick<FloatRow, 'country' | 'is_empty' | 'note' | 'set_by'> & { gateway_id: string },
): Promise<FloatRow> {
  const [row] = await sql<FloatRow[]>`
    insert into gateway_floats as f (gateway_id, country, is_empty, note, set_by)
    values (${float.gateway_id}, ${float.country}, ${float.is_empty}, ${float.note},
      ${float.set_by})
    on conflict (gateway_id, country) do update
       set is_empty = excluded.is_empty, note = excluded.note, set_by = excluded.set_by,
           updated_at = now()
    returning (select g.code from gateways g where g.id = f.gateway_id) as gateway_code,
              f.country, f.is_empty, f.note, f.set_by, f.updated_at`
  if (row === undefined) throw new Error('bug: a float without a row')
  return row
}
