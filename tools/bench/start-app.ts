// The app under load: a database (`database.ts`), and the service on it as a newcomer runs it,
// `main.ts` in processes of their own.

import path from 'node:path'
import type { Db } from '../../server/src/platform/db.ts'
import { type Ends, endChild } from '../../server/test/setup/ends.ts'
import { commandOf, cpuSeconds, familyOf } from '../../server/test/setup/process-tree.ts'
import { dropDirectory, makeDataDirectory } from '../processes/data-directory.ts'
import { launch, printedAddress } from '../processes/launch.ts'
import {
  type BenchDatabase,
  givenDatabase,
  type OpenRole,
  openBooks,
  openClient,
  ownDatabase,
} from './database.ts'
import type { Roles } from './options.ts'

/** CPU seconds used since the start, by kind of process. */
export type Cpu = Readonly<{ node: number; postgres: number; operator: number }>

export type BenchApp = Readonly<{
  /** Where payments are begun: the first process that serves the API. */
  api: Readonly<{ host: string; port: number }>
  database: BenchDatabase
  /** Opens a client that is closed with the app; of a cluster it reaches control alone. */
  open(role: OpenRole, connections_max?: number): Db
  /** The owner's client, which reaches every merchant's rows. */
  openBooks(): Promise<Db>
  cpu(): Cpu
  /** The id of the process that serves the API. */
  api_pid: number
  /** Processes that only work, in the order in which they were started. */
  worker_pids: readonly number[]
}>

export type BenchAppOptions = Readonly<{
  processes: Roles
  /** Where Node writes a CPU profile of each process at its end. */
  profile_dir: string | undefined
  /** An existing one, which stays; otherwise one is made, and dropped in the end. */
  data_dir?: string | undefined
  /** The address of a database that stands, which stays; otherwise one is made in `data_dir`. */
  database_url?: string | undefined
}>

export async function startApp(options: BenchAppOptions, ends: Ends): Promise<BenchApp> {
  const data_dir = options.data_dir ?? (await makeDataDirectory('bench'))
  if (options.data_dir === undefined) ends.add(() => dropDirectory(data_dir))
  const { database_url } = options
  const database =
    database_url === undefined
      ? await ownDatabase({ data_dir, keeps: options.data_dir !== undefined }, ends)
      : await givenDatabase(database_url)
  const processes: Started[] = []
  // One after the other: the first one migrates, and starts the operator that all use.
  for (const role of options.processes) {
    const { profile_dir } = options
    processes.push(await startMain({ data_dir, role, profile_dir, env: database.env }, ends))
  }
  const front = processes.find(({ role }) => role !== 'worker') ?? processes[0]
  if (front === undefined) throw new Error('no process serves the API')
  return {
    api: { host: front.host, port: front.port },
    database,
    open: (role, connections_max = 2) => openClient(database, role, connections_max, ends),
    openBooks: () => openBooks(database, ends),
    cpu: () => cpuOf(processes, database),
    api_pid: front.pid,
    worker_pids: processes.flatMap(({ role, pid }) => (role === 'worker' ? [pid] : [])),
  }
}

type Started = Readonly<{ role: string; host: string; port: number; pid: number }>
type Starting = Readonly<{
  data_dir: string
  role: string
  profile_dir: string | undefined
  env: Readonly<Record<string, string>>
}>

async function startMain(starting: Starting, ends: Ends): Promise<Started> {
  const { data_dir, role, profile_dir, env } = starting
  const child = launch({
    env: { DATA_DIR: data_dir, PORT: '0', ROLE: role, ...env },
    log_file: path.join(data_dir, `${role}.log`),
    flags: profile_dir === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile_dir],
  })
  ends.add(() => endChild(child, 'SIGTERM'))
  const url = new URL(await printedAddress(child))
  return { role, host: url.hostname, port: Number(url.port), pid: child.pid ?? 0 }
}

function cpuOf(processes: readonly Started[], { pids }: BenchDatabase): Cpu {
  const families = processes.map(({ pid }) => familyOf(pid))
  const operators = families.flat().filter((pid) => commandOf(pid).includes('simulator/src'))
  return {
    node: cpuSeconds(processes.map(({ pid }) => pid)),
    operator: cpuSeconds(operators),
    postgres: cpuSeconds(pids.flatMap(familyOf)),
  }
}
