// The sandbox operator as a process of its own, with its own memory and token. It ends when our end
// of its standard input closes, so that none survives us; if it dies it is started again, and it
// recovers its state from its journal. Law: never two over one journal, each would write it anew.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Logger } from 'pino'
import { operatorProgram } from './operator-program.ts'

export type SimulatorProcess = Readonly<{ url(): string; stop(): Promise<void> }>

export type SimulatorOptions = Readonly<{
  port: number
  token: string
  callback_secret: string
  /** Where its journal is kept. */
  dir: string
  /** How long it may take to start; for tests, the usual time is right. */
  start_max_ms?: number
  /** Whoever ends waits for no start. */
  signal?: AbortSignal | undefined
  log: Logger
}>

const start_max_ms_default = 60_000
/** Each that does not stay up is followed later than the one before: to start costs a core. */
const again_after_ms = { first: 500, most: 30_000 }
const stays_up_ms = 30_000

export async function startSimulatorProcess(options: SimulatorOptions): Promise<SimulatorProcess> {
  await mkdir(options.dir, { recursive: true })
  let child: ChildProcess
  let stopping = false
  let isUp = false
  let wait_ms = again_after_ms.first
  const begin = async (port: number): Promise<string> => {
    options.signal?.throwIfAborted()
    const mine = launch(options, port)
    child = mine
    isUp = false
    const url = await readUrl(mine, options).catch(async (error: unknown) => {
      await endNow(mine)
      throw error
    })
    isUp = true
    const up_ms = performance.now()
    mine.once('exit', (code, signal) => {
      if (stopping) return
      options.log.error({ code, signal }, 'the sandbox operator ended; starting it again')
      if (performance.now() - up_ms > stays_up_ms) wait_ms = again_after_ms.first
      beginAgain(Number(new URL(url).port))
    })
    return url
  }
  const beginAgain = (port: number): void => {
    const start = () => {
      if (stopping) return
      begin(port).catch((error: unknown) => {
        if (stopping) return
        options.log.error({ err: error }, 'the sandbox operator did not start again')
        beginAgain(port)
      })
    }
    setTimeout(start, wait_ms).unref()
    wait_ms = Math.min(wait_ms * 2, again_after_ms.most)
  }
  const url = await begin(options.port)
  return {
    url: () => url,
    async stop() {
      stopping = true
      // One that has not started yet does not see that its input is closed.
      if (!isUp) return endNow(child)
      if (!isRunning(child)) return
      const gone = once(child, 'exit')
      child.stdin?.end()
      await gone
    },
  }
}

const isRunning = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid !== undefined && exitCode === null && signalCode === null

/** One that is late may be reading its journal still, and would write it when it has. */
async function endNow(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

function launch({ token, callback_secret, dir }: SimulatorOptions, port: number): ChildProcess {
  return spawn(process.execPath, operatorProgram(), {
    // Detached from the terminal: Ctrl-C reaches us, and we end it in our own order.
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      SIMULATOR_PORT: String(port),
      SIMULATOR_TOKEN: token,
      SIMULATOR_CALLBACK_SECRET: callback_secret,
      SIMULATOR_JOURNAL: path.join(dir, 'simulator.jsonl'),
    },
  })
}

function readUrl(
  child: ChildProcess,
  { start_max_ms = start_max_ms_default, signal }: SimulatorOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error('the sandbox operator did not start in time')),
      start_max_ms,
    )
    const end = (fail?: Error) => {
      clearTimeout(late)
      signal?.removeEventListener('abort', leave)
      if (fail !== undefined) reject(fail)
    }
    const leave = () => end(new Error('the sandbox operator was ended while it started'))
    signal?.addEventListener('abort', leave)
    child.once('error', end)
    child.once('exit', (code) => end(new Error(`the sandbox operator ended with ${code}`)))
    if (child.stdout === null) return end(new Error('the sandbox operator has no output'))
    createInterface({ input: child.stdout }).once('line', (line) => {
      end()
      const message: unknown = JSON.parse(line)
      if (typeof message === 'object' && message !== null && 'url' in message)
        resolve(String(message.url))
      else reject(new Error('the sandbox operator said no address'))
    })
  })
}
