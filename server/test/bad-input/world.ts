// Who calls and what there is when a bad request comes: merchants in every state, one record of
// each kind, and how many rows there are, so that a refusal can be shown to have made none.

import { randomUUID } from 'node:crypto'
import { suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import { revokeKey } from '../../src/merchants/keys/end-keys.ts'
import { createKey } from '../../src/merchants/keys/issue-keys.ts'
import { newId } from '../../src/platform/ids.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Reply,
  type Shop,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { plantTransaction } from '../setup/transaction-rows.ts'

export type Who =
  | 'shop'
  | 'payin'
  | 'payout'
  | 'live'
  | 'stranger'
  | 'unapproved'
  | 'suspended'
  | 'locked'
  | 'dear'
  | 'revoked'
  | 'expired'
  | 'nobody'

export type World = Readonly<{
  app: TestApp
  callers: Readonly<Record<Who, Shop>>
  /** Ids and cursors by name. */
  names: Readonly<Record<string, string>>
  /** `{name}` replaced by what it stands for. */
  named(path: string): string
  count(): Promise<Record<string, number>>
  stop(): Promise<void>
}>

export async function openWorld(): Promise<World> {
  const app = await startApp()
  const callers = await openCallers(app)
  const names = { ...(await openRecords(app, callers)), unknown: randomUUID() }
  return {
    app,
    callers,
    names,
    named: (path) =>
      path.replace(/\{(\w+)\}/g, (whole, name: string) => Reflect.get(names, name) ?? whole),
    count: () => countRows(app),
    stop: app.stop,
  }
}

async function openCallers(app: TestApp): Promise<Record<Who, Shop>> {
  const shop = await app.shop({ live: true })
  const { merchant_id } = shop
  const [payin, payout, live, revoked, expired] = await Promise.all([
    app.shop({ merchant_id, scope: 'PAYIN' }),
    app.shop({ merchant_id, scope: 'PAYOUT' }),
    app.shop({ merchant_id, environment: 'LIVE' }),
    keyOf(app, merchant_id),
    keyOf(app, merchant_id),
  ])
  const unapproved = await app.shop({ live: true, environment: 'LIVE' })
  const [stranger, suspended, locked, dear] = await Promise.all([
    app.shop(),
    app.shop(),
    app.shop(),
    app.shop(),
  ])
  const { owner } = app
  await revokeKey(app.service.db, revoked.id)
  await owner`update api_keys set expires_at = now() - interval '1 s' where id = ${expired.id}`
  await owner`update merchants set live_enabled = false where id = ${unapproved.merchant_id}`
  await owner`
    update merchants set fee_charge_mode_locked = 'ADD_ON' where id = ${locked.merchant_id}`
  await suspendMerchant(app.service.db, suspended.merchant_id, 'a test')
  await priceDearly(app, dear.merchant_id)
  return {
    shop,
    payin,
    payout,
    live,
    stranger,
    unapproved,
    suspended,
    locked,
    dear,
    revoked: shopWith(app.url, merchant_id, revoked.secret),
    expired: shopWith(app.url, merchant_id, expired.secret),
    nobody: withoutCredential(app),
  }
}

/** Sends what it is given, and no Authorization of its own. */
function withoutCredential({ url }: TestApp): Shop {
  return {
    ...shopWith(url, '', ''),
    async call(method, path, init = {}) {
      const reply = await fetch(`${url}/api/v1${path}`, { method, ...init })
      const { status, headers } = reply
      const body: Json = await reply.json()
      return { status, headers, body, data: body.data, error: body.error }
    },
  }
}

const keyOf = (app: TestApp, merchant_id: string) =>
  createKey(app.service.db, { merchant_id, environment: 'SANDBOX', scope: 'BOTH', name: 'test' })

/** Whatever is paid by MTN Bénin, 1000 XOF of it is the fee. */
async function priceDearly({ owner }: TestApp, merchant_id: string): Promise<void> {
  const id = newId()
  await owner`
    insert into merchant_pricing_rules (merchant_id, id, network_id, direction)
    select ${merchant_id}, ${id}, id, 'COLLECT' from networks where code = 'mtn_bj'`
  await owner`insert into merchant_pricing_tiers ${owner({
    merchant_id,
    id: newId(),
    merchant_pricing_rule_id: id,
    min_amount: 10_000n,
    max_amount: 1_000_000_000n,
    percent_ppm: 0n,
    fixed: 100_000n,
    fee_charge_mode: 'ADD_ON',
  })}`
  await owner`update catalogue_version set version = version + 1`
}

const dataOf = ({ status, body, data }: Reply) => {
  if (status >= 300) throw new Error(JSON.stringify(body))
  return data
}

async function openRecords(app: TestApp, callers: Record<Who, Shop>) {
  const { shop, stranger, live } = callers
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '100000' }).then(dataOf)
  const pay = async (magic: string) =>
    String((await shop.pay({ customer: newPayer(magic) }).then(dataOf)).id)
  const pending = await pay('04')
  const paid = await pay('10')
  const failed = await pay('01')
  const coded = await shop.pay({ ...byCode, customer: { ...newPayer(), phone: '+221771234510' } })
  await shop.becomes(paid, 'SUCCESS')
  await shop.becomes(failed, 'FAILED')
  const planted = await plantTransaction(app.owner, shop.merchant_id)
  const outbound = await plantTransaction(app.owner, shop.merchant_id, {
    transaction_type: 'RETRAIT',
  })
  const hook = (of: Shop) =>
    of.post('/merchant-webhooks/', { url: 'https://hooks.example.com/x' }).then(dataOf)
  const off = await hook(shop)
  await shop.call('PATCH', `/merchant-webhooks/${off.id}/`, asJson({ is_active: false }))
  const records = {
    pending,
    paid,
    failed,
    coded: String(dataOf(coded).id),
    outbound: outbound.id,
    unattempted: planted.id,
    webhook: String((await hook(shop)).id),
    webhook_off: String(off.id),
    webhook_live: String((await hook(live)).id),
    webhook_of_stranger: String((await hook(stranger)).id),
  }
  return { ...records, ...(await findRecords(shop, paid)), ...(await findCursors(shop)) }
}

