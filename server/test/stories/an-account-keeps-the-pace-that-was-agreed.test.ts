// What was agreed on with an operator holds for creates and for calls that are under way: what finds
// no place in its time is not sent. A payment takes another route; a payout waits, with its money
// held, and is paid once. Nothing of it counts against the route.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWave, type Wave } from '../../../simulator/src/dialects/wave/start.ts'
import { metricsOn } from '../../src/app/metrics.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import { waveAdapter } from '../../src/gateways/wave-business-api/wave-gateway.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { eventually, type Json, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { withWave } from '../setup/wave-account.ts'

const code = 'wave_agreed'
let app: TestApp
let wave: Wave
let staff: SignedInCaller
let gateway_id: string

beforeAll(async () => {
  app = await startApp()
  wave = await startWave({ port: 0, speed: 20, auto_pay: true })
  staff = await app.staff({ role: 'OPERATIONS' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { country, settings, secrets } = withWave(wave)
  const made = await addAccount(deps, waveAdapter, {
    ...{ code, name: 'Wave', environment: 'SANDBOX', country, settings, secrets },
  })
  gateway_id = made.id
  await switchAccount(deps, made, { is_active: true, why: 'a story' })
  for (const direction of ['COLLECT', 'DISBURSE']) {
    const route = { network: 'wave_sn', gateway: code, direction, priority: 1 }
    expect((await staff.post('/admin/routes/', route)).status).toBe(201)
  }
})
afterAll(async () => {
  const broken = (await verifyLedger(app.owner)).filter(({ ok }) => !ok)
  await app?.stop()
  await wave?.stop()
  expect(broken).toEqual([])
})

const patch = (path: string, body: object) =>
  staff.call('PATCH', path, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

const refused = async (kind: string): Promise<number> => {
  const text = await metricsOn(app.service.db)()
  const line = new RegExp(`pace_refusals_total{gateway="${code}",kind="${kind}"} (\\d+)`)
  return Number(line.exec(text)?.[1] ?? 0)
}

it('payouts beyond it wait and are paid once; payments beyond it go another way', async () => {
  const shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  await shop.post('/sandbox/balances/', { country: 'SN', amount: '100000' })
  expect((await patch(`/admin/gateways/${gateway_id}/`, { creates_per_s: 1 })).status).toBe(200)
  const routes = (await staff.get('/admin/routes/?network=wave_sn&page_size=50')).data.results
  const others = routes.filter((one: Json) => one.gateway_code !== code)
  const switchOthers = async (is_active: boolean) => {
    for (const { id } of others) await patch(`/admin/routes/${id}/`, { is_active })
  }

  await switchOthers(false)
  const payout = (at: number) =>
    shop.post('/payouts/initialize/', {
      ...{ amount: '1000', currency: 'XOF', country: 'SN', method: 'wave_sn' },
      recipient: { msisdn: `+221770001${String(at).padStart(2, '0')}5` },
    })
  // So many that they are at once on a busy machine too.
  const made = await Promise.all(Array.from({ length: 12 }, (_, at) => payout(at)))
  expect(made.map(({ status }) => status)).toEqual(Array(12).fill(201))
  expect(await refused('create')).toBeGreaterThan(0)
  const shown = await Promise.all(made.map(({ data }) => shop.get(`/transactions/${data.id}/`)))
  expect(shown.map(({ data }) => data.status)).not.toContain('FAILED')
  const waits = shown.filter(({ data }) => data.waiting_reason !== null)
  expect(waits.length).toBeGreaterThan(0)
  for (const { data } of waits) {
    expect(data.waiting_reason).toBe('NO_ROUTE')
    expect(data.attempts.at(-1)).toMatchObject({ status: 'FAILED', gateway_code: code })
  }
  // That it was our own pace says nothing of the operator.
  const { data } = await staff.get('/admin/routes/?network=wave_sn&page_size=50')
  const own = data.results.filter((one: Json) => one.gateway_code === code)
  for (const { health } of own) expect(health).toMatchObject({ failures: 0, skip_until: null })

  expect((await patch(`/admin/gateways/${gateway_id}/`, { creates_per_s: null })).status).toBe(200)
  await eventually(async () => {
    await app.owner`update payout_waits set due_at = now() - interval '1 second'`
    const all = await Promise.all(made.map((one) => shop.get(`/transactions/${one.data.id}/`)))
    expect(all.map((one) => one.data.status)).toEqual(made.map(() => 'SUCCESS'))
  }, 60_000)

  await switchOthers(true)
  expect((await patch(`/admin/gateways/${gateway_id}/`, { creates_per_s: 1 })).status).toBe(200)
  const payment = (at: number) =>
    shop.pay({
      ...{ country: 'SN', network: 'wave_sn' },
      customer: { phone: `+2217700002${at}5`, email: 'awa@example.com', first_name: 'Awa' },
    })
  const paid = await Promise.all([1, 2, 3, 4, 5, 6].map(payment))
  expect(paid.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201])
  const by = await Promise.all(paid.map((one) => shop.get(`/transactions/${one.data.id}/`)))
  const codes = by.map((one) => one.data.attempts.at(-1).gateway_code)
  expect(codes).toContain(code)
  expect(new Set(codes).size).toBeGreaterThan(1)
}, 150_000)
