// The sandbox operator of this installation: the configured one, one that another process runs
// already, or one of our own. Law: another's is looked for again and again, because it may take
// another address when it is started anew, or go for good; then one of those left starts its own.
// Where none can be started the service goes on without: LIVE needs none.

import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Db } from '../platform/db.ts'
import { giveUpLease, takeLease } from '../platform/jobs/leases.ts'
import { findServiceUrl, saveServiceUrl } from '../platform/server-addresses.ts'
import type { Config } from './config.ts'
import { type SimulatorProcess, startSimulatorProcess } from './simulator-process.ts'
import { simulatorSecrets } from './wire.ts'

export type SandboxOperator = Readonly<{
  url: () => string
  /** Ours, on this machine. */
  own: () => boolean
  /** What is done when another one has taken the place of the one that was found. */
  onMoved: (act: () => void) => void
  stop(): Promise<void>
}>

/** How often another's is looked for, and how often in vain before one of our own is started. */
export type Looks = Readonly<{ every_ms: number; vain_max: number }>

/**
 * A minute and a half: whoever ran it is given time to start again, which may take a minute after a
 * pause of half a one, because it alone has its memory.
 */
const looks_default: Looks = { every_ms: 3_000, vain_max: 31 }
const pause_ms = 250

/** The database where its address is, what its secrets are made of, and the log. */
type Reach = Readonly<{ db: Db; keyring: Parameters<typeof simulatorSecrets>[0]; log: Logger }>

/** Found where it is, or started; what it does when another's is gone is in `watched`. */
export async function startSandboxOperator(
  config: Pick<Config, 'simulator_url' | 'simulator_port' | 'data_dir'>,
  { db, keyring, log }: Reach,
  looks: Looks = looks_default,
): Promise<SandboxOperator> {
  if (config.simulator_url !== null) return fixedOperator({ url: config.simulator_url, own: false })
  const dir = path.resolve(config.data_dir)
  const begin: Begin = {
    start: (signal) =>
      startSimulatorProcess({
        port: config.simulator_port,
        ...simulatorSecrets(keyring),
        ...{ dir, log, signal },
      }),
    port_file: path.join(dir, 'simulator.port'),
    token: () => simulatorSecrets(keyring).token,
  }
  for (;;) {
    const found = await findOrBegin(db, begin).catch((err: unknown) => {
      if (!(err instanceof NotStarted)) throw err
      log.error({ err }, 'no sandbox operator; one is tried again, and the sandbox pays nothing')
      return nowhere
    })
    if (found !== undefined) return watched(found, { db, begin, log, looks })
    await sleep(pause_ms)
  }
}

/** One that another process has found for us, and looks after where it may have to be started. */
export function followOperator(
  config: Pick<Config, 'simulator_url'>,
  { url, own }: Readonly<{ url: string; own: boolean }>,
  { db, log }: Omit<Reach, 'keyring'>,
): SandboxOperator {
  if (own || config.simulator_url !== null) return fixedOperator({ url, own })
  return watched({ url: () => url }, { db, log, looks: looks_default })
}

const fixedOperator = ({ url, own }: Readonly<{ url: string; own: boolean }>): SandboxOperator => ({
  url: () => url,
  own: () => own,
  onMoved: () => undefined,
  stop: async () => undefined,
})

/** Another's, or a process of our own. */
type Found = Readonly<{ url: () => string; stop?: () => Promise<void> }>
type Begin = Readonly<{
  /** Waited for until the signal, where there is one. */
  start: (signal?: AbortSignal) => Promise<SimulatorProcess>
  /** Where one over the same journal keeps its port. */
  port_file: string
  /** What opens one of ours. */
  token: () => string
}>

/** Nobody listens there: where the operator is while there is none. */
export const no_operator_url = 'http://127.0.0.1:1'
const nowhere: Found = { url: () => no_operator_url }

class NotStarted extends Error {}

/**
 * Undefined while another process is starting one: of several that find none at the same moment one
 * starts it, and never two over one journal.
 */
