// An operator that refuses our credentials where we ask, or where a payment is given back: it is
// counted, kept, and shown to staff as a refused create is; the account stays on, and the payments
// end by what the operator says when it lets us in again.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Pawapay, startPawapay } from '../../../simulator/src/dialects/pawapay/start.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import type { Fault, WireBetween } from '../../src/gateways/conformance-bench.ts'
import { pawapayAdapter } from '../../src/gateways/pawapay/pawapay-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { pawapayAccount } from '../setup/pawapay-account.ts'
import { refund, refundingShop } from '../setup/refunds.ts'
import { wireBetween } from '../setup/wire-between.ts'

const code = 'pawapay_denied'

let app: TestApp
let pawapay: Pawapay
let wire: WireBetween
let shop: Shop
let gateway_id: string
let staff: Awaited<ReturnType<TestApp['staff']>>

beforeAll(async () => {
  app = await startApp()
  pawapay = await startPawapay({ port: 0, speed: 4 })
  wire = await wireBetween(pawapay.url)
  shop = await refundingShop(app)
  staff = await app.staff({ role: 'OPERATIONS' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { settings, secrets } = pawapayAccount({ ...pawapay, url: wire.url })
  const account = await addAccount(deps, pawapayAdapter, {
    ...{ code, name: 'pawaPay', environment: 'SANDBOX', country: 'BJ', settings, secrets },
  })
  gateway_id = account.id
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
  const route = { network: 'mtn_bj', gateway: code, direction: 'COLLECT', priority: 9 }
  const made = await staff.post('/admin/routes/', route)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
}, 60_000)
afterAll(async () => {
  await app?.stop()
  await wire?.close()
  await pawapay?.stop()
})

const failureReason = { failureCode: 'AUTHENTICATION_ERROR', failureMessage: 'The token is wrong' }
const denied: Fault = {
  ...{ reaches: false, answer: { status: 401, body: JSON.stringify({ failureReason }) } },
}

const pay = () => shop.pay({ customer: newPayer('10'), preferred_gateway: code })

const alarms = () => app.owner<Json[]>`
  select kind, call, count(*)::int as n from gateway_alarms where gateway_id = ${gateway_id}
   group by kind, call order by call`

const isOn = async () => {
  const [row] = await app.owner`select is_active from gateways where id = ${gateway_id}`
  return row?.['is_active']
}

async function counted(call: string): Promise<number> {
  const text = await (await fetch(`${app.url}/metrics`)).text()
  const labels = `gateway_id="${gateway_id}",kind="CREDENTIAL",call="${call}"`
  const line = text.split('\n').find((one) => one.includes(labels))
  return Number(line?.split(' ').at(-1) ?? 0)
}

/** What a check of the account finds of it, in one language. */
async function found(language: string): Promise<Json> {
  const headers = { 'accept-language': language }
  const { data } = await staff.post(`/admin/gateways/${gateway_id}/check/`, {}, headers)
  const findings: Json[] = data.findings
  return findings.find(({ what }) => what === 'refusals of us')
}

describe('credentials that are refused', () => {
  it('to questions, however many, are an alarm, and the account stays on', async () => {
    wire.spoils(({ method, path }) =>
      method === 'GET' && path.startsWith('/v2/deposits/') ? denied : undefined,
    )
    const { data } = await pay()
    for (let times = 0; times < 5; times += 1) {
      await app.owner`update attempts set due_at = now() - interval '1 second', asked_at = null`
      await shop.get(`/payments/${data.id}/verify/`)
    }
    await eventually(async () => expect(await counted('ASK')).toBeGreaterThanOrEqual(4))
    // Of many questions in a minute one row stands for all.
    expect(await alarms()).toEqual([{ kind: 'CREDENTIAL', call: 'ASK', n: 1 }])
    expect(await isOn()).toBe(true)
    expect((await shop.get(`/transactions/${data.id}/`)).data.status).toBe('PENDING')
    wire.spoils(undefined)
    await app.owner`update attempts set due_at = now() - interval '1 second', asked_at = null`
    await shop.becomes(data.id, 'SUCCESS', 30_000)
  }, 60_000)

  it('to a refund are one each, and the account stays on', async () => {
    const paid = await pay()
    await shop.becomes(paid.data.id, 'SUCCESS', 30_000)
    wire.spoils(({ path }) => (path.startsWith('/v2/refunds') ? denied : undefined))
    for (let times = 0; times < 4; times += 1) await refund(shop, paid.data, { amount: '100' })
    expect(await counted('REFUND')).toBeGreaterThanOrEqual(3)
    expect(await alarms()).toContainEqual({
      ...{ kind: 'CREDENTIAL', call: 'REFUND', n: await counted('REFUND') },
    })
    expect(await isOn()).toBe(true)
    wire.spoils(undefined)
  }, 60_000)

  it('are shown to staff who look at the account, in both languages', async () => {
    const english = await found('en')
    expect(english).toMatchObject({ is: 'WARN', fix: expect.stringContaining('gateway rotate') })
    expect(english.found).toMatch(/^questions: 1, last .* UTC; refunds: \d+, last .* UTC$/)
    const french = await found('fr')
    expect(french.found).toMatch(/^interrogations\s: 1, dernier le .*\s; remboursements\s: \d+,/)
  })

  it('to payments that are sent switch it off at the third, as before', async () => {
    wire.spoils(({ method, path }) =>
      method === 'POST' && path === '/v2/deposits' ? denied : undefined,
    )
    for (let times = 0; times < 3; times += 1) await pay()
    expect(await counted('CREATE')).toBe(3)
    expect(await isOn()).toBe(false)
    wire.spoils(undefined)
  })
})