const byCode = { country: 'SN', network: 'wizall_sn' }

export const asJson = (body: unknown): RequestInit => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
})

async function findRecords(shop: Shop, paid: string): Promise<Record<string, string>> {
  const detail = dataOf(await shop.get(`/transactions/${paid}/`))
  const firstOf = async (list: string) => String(dataOf(await shop.get(list)).results[0].id)
  const countries = await shop.get('/countries/')
  return {
    attempt: detail.attempts[0].id,
    status_log: detail.status_logs[0].id,
    balance: await firstOf('/merchant-balances/'),
    network: await firstOf('/networks/'),
    country: countries.body[0].id,
  }
}

/** A cursor of a list with more than one row. */
async function findCursors(shop: Shop): Promise<Record<string, string>> {
  const cursor = await eventually(async () => {
    const { next } = dataOf(await shop.get('/transactions/?page_size=1'))
    return new URL(next).searchParams.get('cursor') ?? ''
  })
  const swapped = cursor.startsWith('A') ? 'B' : 'A'
  return {
    cursor,
    cursor_changed: swapped + cursor.slice(1),
    cursor_cut: cursor.slice(0, -2),
    cursor_other_place: Buffer.concat([
      Buffer.from(cursor, 'base64url').subarray(0, 16),
      Buffer.from('["next","2020-01-01T00:00:00Z","x"]'),
    ]).toString('base64url'),
  }
}

const counted = [
  'transactions',
  'transaction_status_logs',
  'attempts',
  'customers',
  'idempotency_keys',
  'webhooks',
  'webhook_subscriptions',
  'ledger_entries',
  'balances',
  'holds',
  'events',
  'incidents',
  'merchants',
  'api_keys',
]

async function countRows({ owner }: TestApp): Promise<Record<string, number>> {
  const columns = counted.map((table) => `(select count(*)::int from ${table}) as ${table}`)
  const [row] = await owner.unsafe<Record<string, number>[]>(`select ${columns.join(', ')}`)
  return { ...row }
}
