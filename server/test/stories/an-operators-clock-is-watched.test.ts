// An operator whose clock runs away from ours: each of its answers says so. A few seconds are
// counted, half of what makes its signatures worthless is an alarm that staff see, and its payments
// go on. What it is compared with is the database's clock, whatever this process's says.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Pawapay, startPawapay } from '../../../simulator/src/dialects/pawapay/start.ts'
import { ordinarySource } from '../../../simulator/src/dialects/source.ts'
import { usageFindings } from '../../src/app/check-usage.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import { pawapayAdapter } from '../../src/gateways/pawapay/pawapay-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { pawapayAccount } from '../setup/pawapay-account.ts'

const code = 'pawapay_clock'

let app: TestApp
let pawapay: Pawapay
let shop: Shop
let gateway_id: string
/** How far the operator's clock is ahead of the machine's. Seconds. */
let ahead_s = 0
/** The machine's own, which the database has too. */
const trueNow = Date.now.bind(Date)

/** This process's clock is so far ahead of the database's; the database is no part of it. */
const process_ahead_s = 20

beforeAll(async () => {
  vi.spyOn(Date, 'now').mockImplementation(() => trueNow() + process_ahead_s * 1000)
  app = await startApp()
  const now = () => trueNow() + ahead_s * 1000
  pawapay = await startPawapay({ port: 0, speed: 4, source: { ...ordinarySource, now } })
  shop = await app.shop()
  const staff = await app.staff({ role: 'OPERATIONS' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { settings, secrets } = pawapayAccount(pawapay)
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
  vi.restoreAllMocks()
  await app?.stop()
  await pawapay?.stop()
})

async function counted(): Promise<number> {
  const text = await (await fetch(`${app.url}/metrics`)).text()
  const line = text
    .split('\n')
    .find((one) => one.startsWith(`pirogue_gateway_clock_apart_total{gateway="${code}"`))
  return Number(line?.split(' ').at(-1) ?? 0)
}

const alarms = () => app.owner<Json[]>`
  select kind, call from gateway_alarms where gateway_id = ${gateway_id}`

const pay = () => shop.pay({ customer: newPayer('10'), preferred_gateway: code })

/** Every answer to it, by then, was dated so. */
async function paid(): Promise<void> {
  const { data } = await pay()
  await eventually(async () => {
    await app.owner`update attempts set due_at = now() - interval '1 second', asked_at = null
      where transaction_id = ${data.id} and finished_at is null`
    const { data: now } = await shop.get(`/transactions/${data.id}/`)
    expect(now.status).toBe('SUCCESS')
  }, 30_000)
}

describe('an operator’s clock', () => {
  it('that agrees with the database’s is right, though this process’s is 20 s ahead', async () => {
    // Until the database's clock has been read, which on a busy machine may take some tries, this
    // process goes by its own.
    await eventually(async () => {
      const before = await counted()
      await paid()
      expect(await counted()).toBe(before)
    })
    expect(await alarms()).toEqual([])
  }, 60_000)

  it('that is some seconds apart is counted, and no alarm', async () => {
    ahead_s = 15
    const before = await counted()
    await paid()
    expect(await counted()).toBeGreaterThanOrEqual(before + 2)
    expect(await alarms()).toEqual([])
  }, 60_000)

  it('that is above half of what signatures bear is an alarm, one for all of a minute', async () => {
    ahead_s = -40
    await paid()
    await paid()
    await eventually(async () => expect(await alarms()).toEqual([{ kind: 'CLOCK', call: 'ANY' }]))
    const account = { id: gateway_id, code }
    const found = (await usageFindings(app.service.db, account)).find(
      ({ what }) => what.en === 'clocks so far',
    )
    expect(found).toMatchObject({ is: 'WARN', fix: { fr: expect.stringContaining('NTP') } })
    expect(found?.found.en).toMatch(/^too far from the operator’s: 1, last .* UTC$/)
    expect(found?.found.fr).toMatch(
      /^trop loin de celle de l’opérateur : 1, dernière fois le .* UTC$/,
    )
  }, 90_000)
})
