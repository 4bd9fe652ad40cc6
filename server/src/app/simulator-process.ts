// The sandbox operator as a process of its own, with its own memory and token. It ends when our end
// of its standard input closes, so that none survives us; if it dies it is started again, and it
// recovers its state from its journal.

import { type ChildProcess, spawn } from 'node:child_process'
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
  log: Logger
}>

const startMaxMs = 60_000
const restartAfterMs = 500

export async function startSimulatorProcess(options: SimulatorOptions): Promise<SimulatorProcess> {
  await mkdir(options.dir, { recursive: true })
  let child: ChildProcess
  let stopping = false
  const begin = async (port: number): Promise<string> => {
    child = launch(options, port)
    const url = await readUrl(child)
    child.once('exit', (code, signal) => {
      if (stopping) return
      options.log.error({ code, signal }, 'the sandbox operator ended; starting it again')
      beginAgain(Number(new URL(url).port))
    })
    return url
  }
  const beginAgain = (port: number): void => {
    const start = () => {
      if (stopping) return
      begin(port).catch((error: unknown) => {
        options.log.error({ err: error }, 'the sandbox operator did not start again')
        beginAgain(port)
      })
    }
    setTimeout(start, restartAfterMs).unref()
  }
  const url = await begin(options.port)
  return {
    url: () => url,
    async stop() {
      stopping = true
      const gone = new Promise((resolve) => child.once('exit', resolve))
      if (child.exitCode !== null || child.signalCode !== null) return
      child.stdin?.end()
      await gone
    },
  }
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

function readUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error('the sandbox operator did not start')),
      startMaxMs,
    )
    const end = (fail?: Error) => {
      clearTimeout(late)
      if (fail !== undefined) reject(fail)
    }
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
