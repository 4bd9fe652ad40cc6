// The service as a stranger runs it: `main.ts` as a process of its own, on a data directory of its
// own, so that a test can kill it the hard way and start it again.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import type { DatabaseOptions } from './database.ts'
import { serviceProgram } from './main-program.ts'

const startMaxMs = 60_000

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
}): Promise<ServiceProcess> {
  const child = spawn(process.execPath, serviceProgram(), {
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: options.data_dir,
      PORT: String(options.port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
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

/** Bytes of memory that a process holds now. */
export function residentBytes(pid: number): number {
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(statusOf(pid))?.[1] ?? psRss(pid))
}

/** Empty where there is no /proc. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

const psRss = (pid: number): string =>
  execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })

/** The operator's process: a child of ours that runs the simulator. */
function childrenOf({ pid }: ChildProcess): number[] {
  const ours = familyOf(pid ?? 0).slice(1)
  return ours.filter((one) => commandOf(one).includes(path.join('simulator', 'src')))
}

export function familyOf(pid: number): number[] {
  return [pid, ...childPids(pid).flatMap(familyOf)]
}

function childPids(pid: number): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return list.trim().split(' ').map(Number).filter(Boolean)
  } catch {
    // It has ended by itself: it has no children.
    return []
  }
}

/** Empty for a process that has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself, as intended.
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}
