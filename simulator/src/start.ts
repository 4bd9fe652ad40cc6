// The entry of the package: starts the operator in this process and stops it without leaving
// anything behind. `main.ts` runs the same as a process of its own.

import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { createBooks, listBooks } from './books.ts'
import { openDesk } from './dialect-desk.ts'
import { resume } from './end-order.ts'
import { openJournal } from './journal.ts'
import type { Book } from './order.ts'
import { OrderMemory } from './order-memory.ts'
import { createPoster } from './post.ts'
import { createOperatorServer } from './server.ts'
import { createAlarms, type SimulatorDeps } from './simulator-deps.ts'

export type { Book } from './order.ts'

export type SimulatorOptions = Readonly<{
  /** 0: any free port. */
  port: number
  host?: string
  /** The bearer token of every operator route. */
  token: string
  callback_secret: string
  /** File of the operator's memory. Absent: it forgets when it stops. */
  journal?: string
  /** How many orders it remembers. Absent: what half of its memory holds, at most 500,000. */
  orders_max?: number
  /** Divides every delay (default 1). */
  speed?: number
  /** For conformance tests: numbers ending in 9910 to 9915 misbehave. Never set for merchants. */
  misbehaves?: boolean
  /** Where payers' browsers reach the pages, when that is not where the server listens. */
  public_url?: string
}>

export type Simulator = Readonly<{
  /** Without a last slash. */
  url: string
  port: number
  books(): Book[]
  stop(): Promise<void>
}>

/** An address that a client on this machine can use for what the server is bound to. */
function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/**
 * Any free port is the one that it had, unless somebody else has that now: who has a page of it
 * open goes on after a restart.
 */
async function listen(
  server: Server,
  { port, host, journal }: Readonly<{ port: number; host: string; journal?: string }>,
): Promise<number> {
  const memory = journal === undefined ? undefined : `${journal.replace(/\.jsonl$/, '')}.port`
  const before = port === 0 && memory !== undefined ? readPort(memory) : 0
  const listenAt = async (wanted: number): Promise<void> => {
    server.listen(wanted, host)
    await once(server, 'listening')
  }
  if (before === 0) await listenAt(port)
  else await listenAt(before).catch(() => listenAt(port))
  const address = server.address()
  const found = typeof address === 'object' && address !== null ? address.port : port
  if (memory !== undefined && found !== before) writeFileSync(memory, `${found}\n`, { mode: 0o600 })
  return found
}

/** 0: none that can be read. */
function readPort(file: string): number {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  return /^\d{1,5}$/.test(text) && Number(text) < 65_536 ? Number(text) : 0
}

export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { host = '127.0.0.1', speed = 1 } = options
  if (!(speed > 0)) throw new Error('speed must be greater than 0')
  const memory = new OrderMemory(options.orders_max)
  const journal = await openJournal(options.journal, memory)
  let url = ''
  const publicUrl = () => options.public_url?.replace(/\/+$/, '') ?? url
  const misbehaves = options.misbehaves ?? false
  const deps: SimulatorDeps = {
    books: createBooks(memory, journal),
    alarms: createAlarms(),
    poster: createPoster(),
    dialects: openDesk({ ...options, host, speed, misbehaves, publicUrl }),
    callback_secret: options.callback_secret,
    speed,
    misbehaves,
    publicUrl,
  }
  const server = createOperatorServer(deps, options.token)
  const port = await listen(server, { ...options, host }).catch(async (error: unknown) => {
    await journal.close()
    throw error
  })
  url = urlOf(host, port)
  resume(deps)
  await deps.dialects.resume()

  const end = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    deps.alarms.stop()
    deps.poster.close()
    await deps.dialects.stop()
    server.closeAllConnections()
    await closed
    await journal.close()
  }
  let ended: Promise<void> | undefined
  const stop = (): Promise<void> => {
    ended ??= end()
    return ended
  }
  return { url, port, books: () => listBooks(deps.books), stop }
}
