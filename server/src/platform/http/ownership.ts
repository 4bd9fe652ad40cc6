// Whose a record is (contract 3.5): the one place that decides between 403 and 404. A record that
// another merchant has is refused; an unknown one, and one of the caller's other environment, is
// not found.

import type { Fragment, Sql } from '../db.ts'
import { refuse } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { control, oneOfAll } from '../places/places.ts'
import type { Environment } from './route.ts'
import { accessErrors, transportErrors } from './transport-errors.ts'

export type OwnKey = Readonly<{ merchant_id: string; id: string }>

type Rows = Readonly<{
  /** The column that `id` is looked for in; default `id`. */
  id_column?: string
  /** Which rows another merchant is known to have; default: all. */
  only?: (sql: Sql) => Fragment
  /** The table stands with control, though its rows are merchants'. */
  at_control?: boolean
}>

/** Asked on the refusal path only. An ill-formed id is nobody's. */
async function existsElsewhere(
  sql: Sql,
  { table, id_column = 'id', only, at_control = false }: Rows & Readonly<{ table: string }>,
  { merchant_id, id }: OwnKey,
): Promise<boolean> {
  if (!isUuid(id)) return false
  const read = (at: Sql) => at<{ one: number }[]>`
    select 1 as one from ${at(table)}
     where ${at(id_column)} = ${id} and merchant_id <> ${merchant_id}
       ${only === undefined ? at`` : at`and ${only(at)}`}
     limit 1`
  const found = at_control ? (await read(control(sql)))[0] : await oneOfAll(sql, read)
  return found !== undefined
}

/**
 * The ownership check of a table: gives back what was `found` under the key, or refuses with
 * `permission_denied` when another merchant has the id, else with `not_found`.
 */
export const ownershipOf =
  (table: string, rows: Rows = {}) =>
  async <Row>(sql: Sql, key: OwnKey, found: Row | undefined): Promise<Row> => {
    if (found !== undefined) return found
    const isOthers = await existsElsewhere(sql, { table, ...rows }, key)
    throw refuse(isOthers ? accessErrors.permission_denied : transportErrors.not_found)
  }

/** The record if it is of this environment: one of the other is as good as not found. */
export const inEnvironment = <Row extends Readonly<{ environment: Environment }>>(
  found: Row | undefined,
  environment: Environment,
): Row | undefined => (found?.environment === environment ? found : undefined)
