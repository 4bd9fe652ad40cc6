// A file of rows as PostgreSQL writes it: one `copy` statement, so one snapshot of the history.
// `copy` takes no parameters, so values are settings of the connection, which is used for nothing
// else, and the statement reads them there: nothing that a caller sent becomes SQL.

import type { Readable } from 'node:stream'
import type { Db, Fragment } from '../db.ts'
import type { Bind } from '../sql.ts'
import { type Columns, type ExportForm, selectListOf } from './columns.ts'

/** A file that is read slowly keeps its database snapshot open, but not for ever. */
const copy_within_ms = 30 * 60_000
/** How often the server checks whether the client is still there (PostgreSQL: not on Windows). */
const look_every_ms = 500

/** What the rows are selected with: how values get in, and what stands behind `select`. */
export type Copied = Readonly<{ bind: Bind; list: Fragment }>

type Copying = Readonly<{
  columns: Columns
  form: ExportForm
  rowsOf: (copied: Copied) => Fragment
}>

/** Every row that `rowsOf` selects, in its order. `db` has one connection and no other use. */
export async function copyOut(db: Db, { columns, form, rowsOf }: Copying): Promise<Readable> {
  const settings = new Map([
    ['statement_timeout', String(copy_within_ms)],
    ['client_connection_check_interval', String(look_every_ms)],
    // Several processes would read in any order and sort the whole history before its first row.
    ['max_parallel_workers_per_gather', '0'],
  ])
  const setting = (value: string) => {
    const name = `pirogue.export_${settings.size}`
    settings.set(name, value)
    return `current_setting('${name}')`
  }
  const bind: Bind = (value) => db.unsafe(setting(value))
  const rows = rowsOf({ bind, list: db.unsafe(selectListOf(columns, form, setting)) })
  const file = db`
    copy (${rows}) to stdout with (format csv, delimiter ${db.unsafe(`'${form.separator}'`)})`
  await db`
    select set_config(name, value, false)
      from unnest(${[...settings.keys()]}::text[], ${[...settings.values()]}::text[])
        as given (name, value)`
  const copied = await file.readable()
  copied.once('end', () => readSocket(copied))
  return copied
}

/**
 * The driver stops reading the socket when a stream is full and goes on when the stream asks for
 * more (postgres 3.4.9, connection.js, CopyData and CopyOutResponse). One that is full as the copy
 * ends asks no more: what the server says next would never be read, the connection would never be
 * free, and its socket would stay open after it was closed.
 */
function readSocket(copied: Readable): void {
  try {
    copied._read(0)
  } catch {
    // Nothing is left to be read: the driver has no socket any more.
  }
}
