// The service on a data directory that goes with the run, its demo merchant dressed as a shop, and
// what that merchant does so that a payer finds something.

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { pino } from 'pino'
import { readConfig } from '../../server/src/app/config.ts'
import { connect } from '../../server/src/app/connect.ts'
import type { Db } from '../../server/src/platform/db.ts'
import type { Desk } from '../../server/test/browser/kinds.ts'
import { type Site, startSite } from '../../server/test/browser/site.ts'
import { freePort } from '../../server/test/setup/loopback.ts'
import { dropDirectory, makeDataDirectory } from '../processes/data-directory.ts'
import { launch, printedAddress } from '../processes/launch.ts'

export type OwnDesk = Desk &
  Readonly<{
    origins: readonly string[]
    /** The demo merchant after some business. */
    openShop(): Promise<OpenShop>
    /** Where its e-mails are written, and the calls of its owner and its key. */
    data_dir: string
    calls: Calls
    stop(): Promise<void>
  }>

/** What the dashboard's pictures show, by id. */
export type OpenShop = Readonly<{
  merchant_id: string
  owner: Readonly<{ email: string; password: string }>
  paid: string
  failed: string
  waiting: string
  payout: string
  link: string
  settlement: string
  transfer: string
  checkout: string
}>

export type Calls = Readonly<{
  base_url: string
  owner: Readonly<{ email: string; password: string }>
  /** By the owner's session. */
  byOwner(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
  /** By the test key. */
  byKey(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
  /** A file, by the test key. */
  file(path: string): Promise<Buffer>
  /** By nobody, in this language. */
  byNobody(path: string, body: unknown, language: string): Promise<Record<string, unknown>>
}>

export async function startDesk(): Promise<OwnDesk> {
  const data_dir = await makeDataDirectory('screenshots')
  const [port, simulator_port] = [await freePort(), await freePort()]
  const child = launch({
    env: {
      DATA_DIR: data_dir,
      PORT: String(port),
      SIMULATOR_PORT: String(simulator_port),
      LOG_LEVEL: 'error',
    },
    log_file: path.join(data_dir, 'log'),
  })
  const exited = once(child, 'exit')
  const site = await startSite()
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
    await site.stop()
    await dropDirectory(data_dir)
  }
  try {
    await printedAddress(child)
    const credentials = JSON.parse(await readFile(path.join(data_dir, 'credentials.json'), 'utf8'))
    const url = new URL(credentials.base_url).origin
    const simulator = `http://127.0.0.1:${simulator_port}`
    await dress(credentials)
    return {
      ...deskOf(credentials, { url, site, data_dir }),
      origins: [url, simulator, site.url],
      openShop: () => doBusiness(credentials, data_dir),
      data_dir,
      calls: callsOf(credentials),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

type Credentials = Readonly<{
  base_url: string
  api_keys: Readonly<Record<string, string>>
  dashboard: Readonly<{ email: string; password: string }>
  merchant: Readonly<{ id: string }>
}>

/** A shop's name, colour and contact in the place of the demo's. */
async function dress({ base_url, dashboard }: Credentials): Promise<void> {
  const { token } = await send('POST', `${base_url}/auth/login/`, dashboard)
  const branding = { name: 'Boutique Awa', colour: '#0a6ebd' }
  const contact = {
    ...{ phone: '+2290197000010', whatsapp: '+2290197000010' },
    site_url: 'https://boutique-awa.example',
  }
  await send('PATCH', `${base_url}/merchant/`, { branding, contact }, String(token))
}

type Place = Readonly<{ url: string; site: Site; data_dir: string }>

function deskOf({ base_url, api_keys }: Credentials, { url, site, data_dir }: Place): Desk {
  const post = (to: string, body: unknown) =>
    send('POST', base_url + to, body, api_keys['BOTH'] ?? '')
  const session = (changes: Record<string, unknown> = {}) =>
    post('/checkout-sessions/', {
      amount: '12500',
      currency: 'XOF',
      description: 'Deux sacs de riz',
      merchant_reference: 'CMD-1042',
      customer_email: 'awa@example.com',
      customer_name: 'Awa Diop',
      ...changes,
    })
  return {
    url,
    stay: `${site.url}/stay`,
    open: async (changes) => String((await session(changes))['checkout_url']),
    async cancelled() {
      const { id, checkout_url } = await session()
      await post(`/checkout-sessions/${id}/cancel/`, {})
      return String(checkout_url)
    },
    async expired() {
      const { id, checkout_url } = await session({ country: 'BJ' })
      await endSession(data_dir, String(id))
      return String(checkout_url)
    },
    async link(changes) {
      const body = { name: 'Cotisation', currency: 'XOF', ...changes }
      return String((await post('/payment-links/', body))['url'])
    },
  }
}

/** A session lasts five minutes at least: for a picture its end is written into the database. */
const endSession = (data_dir: string, id: string): Promise<void> =>
  write(data_dir, async (db) => {
    await db`
      update checkout_sessions set expires_at = now() - interval '1 second' where id = ${id}`
  })

/** A method is settled to once it has been there for a day or two: so is what comes soon. */
const openMethod = (data_dir: string, id: string): Promise<void> =>
  write(data_dir, async (db) => {
    await db`update payout_methods set usable_from = now() - interval '1 minute' where id = ${id}`
  })

async function write(data_dir: string, statement: (db: Db) => Promise<void>): Promise<void> {
  const reading = readConfig({ DATA_DIR: data_dir })
  if (reading.is !== 'config') throw new Error(reading.lines.join(' '))
  const connection = await connect(reading.config, pino({ level: 'silent' }))
  try {
    const options = { connections_max: 1, durable: true, name: 'pictures' }
    await statement(connection.open('superuser', options))
  } finally {
    await connection.stop()
  }
}

function callsOf({ base_url, api_keys, dashboard }: Credentials): Calls {
  const key = api_keys['BOTH'] ?? ''
  const token = send('POST', `${base_url}/auth/login/`, dashboard).then((made) =>
    String(made['token']),
  )
  return {
    base_url,
    owner: dashboard,
    byOwner: async (method, path, body) => send(method, base_url + path, body, await token),
    byKey: (method, path, body) => send(method, base_url + path, body, key),
    byNobody: (path, body, language) => send('POST', base_url + path, body, '', language),
    async file(path) {
      const reply = await fetch(base_url + path, { headers: { authorization: `Bearer ${key}` } })
      if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
      return Buffer.from(await reply.arrayBuffer())
    },
  }
}

const payers = [
  { magic: '10', amount: '12500', description: 'Commande 1042' },
  { magic: '01', amount: '5000', description: 'Deux sacs de riz' },
  { magic: '11', amount: '20000', description: 'Commande 1043', network: 'moov_bj' },
  { magic: '04', amount: '8000', description: 'Tontine de novembre' },
  { magic: '05', amount: '15000', description: 'Commande 1044' },
  { magic: '12', amount: '3500', description: '' },
]

/** Payments of each kind, payouts, a settlement, a transfer, two checkouts, three links. */
async function doBusiness(
  { base_url, api_keys, dashboard, merchant }: Credentials,
  data_dir: string,
) {
  const { token } = await send('POST', `${base_url}/auth/login/`, dashboard)
  const post = (to: string, body: unknown, credential = String(token)) =>
    send('POST', base_url + to, body, credential)
  await post('/sandbox/balances/', { country: 'BJ', amount: '250000' })
  const ids = new Map<string, string>()
  for (const { magic, amount, description, network = 'mtn_bj' } of payers) {
    const phone = `+22901${network === 'moov_bj' ? '95' : '97'}0000${magic}`
    const body = { amount, currency: 'XOF', country: 'BJ', network, description }
    const of = { ...body, customer: { first_name: 'Awa', last_name: 'Diop', phone } }
    const made = await post('/payments/softpay/initialize/', of, api_keys['PAYIN'])
    ids.set(magic, String(made['payment_id'] ?? made['id']))
  }
  const payout = await post('/payouts/initialize/', {
    ...{ amount: '25000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: '+2290197000031' },
  })
  await post('/merchant-payout-limits/', {
    ...{ country: 'BJ', per_payout: '500000', per_day: '1000000', approval_above: '100000' },
  })
  // By a key, so that the owner may approve it.
  const salary = {
    ...{ amount: '150000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: '+2290197000012' },
  }
  await post('/payouts/initialize/', salary, api_keys['PAYOUT'])
  const method = await post('/merchant-payout-methods/', {
    ...{ country: 'BJ', type: 'MOBILE_MONEY', network: 'mtn_bj', msisdn: '+2290197000010' },
    label: 'Téléphone de la caisse',
  })
  await openMethod(data_dir, String(method['id']))
  const settlement = await post('/settlements/', {
    ...{ payout_method: method['id'], requested_amount: '20000', country: 'BJ', currency: 'XOF' },
  })
  const transfer = await post('/wallet-transfers/', {
    ...{ from_country: 'BJ', to_country: 'SN', from_amount: '5000' },
  })
  const buyer = { customer_name: 'Awa Diop', customer_email: 'awa@example.com' }
  await post('/checkout-sessions/', {
    amount: '7500',
    currency: 'XOF',
    description: 'Pagne',
    ...buyer,
  })
  const checkout = await post('/checkout-sessions/', {
    ...{ amount: '12500', currency: 'XOF', description: 'Deux sacs de riz', ...buyer },
    merchant_reference: 'CMD-1042',
  })
  const link = (name: string, more: Record<string, unknown>) =>
    post('/payment-links/', { name, currency: 'XOF', ...more })
  await link('Soldes d’été', { amount: '5000', is_active: false })
  await link('Tontine de novembre', { amount_type: 'FREE', min_amount: '500', usage_limit: 100 })
  const order = await link('Commande 1042', { amount: '12500', description: 'Deux sacs de riz' })
  return {
    merchant_id: merchant.id,
    owner: dashboard,
    paid: ids.get('10') ?? '',
    failed: ids.get('01') ?? '',
    waiting: ids.get('04') ?? '',
    payout: String(payout['payment_id'] ?? payout['id']),
    link: String(order['id']),
    settlement: String(settlement['id']),
    transfer: String(transfer['id']),
    checkout: String(checkout['id']),
  }
}

async function send(
  method: string,
  address: string,
  body: unknown,
  ...[credential = '', language = 'fr']: string[]
) {
  const credentials = credential === '' ? {} : { authorization: `Bearer ${credential}` }
  const reply = await fetch(address, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', 'accept-language': language, ...credentials },
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${method} ${address}: ${reply.status} ${text}`)
  const { data }: { data: Record<string, unknown> } = JSON.parse(text)
  return data
}
