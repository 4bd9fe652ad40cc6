// Where the database is: DATABASE_URL, or our own server in DATA_DIR, which is shared when another
// process of ours runs it already. Every client of the process is opened here, under a role.

import path from 'node:path'
import type { Logger } from 'pino'
import postgres from 'postgres'
import type { Config } from '../platform/config.ts'
import { type Db, type DbOptions, openDb } from '../platform/db.ts'
import { startEmbedded } from '../platform/embedded/start-embedded.ts'

/** `superuser` is whoever connects, under no other role: migrations make the others. */
export type ConnectRole = DbOptions['role'] | 'superuser'

export type OpenOptions = Readonly<{
  connections_max: number
  /** False only for what may be lost with the machine: counters, leases. */
  durable: boolean
  /** As the database's own views show it. */
  name: string
}>

export type Connection = Readonly<{
  /** True when this process started the embedded server, which then ends with `stop`. */
  is_own_server: boolean
  /** A client under this role; it connects at its first statement. */
  open(role: ConnectRole, options: OpenOptions): Db
  /** Ends every client that is still open, then the server if it is our own. */
  stop(): Promise<void>
}>

type Place = Pick<DbOptions, 'url' | 'host' | 'port' | 'user' | 'database'>

const endWithinS = 5

/** Finds the database of this configuration, or starts it (decisions 7.1, 7.2). */
export async function connect(config: Config, log: Logger): Promise<Connection> {
  if (config.database_url !== null) return connection({ url: config.database_url }, undefined)
  const server = await startEmbedded({
    dir: path.join(path.resolve(config.data_dir), 'postgres'),
    log: (line) => log.debug({ postgres: line }, 'embedded database'),
  })
  const { host, port, user } = server
  const place = { host, port, user, database: 'postgres' }
  return connection(place, server.reused ? undefined : server.stop)
}

function connection(place: Place, stopServer: (() => Promise<void>) | undefined): Connection {
  const opened: Db[] = []
  return {
    is_own_server: stopServer !== undefined,
    open(role, options) {
      const db = role === 'superuser' ? openBare(place, options) : openAs(place, role, options)
      opened.push(db)
      return db
    },
    async stop() {
      await Promise.all(opened.map((db) => db.end({ timeout: endWithinS })))
      await stopServer?.()
    },
  }
}

function openAs(place: Place, role: DbOptions['role'], options: OpenOptions): Db {
  const { connections_max, durable, name: application_name } = options
  return openDb({ ...place, role, connections_max, durable, application_name })
}

/** No role and no time limits: a migration may have to make the one and exceed the other. */
function openBare({ url, ...where }: Place, options: OpenOptions): Db {
  const settings = {
    max: options.connections_max,
    types: { bigint: postgres.BigInt },
    onnotice: () => undefined,
    connection: { application_name: options.name, TimeZone: 'UTC' },
  }
  return url === undefined ? postgres({ ...settings, ...where }) : postgres(url, settings)
}
