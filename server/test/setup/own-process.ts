// The service as a stranger runs it: `main.ts` as a process of its own, on a data directory of its
// own, so that a test can kill it the hard way and start it again.

import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import type { DatabaseOptions } from './database.ts'
import { serviceProgram } from './main-program.ts'
import { commandOf, familyOf } from './process-tree.ts'
import { layReadyCluster } from './ready-cluster.ts'

/** Against what hangs, not what is slow on a busy machine. */
const startMaxMs = 110_000

export type ServiceProcess = Readonly<{
  url: string
  simulator_url: string
  /** The service itself and all it has started: database, operator, their own children. */
  pids(): number[]
  output(): string
  /** SIGKILL to the service and to the operator beside it: nothing is shut down. */
  killHard(): Promise<void>
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>
}>

export async function startProcess(options: {
  data_dir: string
  port: number
  env?: Record<string, string>
  /** On a database that this very start makes; else on a copy of the run's (`ready-cluster`). */
  from_nothing?: boolean
  /** What Node runs; default: the bundle of the run. */
  program?: readonly string[]
}): Promise<ServiceProcess> {
  const is_own = options.env?.['DATABASE_URL'] === undefined
  if (is_own && options.from_nothing !== true) {
    await layReadyCluster(path.join(options.data_dir, 'postgres'))
  }
  const child = spawn(process.execPath, options.program ?? serviceProgram(), {
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: options.data_dir,
      PORT: String(options.port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      // However many cores the machine has.
      PROCESSES: '1',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const until = Date.now() + startMaxMs
  while (!/Operator +http/.test(output)) {
    if (child.exitCode !== null) throw new Error(`the service ended: ${output}`)
    if (Date.now() > until) {
      child.kill('SIGTERM')
      throw new Error(`the service did not start: ${output}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  const simulator_url = /Operator +(http\S+)/.exec(output)?.[1] ?? ''
  const exited = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => resolve(code)),
  )
  return {
    url: `http://127.0.0.1:${options.port}`,
    simulator_url,
    pids: () => familyOf(child.pid ?? 0),
    output: () => output,
    async killHard() {
      // It stands still while its children are looked for: it would answer on meanwhile.
      child.kill('SIGSTOP')
      for (const pid of childrenOf(child)) kill(pid)
      child.kill('SIGKILL')
      await exited
    },
    async stop() {
      child.kill('SIGTERM')
      return exited
    },
  }
}

/** The settings that lead a process to a test's database, wherever its socket is. */
export const databaseEnv = ({ host, port, user, database, password }: DatabaseOptions) => ({
  DATABASE_URL: `postgres:///${database}`,
  PGHOST: host,
  PGPORT: String(port),
  PGUSER: user,
  ...(password === undefined ? {} : { PGPASSWORD: password }),
})

/** The operator's process: a child of ours that runs the simulator. */
function childrenOf({ pid }: ChildProcess): number[] {
  const ours = familyOf(pid ?? 0).slice(1)
  return ours.filter((one) => commandOf(one).includes(path.join('simulator', 'src')))
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself, as intended.
  }
}
