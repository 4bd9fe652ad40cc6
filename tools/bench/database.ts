// The database under load: a PostgreSQL of the run's own, or one that stands and is given by its
// address (`--database`): one PostgreSQL, or the coordinator of a cluster on which `db distribute`
// was run. Law: what is given is neither emptied nor dropped.

import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { atGroup } from '../../server/src/app/connect.ts'
import { type Db, openDb } from '../../server/src/platform/db.ts'
import { startEmbedded } from '../../server/src/platform/embedded/start-embedded.ts'
import { type Group, listGroups } from '../../server/src/platform/places/map-store.ts'
import { placePools } from '../../server/src/platform/places/place-pools.ts'
import type { Ends } from '../../server/test/setup/ends.ts'
import { commandOf, parentOf } from '../../server/test/setup/process-tree.ts'
import { dropDirectory } from '../processes/data-directory.ts'

/** Where it is; a password only where its address has one. */
type Server = Readonly<{
  host: string
  port: number
  user: string
  database: string
  password?: string
}>

export type BenchDatabase = Server &
  Readonly<{
    /** The settings by which a process of the service finds it, and serves a load. */
    env: Readonly<Record<string, string>>
    /** The first process of each of its servers, as far as they are on this machine. */
    pids: readonly number[]
    /** Servers beside the coordinator of a cluster; 0: it is one PostgreSQL. */
    nodes: number
  }>

type Place = Readonly<{ data_dir: string; keeps: boolean }>

/** Production settings, in a directory that goes with the run unless it is kept. */
export async function ownDatabase({ data_dir, keeps }: Place, ends: Ends): Promise<BenchDatabase> {
  const server = await startEmbedded({ dir: path.join(data_dir, 'postgres') })
  if (!keeps) ends.add(() => dropDirectory(server.directory))
  ends.add(() => server.stop())
  const { host, port, user, pid } = server
  const pids = pid === undefined ? [] : [pid]
  return { host, port, user, database: 'postgres', env: {}, pids, nodes: 0 }
}

export async function givenDatabase(address: string): Promise<BenchDatabase> {
  const url = new URL(address)
  const server: Server = {
    host: url.hostname,
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username),
    database: url.pathname.slice(1),
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
  }
  const nodes = await withClient(server, listNodes)
  const servers = [server, ...nodes.map((node) => ({ ...server, ...node }))]
  const pids = await Promise.all(servers.map((one) => withClient(one, serverPid)))
  const env = {
    DATABASE_URL: address,
    SECRET_KEY: randomBytes(32).toString('base64'),
    HOST: '127.0.0.1',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    // A second run calls the same payers.
    LIMIT_PHONE_PROMPTS_10MIN: '500',
    LIMIT_PHONE_PROMPTS_DAY: '2000',
  }
  return { ...server, env, pids: pids.flat(), nodes: nodes.length }
}

type Node = Readonly<{ host: string; port: number }>

async function listNodes(db: Db): Promise<Node[]> {
  const [citus] = await db`select 1 from pg_extension where extname = 'citus'`
  if (citus === undefined) return []
  return db<Node[]>`
    select nodename as host, nodeport as port from pg_dist_node
     where noderole = 'primary' and isactive and shouldhaveshards order by nodeid`
}

/** What a connection's own process comes from; none where it is not on this machine. */
async function serverPid(db: Db): Promise<number[]> {
  const [row] = await db<{ pid: number }[]>`select pg_backend_pid() as pid`
  const pid = row?.pid ?? 0
  return commandOf(pid).startsWith('postgres') ? [parentOf(pid)] : []
}

async function withClient<T>(server: Server, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDb({ ...clientOf(server), connections_max: 1 })
  try {
    return await work(db)
  } finally {
    await db.end({ timeout: 5 })
  }
}

/** As `openDb` is given it. */
const clientOf = ({ host, port, user, database, password }: Server) => ({
  ...{ host, port, user, database, durable: true, application_name: 'bench' },
  ...(password === undefined ? {} : { password }),
})

export type OpenRole = 'pirogue_app' | 'pirogue_owner' | 'postgres'

/** A client that is closed with the run. */
export function openClient(
  server: BenchDatabase,
  role: OpenRole,
  connections_max: number,
  ends: Ends,
): Db {
  const as = role === 'postgres' ? {} : { role }
  const db = openDb({ ...clientOf(server), connections_max, ...as })
  ends.add(() => db.end({ timeout: 5 }))
  return db
}

/** The owner's client, which reaches each merchant's rows wherever they are. */
export async function openBooks(server: BenchDatabase, ends: Ends): Promise<Db> {
  const role = 'pirogue_owner'
  const control = openClient(server, role, 2, ends)
  const client = { ...clientOf(server), role, connections_max: 2 } as const
  const open = (group: Group) => openDb({ ...client, ...atGroup(client, group) })
  const readMap = () => listGroups(control)
  ends.add(await placePools({ readMap, onAway: () => undefined }, [{ control, open }]))
  return control
}
