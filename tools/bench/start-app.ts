// The app under load: a PostgreSQL of its own with production settings in a temporary directory,
// and the service on it as a newcomer runs it, `main.ts` in processes of their own.

import path from 'node:path'
import { type Db, openDb } from '../../server/src/platform/db.ts'
import { type Embedded, startEmbedded } from '../../server/src/platform/embedded/start-embedded.ts'
import { type Ends, endChild } from '../../server/test/setup/ends.ts'
import { commandOf, cpuSeconds, familyOf } from '../../server/test/setup/process-tree.ts'
import { dropDirectory, makeDataDirectory } from '../processes/data-directory.ts'
import { launch, printedAddress } from '../processes/launch.ts'
import type { Roles } from './options.ts'

/** CPU seconds used since the start, by kind of process. */
export type Cpu = Readonly<{ node: number; postgres: number; operator: number }>

export type BenchApp = Readonly<{
  /** Where payments are begun: the first process that serves the API. */
  api: Readonly<{ host: string; port: number }>
  postgres: Embedded
  /** Opens a client that is closed with the app. */
  open(role: OpenRole, connections_max?: number): Db
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
}>

export async function startApp(options: BenchAppOptions, ends: Ends): Promise<BenchApp> {
  const data_dir = options.data_dir ?? (await makeDataDirectory('bench'))
  if (options.data_dir === undefined) ends.add(() => dropDirectory(data_dir))
  const postgres = await startEmbedded({ dir: path.join(data_dir, 'postgres') })
  if (options.data_dir === undefined) ends.add(() => dropDirectory(postgres.directory))
  ends.add(() => postgres.stop())
  const processes: Started[] = []
  // One after the other: the first one migrates, and starts the operator that all use.
  for (const role of options.processes) {
    processes.push(await startMain({ data_dir, role, profile_dir: options.profile_dir }, ends))
  }
  const front = processes.find(({ role }) => role !== 'worker') ?? processes[0]
  if (front === undefined) throw new Error('no process serves the API')
  return {
    api: { host: front.host, port: front.port },
    postgres,
    open: (role, connections_max = 2) => openFor({ postgres, ends }, role, connections_max),
    cpu: () => cpuOf(processes, postgres),
    api_pid: front.pid,
    worker_pids: processes.flatMap(({ role, pid }) => (role === 'worker' ? [pid] : [])),
  }
}

type OpenRole = 'pirogue_app' | 'pirogue_owner' | 'postgres'
type Opening = Readonly<{ postgres: Embedded; ends: Ends }>

function openFor({ postgres, ends }: Opening, role: OpenRole, connections_max: number) {
  const { host, port, user } = postgres
  const db = openDb({
    host,
    port,
    user,
    database: 'postgres',
    connections_max,
    durable: true,
    application_name: 'bench',
    ...(role === 'postgres' ? {} : { role }),
  })
  ends.add(() => db.end({ timeout: 5 }))
  return db
}

type Started = Readonly<{ role: string; host: string; port: number; pid: number }>
type Starting = Readonly<{ data_dir: string; role: string; profile_dir: string | undefined }>

async function startMain({ data_dir, role, profile_dir }: Starting, ends: Ends): Promise<Started> {
  const child = launch({
    env: { DATA_DIR: data_dir, PORT: '0', ROLE: role },
    log_file: path.join(data_dir, `${role}.log`),
    flags: profile_dir === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile_dir],
  })
  ends.add(() => endChild(child, 'SIGTERM'))
  const url = new URL(await printedAddress(child))
  return { role, host: url.hostname, port: Number(url.port), pid: child.pid ?? 0 }
}

function cpuOf(processes: readonly Started[], postgres: Embedded): Cpu {
  const families = processes.map(({ pid }) => familyOf(pid))
  const operators = families.flat().filter((pid) => commandOf(pid).includes('simulator/src'))
  return {
    node: cpuSeconds(processes.map(({ pid }) => pid)),
    operator: cpuSeconds(operators),
    postgres: cpuSeconds(familyOf(postgres.pid ?? 0)),
  }
}
