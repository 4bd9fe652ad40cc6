// How each dialect that merchants of a sandbox may choose is started, and what opens an account
// with it. Law: what opens it is made of the operator's own token.

import { createHmac } from 'node:crypto'
import type { Resolved, Resolving } from './dialects/resolving.ts'

/** What an account with the dialect is set up with, beside its address. */
export type OpenedDialect = Readonly<{
  port: number
  settings: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
}>

export type DeskOptions = Readonly<{
  token: string
  host: string
  speed: number
  misbehaves: boolean
  /** The operator's own file; beside it each dialect has one. Absent: nothing is remembered. */
  journal?: string | undefined
  /** Where payers' browsers reach the operator's own pages, when that is not where it listens. */
  public_url?: string | undefined
}>

export type Running = Readonly<{
  opened: OpenedDialect
  /** From now on its callbacks go there. */
  callTo(callback_url: string): void
  resolve(asked: Resolving): Resolved
  stop(): Promise<void>
}>

export type Asked = Readonly<{ port: number; callback_url: string }>
export type Start = (
  options: DeskOptions,
  asked: Asked,
  journal: string | undefined,
) => Promise<Running>

/** Loaded when they are wanted: a start without a choice reads none of them. */
export const starters: ReadonlyMap<string, Start> = new Map([
  ['mtn', startMtnHere],
  ['pawapay', startPawapayHere],
  ['wave', startWaveHere],
  ['fedapay', startFedapayHere],
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

/** Its pages are on its own port, on whichever machine the operator's own pages are reached at. */
function pagesAt({ public_url }: DeskOptions): { pages_at?: (port: number) => string } {
  if (public_url === undefined) return {}
  const { protocol, hostname } = new URL(public_url)
  return { pages_at: (port) => `${protocol}//${hostname}:${port}` }
}

async function startWaveHere(
  options: DeskOptions,
  { port, callback_url }: Asked,
  journal: string | undefined,
): Promise<Running> {
  const { startWave } = await import('./dialects/wave/start.ts')
  const { token, host, speed, misbehaves } = options
  const api_key = `wave_sn_prod_${made(token, 'wave key').slice(0, 32)}`
  const webhook_secret = `wave_sn_WHS_${made(token, 'wave webhook').slice(0, 32)}`
  const how = { host, port, speed, misbehaves, opening_balance, ...(journal ? { journal } : {}) }
  const wave = await startWave({ ...how, ...pagesAt(options), api_key, on_page: true })
  const callTo = (url: string) =>
    wave.register({ url, secrets: [webhook_secret], strategy: 'SIGNING_SECRET' })
  callTo(callback_url)
  return {
    opened: { port: wave.port, settings: {}, secrets: { api_key, webhook_secret } },
    callTo,
    resolve: wave.resolve,
    stop: wave.stop,
  }
}

async function startFedapayHere(
  { token, host, speed, misbehaves }: DeskOptions,
  { port, callback_url }: Asked,
  journal: string | undefined,
): Promise<Running> {
  const { startFedapay } = await import('./dialects/fedapay/start.ts')
  const secret_key = `sk_sandbox_${made(token, 'fedapay key').slice(0, 32)}`
  const webhook_secret = `wh_sandbox_${made(token, 'fedapay webhook').slice(0, 32)}`
  const how = { host, port, speed, misbehaves, ...(journal ? { journal } : {}) }
  const fedapay = await startFedapay({ ...how, secret_key })
  const callTo = (url: string) => fedapay.setWebhook({ url, secret: webhook_secret })
  callTo(callback_url)
  return {
    opened: { port: fedapay.port, settings: {}, secrets: { secret_key, webhook_secret } },
    callTo,
    resolve: fedapay.resolve,
    stop: fedapay.stop,
  }
}
