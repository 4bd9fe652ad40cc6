// The dialects that merchants of a sandbox have chosen: each is started when somebody first wants
// it, on a port of its own, and again with the operator. What opens an account with one is made of
// our own token, so that it is the same after a restart, whatever was remembered.

import { createHmac } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Resolved, Resolving } from './dialects/resolving.ts'

/** What an account with the dialect is set up with, beside its address. */
export type OpenedDialect = Readonly<{
  port: number
  settings: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
}>

export type DialectDesk = Readonly<{
  /** Its callbacks go to this address, or to addresses of this host. Undefined: none of ours. */
  open(name: string, callback_url: string): Promise<OpenedDialect | undefined>
  /** A test ends what waits at one that runs. Undefined: it does not run. */
  resolve(name: string, asked: Resolving): Promise<Resolved | undefined>
  /** Starts those that ran before; one that cannot keeps neither the operator nor the others. */
  resume(): Promise<void>
  stop(): Promise<void>
}>

export type DeskOptions = Readonly<{
  token: string
  host: string
  speed: number
  misbehaves: boolean
  /** The operator's own file; beside it each dialect has one. Absent: nothing is remembered. */
  journal?: string | undefined
}>

type Running = Readonly<{
  opened: OpenedDialect
  /** From now on its callbacks go there. */
  callTo(callback_url: string): void
  resolve(asked: Resolving): Resolved
  stop(): Promise<void>
}>

type Asked = Readonly<{ port: number; callback_url: string }>
type Start = (options: DeskOptions, asked: Asked, journal: string | undefined) => Promise<Running>

/** Loaded when they are wanted: a start without a choice reads none of them. */
const starters: ReadonlyMap<string, Start> = new Map([
  ['mtn', startMtnHere],
  ['pawapay', startPawapayHere],
])

/** Whole units: all merchants of the sandbox pay out of one account, and nobody fills it up. */
const opening_balance = 1_000_000_000_000

const made = (token: string, what: string): string =>
  createHmac('sha256', token).update(`dialect ${what}`).digest('hex')

/** A UUID of version 4 in its form. */
function uuidOf(token: string, what: string): string {
  const hex = made(token, what)
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ]
  return [...parts, hex.slice(20, 32)].join('-')
}

async function startMtnHere(
  { token, host, speed, misbehaves }: DeskOptions,
  { port, callback_url }: Asked,
  journal: string | undefined,
): Promise<Running> {
  const { startMtn } = await import('./dialects/mtn/start.ts')
  const products = ['collection', 'disbursement'].map((product) => ({
    product,
    id: uuidOf(token, `${product} user`),
    api_key: made(token, `${product} key`).slice(0, 32),
    subscription_key: made(token, `${product} subscription`).slice(0, 32),
  }))
  const how = { host, port, speed, misbehaves, opening_balance, ...(journal ? { journal } : {}) }
  const mtn = await startMtn(how)
  const callTo = (url: string) => {
    for (const { product: _product, ...user } of products) {
      mtn.keepUser({ ...user, callback_host: new URL(url).hostname })
    }
  }
  callTo(callback_url)
  const secrets = products.flatMap(({ product, id, api_key, subscription_key }) => [
    [`${product}_subscription_key`, subscription_key],
    [`${product}_api_user`, id],
    [`${product}_api_key`, api_key],
  ])
  return {
    opened: {
      port: mtn.port,
      settings: { target_environment: 'sandbox', wire_currency: 'EUR' },
      secrets: Object.fromEntries(secrets),
    },
    callTo,
    resolve: mtn.resolve,
    stop: mtn.stop,
  }
}

async function startPawapayHere(
  { token: own, host, speed, misbehaves }: DeskOptions,
  { port, callback_url }: Asked,
  journal: string | undefined,
): Promise<Running> {
  const { startPawapay } = await import('./dialects/pawapay/start.ts')
  const token = made(own, 'pawapay token')
  const how = { host, port, speed, misbehaves, opening_balance, ...(journal ? { journal } : {}) }
  const pawapay = await startPawapay({ ...how, token })
  const callTo = (url: string) =>
    pawapay.setCallbacks({ deposits: url, payouts: url, refunds: url })
  callTo(callback_url)
  return {
    opened: { port: pawapay.port, settings: {}, secrets: { api_token: token } },
    callTo,
    resolve: pawapay.resolve,
    stop: pawapay.stop,
  }
}

export function openDesk(options: DeskOptions): DialectDesk {
  const { journal } = options
  const memory = journal === undefined ? undefined : beside(journal, 'dialects')
  const remembered = new Map<string, Asked>(readMemory(memory))
  const running = new Map<string, Promise<Running>>()
  let stopped = false

  const remember = (name: string, asked: Asked): void => {
    remembered.set(name, asked)
    if (memory === undefined) return
    const next = `${memory}.next`
    writeFileSync(next, JSON.stringify(Object.fromEntries(remembered)), { mode: 0o600 })
    renameSync(next, memory)
  }

  /** On the port that it had, unless somebody else has that now. */
  async function start(name: string, begin: Start, callback_url: string): Promise<Running> {
    const own = journal === undefined ? undefined : beside(journal, name)
    const port = remembered.get(name)?.port ?? 0
    const asked = { port, callback_url }
    return begin(options, asked, own).catch((error: unknown) => {
      if (port === 0) throw error
      return begin(options, { ...asked, port: 0 }, own)
    })
  }

  async function open(name: string, callback_url: string): Promise<OpenedDialect | undefined> {
    const begin = starters.get(name)
    if (begin === undefined || stopped) return undefined
    const starting = running.get(name) ?? start(name, begin, callback_url)
    running.set(name, starting)
    const one = await starting.catch((error: unknown) => {
      running.delete(name)
      throw error
    })
    one.callTo(callback_url)
    remember(name, { port: one.opened.port, callback_url })
    return one.opened
  }

  return {
    open,
    resolve: async (name, asked) => (await running.get(name))?.resolve(asked),
    async resume() {
      const all = [...remembered].map(([name, { callback_url }]) => open(name, callback_url))
      for (const one of await Promise.allSettled(all)) {
        if (one.status === 'fulfilled') continue
        process.stderr.write(`simulator: a dialect does not run: ${one.reason}\n`)
      }
    },
    async stop() {
      stopped = true
      const all = await Promise.allSettled(running.values())
      await Promise.all(all.map((one) => (one.status === 'fulfilled' ? one.value.stop() : null)))
    },
  }
}

/** `simulator.jsonl` and `mtn` is `simulator.mtn.jsonl`. */
const beside = (journal: string, name: string): string =>
  `${journal.replace(/\.jsonl$/, '')}.${name}.jsonl`

/** What nobody can read is as none: the next choice writes it again. */
function readMemory(file: string | undefined): [string, Asked][] {
  if (file === undefined || !existsSync(file)) return []
  try {
    const all: Record<string, Asked> = JSON.parse(readFileSync(file, 'utf8'))
    return Object.entries(all).filter(([, one]) => Number.isInteger(one.port))
  } catch {
    return []
  }
}
