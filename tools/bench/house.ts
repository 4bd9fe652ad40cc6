// The house under load: a PostgreSQL of its own with production settings in a temporary directory,
// and the service on it as a stranger runs it, `main.ts` in processes of their own.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Db, openDb } from '../../server/src/platform/db.ts'
import { type Embedded, startEmbedded } from '../../server/src/platform/embedded/start-embedded.ts'
import { commandOf, cpuSeconds, familyOf } from './cpu.ts'
import { type Ends, endChild } from './ends.ts'
import type { Roles } from './options.ts'

const main = fileURLToPath(new URL('../../server/src/app/main.ts', import.meta.url))
const starts_within_ms = 60_000

/** CPU seconds used since the start, by whose they are. */
export type Cpu = Readonly<{ node: number; postgres: number; operator: number }>

export type House = Readonly<{
  /** Where payments are begun: the first process that serves the API. */
  api: Readonly<{ host: string; port: number }>
  postgres: Embedded
  /** Opens a client that is ended with the house. */
  open(role: 'pirogue_app' | 'pirogue_owner' | 'postgres', database?: string): Db
  cpu(): Cpu
}>

export type HouseOptions = Readonly<{
  processes: Roles
  /** Where Node writes a CPU profile of each process at its end. */
  profile_dir: string | undefined
}>

export async function startHouse(options: HouseOptions, ends: Ends): Promise<House> {
  const data_dir = await mkdtemp(path.join(tmpdir(), 'pirogue-bench-'))
  // The account that runs PostgreSQL must be able to enter, else the data would lie elsewhere.
  await chmod(data_dir, 0o755)
  ends.add(() => rm(data_dir, { recursive: true, force: true }))
  const postgres = await startEmbedded({ dir: path.join(data_dir, 'postgres') })
  ends.add(() => rm(postgres.directory, { recursive: true, force: true }))
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
    open: (role, database = 'postgres') => openFor({ postgres, ends }, role, database),
    cpu: () => cpuOf(processes, postgres),
  }
}

function openFor({ postgres, ends }: { postgres: Embedded; ends: Ends }, role: string, db: string) {
  const { host, port, user } = postgres
  const opened = openDb({
    host,
    port,
    user,
    database: db,
    connections_max: 2,
    durable: true,
    application_name: 'bench',
    ...(role === 'pirogue_app' || role === 'pirogue_owner' ? { role } : {}),
  })
  ends.add(() => opened.end({ timeout: 5 }))
  return opened
}

type Started = Readonly<{ role: string; host: string; port: number; pid: number }>
type Starting = Readonly<{ data_dir: string; role: string; profile_dir: string | undefined }>

async function startMain({ data_dir, role, profile_dir }: Starting, ends: Ends): Promise<Started> {
  const log = openSync(path.join(data_dir, `${role}.log`), 'a')
  const profile = profile_dir === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile_dir]
  const child = spawn(process.execPath, [...profile, '--import', 'tsx', main], {
    env: { PATH: process.env['PATH'], DATA_DIR: data_dir, PORT: '0', ROLE: role },
    stdio: ['ignore', 'pipe', log],
  })
  closeSync(log)
  ends.add(() => endChild(child, 'SIGTERM'))
  const url = new URL(await addressSaid(child))
  return { role, host: url.hostname, port: Number(url.port), pid: child.pid ?? 0 }
}

/** The address in the banner, which is printed when everything is ready. */
function addressSaid(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const late = setTimeout(() => reject(new Error(`not started: ${said}`)), starts_within_ms)
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${said}`)))
    child.stdout?.on('data', (chunk) => {
      said += chunk
      const [, url] = /API +(http\S+)/.exec(said) ?? []
      if (url === undefined) return
      clearTimeout(late)
      resolve(url)
    })
  })
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
