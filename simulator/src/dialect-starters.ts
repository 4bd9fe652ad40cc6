// How each dialect is started, for merchants of a sandbox who choose it and as a process of its
// own, and what opens an account with it. Law: what opens it is made of the token that it is given.

import { createHmac } from 'node:crypto'
import type { Resolved, Resolving } from './dialects/resolving.ts'
import type { PageCall, PageReply } from './page-frame.ts'

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
  /** Where payers reach the operator's own pages, and those of dialects; without a last slash.
   * Absent: a dialect's pages are on its own port. */
  publicUrl?: () => string
}>

export type Running = Readonly<{
  opened: OpenedDialect
  /** From now on its callbacks go there. */
  callTo(callback_url: string): void
  resolve(asked: Resolving): Resolved | Promise<Resolved>
  /** Answers a payer. Absent: it has no pages. */
  page?(call: PageCall): PageReply | Promise<PageReply>
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
  ['orange', startOrangeHere],
  ['stripe', startStripeHere],
])

/**
 * Whole units: all merchants of the sandbox pay out of one account, and nobody fills it up. Of
 * twelve digits, as the longest sum that is read.
 */
const opening_balance = 900_000_000_000

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

/** Its pages are beside the operator's own: a payer's browser reaches no port of a wire. */
const pagesOf = (name: string, { publicUrl }: DeskOptions) =>
  publicUrl === undefined ? {} : { pages_at: () => `${publicUrl()}/pay/${name}` }

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
  const wave = await startWave({ ...how, ...pagesOf('wave', options), api_key, on_page: true })
  const callTo = (url: string) =>
    wave.register({ url, secrets: [webhook_secret], strategy: 'SIGNING_SECRET' })
  callTo(callback_url)
  return {
    opened: { port: wave.port, settings: {}, secrets: { api_key, webhook_secret } },
    callTo,
    resolve: wave.resolve,
    page: wave.page,
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

/** Each payment names where to call. */
async function startOrangeHere(
  options: DeskOptions,
  { port }: Asked,
  journal: string | undefined,
): Promise<Running> {
  const { startOrange } = await import('./dialects/orange/start.ts')
  const { token, host, speed } = options
  const access = {
    client_id: made(token, 'orange client').slice(0, 32),
    client_secret: made(token, 'orange secret').slice(0, 32),
    merchant_key: made(token, 'orange merchant').slice(0, 32),
  }
  const how = { host, port, speed, ...(journal ? { journal } : {}) }
  const orange = await startOrange({ ...how, ...pagesOf('orange', options), access })
  return {
    opened: {
      port: orange.port,
      settings: { country_path: 'dev', wire_currency: 'OUV', shown_name: 'Pirogue' },
      secrets: access,
    },
    callTo: () => undefined,
    resolve: orange.resolve,
    page: orange.page,
    stop: orange.stop,
  }
}

async function startStripeHere(
  options: DeskOptions,
  { port, callback_url }: Asked,
  journal: string | undefined,
): Promise<Running> {
  const { startStripe } = await import('./dialects/stripe/start.ts')
  const { token, host, speed, misbehaves } = options
  const secret_key = `sk_test_${made(token, 'stripe key').slice(0, 32)}`
  const webhook_secret = `whsec_${made(token, 'stripe webhook').slice(0, 32)}`
  const how = { host, port, speed, misbehaves, ...(journal ? { journal } : {}) }
  const stripe = await startStripe({ ...how, ...pagesOf('stripe', options), keys: [secret_key] })
  const callTo = (url: string) => stripe.setWebhook({ url, secret: webhook_secret })
  callTo(callback_url)
  return {
    opened: { port: stripe.port, settings: {}, secrets: { secret_key, webhook_secret } },
    callTo,
    resolve: stripe.resolve,
    page: stripe.page,
    stop: stripe.stop,
  }
}
