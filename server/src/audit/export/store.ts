// The rows of the file of a merchant's audit log, and its columns. Law: as in the list, a merchant
// sees that staff acted, not who or from where, and finds nothing by that.

import type { Fragment, Sql } from '../../platform/db.ts'
import { asItIs, type Columns, moment, plain } from '../../platform/export/columns.ts'
import type { RowsOf } from '../../platform/export/export-route.ts'
import type { Bind } from '../../platform/sql.ts'
import type { ActFilters } from '../filters.ts'
import { type ActorName, actsFiltered } from '../store.ts'
import { ofStaffAlone } from '../view.ts'

/** Empty of what staff did. */
const ofOthers = (source: string): string => `case when a.actor_kind <> 'STAFF' then ${source} end`

/** Of what staff did without what is of them alone. */
const fieldsOf = (source: string): string => `
  case when a.actor_kind <> 'STAFF' then ${source}
       else ${source} - '{${ofStaffAlone.join(',')}}'::text[] end`

export const columns: Columns = {
  id: asItIs('a.id'),
  created_at: moment('a.created_at'),
  environment: asItIs('a.environment'),
  actor_kind: asItIs('a.actor_kind'),
  actor_role: plain(`coalesce(${ofOthers('a.actor_role')}, '')`),
  actor_name: plain(`coalesce(${ofOthers('n.name')}, '')`),
  actor_id: asItIs(ofOthers('a.actor_id')),
  action: asItIs('a.action'),
  target_kind: asItIs('a.target_kind'),
  target_id: plain('a.target_id'),
  ip: plain(`coalesce(${ofOthers('a.ip')}, '')`),
  request_id: plain('a.request_id'),
  before: plain(`coalesce((${fieldsOf('a.before')})::text, '')`),
  after: plain(`coalesce((${fieldsOf('a.after')})::text, '')`),
}

export type ActsSought = ActFilters &
  Readonly<{
    merchant_id: string
    search: string | undefined
    /** Read before: keys and people stand with control, the log where its merchant is. */
    names: readonly ActorName[]
  }>

/** Every match of both environments, newest first. */
export const actRows =
  (sought: ActsSought): RowsOf =>
  (db, { bind, list }) =>
    db`
  select ${list}
    from audit_logs a
    left join json_to_recordset(${bind(JSON.stringify(sought.names))}::json)
           as n (id uuid, name text) on n.id = a.actor_id
   where a.merchant_id = ${bind(sought.merchant_id)}::uuid
     ${actsFiltered(db, sought, bind)} ${containing(db, sought, bind)}
   order by a.id desc`

const containing = (sql: Sql, { search }: ActsSought, bind: Bind): Fragment =>
  search === undefined
    ? sql``
    : sql`
  and strpos(lower(concat_ws(' ', a.action, a.target_id, a.request_id,
        case when a.actor_kind <> 'STAFF' then concat_ws(' ', a.ip, n.name) end)),
      lower(${bind(search)})) > 0`
