// A service of our own to be fuzzed: `main.ts` as a process, on a data directory that goes with it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { connect } from '../../server/src/app/connect.ts'
import { keyringOf } from '../../server/src/app/secret-key.ts'
import { readConfig } from '../../server/src/platform/config.ts'
import { serviceProgram } from '../../server/test/setup/main-program.ts'
import type { Ground } from './world.ts'

export type Server = Ground & Readonly<{ stop(): Promise<void> }>

export async function startServer(): Promise<Server> {
  const data_dir = await mkdtemp(path.join(tmpdir(), 'pirogue-fuzz-'))
  const env = { DATA_DIR: data_dir, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'error' }
  const child = spawn(process.execPath, serviceProgram(), {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const end = async () => {
    child.kill('SIGTERM')
    await exited
    await rm(data_dir, { recursive: true, force: true })
  }
  try {
    const url = await printedAddress(child.stdout, exited)
    return { url, ...(await openGround(env, end)) }
  } catch (error) {
    await end()
    throw error
  }
}

/** The database is shared with the process that runs it; it is left before that one ends. */
async function openGround(env: Record<string, string>, end: () => Promise<void>) {
  const reading = readConfig(env)
  if (reading.is === 'mistakes') throw new Error(reading.lines.join('\n'))
  const connection = await connect(reading.config, pino({ level: 'silent' }))
  const db = connection.open('superuser', { connections_max: 4, durable: true, name: 'fuzz' })
  return {
    db,
    keyring: await keyringOf(reading.config),
    async stop() {
      await connection.stop()
      await end()
    },
  }
}

/** The address that the banner shows once everything is started. */
function printedAddress(output: NodeJS.ReadableStream, exited: Promise<unknown>): Promise<string> {
  let printed = ''
  return new Promise((resolve, reject) => {
    output.on('data', (chunk) => {
      printed += String(chunk)
      const [, base] = /API +(http:\S+)\/api\/v1/.exec(printed) ?? []
      if (base !== undefined && /Health +http/.test(printed)) resolve(base)
    })
    exited.then(() => reject(new Error(`the service ended: ${printed}`)), reject)
  })
}
