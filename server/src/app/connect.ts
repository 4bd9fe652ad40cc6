// Where the database is: DATABASE_URL, or our own server in DATA_DIR, which is shared when another
// process of ours runs it already. Every client of the process is opened here, under a role.

import path from 'node:path'
import type { Logger } from 'pino'
import { type Db, type DbOptions, openDb } from '../platform/db.ts'
import { startEmbedded } from '../platform/embedded/start-embedded.ts'
import type { Group } from '../platform/places/map-store.ts'
import type { Config } from './config.ts'
import { connectionsFor } from './processes/count-processes.ts'

/**
 * `superuser` is the connecting role itself: migrations make the others. `login` is the service's
 * own login as configured, whose rights are checked.
 */
export type ConnectRole = 'pirogue_app' | 'pirogue_owner' | 'superuser' | 'login'

export type OpenOptions = Readonly<{
  connections_max: number
  /** False only for what may be lost with the machine: counters, leases. */
  durable: boolean
  /** Shown in the database's own views. */
  name: string
  lock_timeout_ms?: number
  statement_timeout_ms?: number
  /** Of a distributed database: the shard group that it reaches; absent: control. */
  group?: Group
}>

/** A client of one connection; who opened it closes it. */
export type Alone = Readonly<{ db: Db; close(): Promise<void> }>

export type Connection = Readonly<{
  /** A client under this role; it connects at its first statement. */
  open(role: ConnectRole, options: OpenOptions): Db
  /**
   * One connection of its own, ended at once by `close`, whatever is under way on it. `group`: of a
   * distributed database; absent: control.
   */
  openAlone(role: ConnectRole, name: string, group?: Group): Alone
  /** Ends every client that is still open, then the server if it is our own. */
  stop(): Promise<void>
}>

type DatabasePlace = Pick<DbOptions, 'url' | 'host' | 'port' | 'user' | 'database'>

const endWithinS = 5

/** Finds the database of this configuration, or starts it (contract 7.1, 7.2). */
export async function connect(config: Config, log: Logger): Promise<Connection> {
  const { database_url, database_url_owner } = config
  if (database_url !== null) {
    const owner = database_url_owner === null ? {} : { owner: { url: database_url_owner } }
    return connection({ url: database_url }, undefined, owner)
  }
  const server = await startEmbedded({
    dir: path.join(path.resolve(config.data_dir), 'postgres'),
    settings: { max_connections: String(connectionsFor(config.processes)) },
    log: (line) => log.debug({ postgres: line }, 'embedded database'),
  })
  const { host, port, user } = server
  const place = { host, port, user, database: 'postgres' }
  return connection(place, server.reused ? undefined : server.stop)
}

/** Long enough that a look-around every few seconds finds its connection open. */
const group_idle_s = 30

/** The same login on the server of a shard group, whose schema has the tables. */
export function atGroup(at: DatabasePlace, group: Group) {
  const { host, port, database, schema } = group
  const named = database === '' ? {} : { database }
  const found =
    at.url === undefined ? { ...at, host, port, ...named } : { url: urlOf(at.url, group) }
  return { ...found, search_path: `${schema}, public`, idle_timeout_s: group_idle_s }
}

function urlOf(address: string, { host, port, database }: Group): string {
  const url = new URL(address)
  url.hostname = host
  url.port = String(port)
  if (database !== '') url.pathname = `/${database}`
  return url.href
}

/** The commands that change the schema may have a login of their own. */
function connection(
  place: DatabasePlace,
  stopServer: (() => Promise<void>) | undefined,
  { owner = place }: Readonly<{ owner?: DatabasePlace }> = {},
): Connection {
  const opened = new Set<Db>()
  const open: Connection['open'] = (role, { name: application_name, group, ...how }) => {
    const at = role === 'superuser' || role === 'pirogue_owner' ? owner : place
    const options = { ...(group === undefined ? at : atGroup(at, group)), ...how, application_name }
    const as_it_came = role === 'superuser' || role === 'login'
    const db = openDb(as_it_came ? options : { ...options, role })
    opened.add(db)
    return db
  }
  return {
    open,
    openAlone(role, name, group) {
      const at = group === undefined ? {} : { group }
      const db = open(role, { connections_max: 1, durable: true, name, ...at })
      const close = async () => {
        opened.delete(db)
        await db.end({ timeout: 0 })
      }
      return { db, close }
    },
    async stop() {
      await Promise.all([...opened].map((db) => db.end({ timeout: endWithinS })))
      await stopServer?.()
    },
  }
}