async function findOrBegin(db: Db, begin: Begin, signal?: AbortSignal): Promise<Found | undefined> {
  const owner = randomUUID()
  const elsewhere = (await aliveElsewhere(db)) ?? (await aliveHere(begin))
  if (elsewhere !== undefined) return elsewhere
  const lease = await takeLease(db, lease_name, lease_s, owner)
  if (lease === undefined) return undefined
  try {
    return (await aliveElsewhere(db)) ?? (await beginOwn(db, begin, signal))
  } finally {
    await giveUpLease(db, { name: lease_name, owner, ...lease })
  }
}

const lease_name = 'sandbox-operator'
/** Longer than one may take to start. */
const lease_s = 75

async function beginOwn(db: Db, begin: Begin, signal?: AbortSignal): Promise<Found> {
  const own = await begin.start(signal).catch((cause: unknown) => {
    throw new NotStarted('the sandbox operator did not start', { cause })
  })
  try {
    await saveServiceUrl(db, 'simulator', own.url())
    return own
  } catch (error) {
    await own.stop()
    throw error
  }
}

async function aliveElsewhere(db: Db): Promise<Found | undefined> {
  const url = await findServiceUrl(db, 'simulator')
  return url === undefined ? undefined : aliveAt(url)
}

/**
 * The address in the database is another one's where a start on another machine wrote it, and leads
 * to nobody here. Two over one journal would each write it anew: one that another database's start
 * has begun over it is no operator of ours, and leaves no place for one.
 */
async function aliveHere({ port_file, token }: Begin): Promise<Found | undefined> {
  const port = await readFile(port_file, 'utf8').catch(() => '')
  if (!/^\d{1,5}\n$/.test(port)) return undefined
  const url = `http://127.0.0.1:${Number(port)}`
  const found = await aliveAt(url)
  if (found === undefined || !(await refuses(url, token()))) return found
  throw new NotStarted(
    `the sandbox operator of this DATA_DIR, at ${url}, refuses our token: it is another ` +
      'database’s. Give each database a DATA_DIR of its own',
  )
}

const refuses = (url: string, token: string): Promise<boolean> =>
  fetch(`${url}/books/totals`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(1000),
  }).then(
    ({ status }) => status === 401,
    () => false,
  )

async function aliveAt(url: string): Promise<Found | undefined> {
  const answered = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1000) }).then(
    (reply) => reply.ok,
    () => false,
  )
  return answered ? { url: () => url } : undefined
}

type Watching = Readonly<{ db: Db; log: Logger; looks: Looks; begin?: Begin }>

/** What was found, and what takes its place. Our own is started again by its process alone. */
function watched(first: Found, { db, log, looks, begin }: Watching): SandboxOperator {
  const ending = new AbortController()
  let found = first
  let vain = 0
  let act = () => {}
  const look = async () => {
    const elsewhere = await aliveElsewhere(db)
    vain = elsewhere === undefined ? vain + 1 : 0
    const is_gone = vain >= looks.vain_max && begin !== undefined
    // One that does not start is tried again after as many looks.
    if (is_gone) vain = 0
    const next = elsewhere ?? (is_gone ? await findOrBegin(db, begin, ending.signal) : undefined)
    if (next === undefined) return
    const is_same = next.stop === undefined && next.url() === found.url()
    found = next
    vain = 0
    if (is_same) return
    log.warn({ url: found.url() }, 'the sandbox operator is another one now')
    act()
  }
  const lookOn = async () => {
    while (found.stop === undefined) {
      await sleep(looks.every_ms, undefined, { signal: ending.signal, ref: false }).catch(ignore)
      if (ending.signal.aborted) return
      await look().catch((err: unknown) => {
        if (!ending.signal.aborted) log.warn({ err }, 'no sandbox operator was found')
      })
    }
  }
  const looking = lookOn()
  return {
    url: () => found.url(),
    own: () => found.stop !== undefined,
    onMoved(then) {
      act = then
    },
    async stop() {
      ending.abort()
      await looking
      await found.stop?.()
    },
  }
}

/** It was ended: that is looked at by itself. */
const ignore = (): void => {}
