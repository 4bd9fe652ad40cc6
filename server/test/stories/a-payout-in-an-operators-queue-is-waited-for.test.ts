// An operator that is down for its network takes payouts into a queue of its own: they stay as they
// are for as long as they are in it, no incident is opened, and only the operator's answer gives the
// hold back.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Pawapay, startPawapay } from '../../../simulator/src/dialects/pawapay/start.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import { pawapayAdapter } from '../../src/gateways/pawapay/pawapay-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { assert } from '../../src/platform/errors.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { pawapayAccount } from '../setup/pawapay-account.ts'

const code = 'pawapay_sandbox'

let app: TestApp
let pawapay: Pawapay
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  pawapay = await startPawapay({ port: 0, speed: 4 })
  pawapay.setCallbacks({ payouts: `${app.url}/callbacks/${code}` })
  shop = await app.shop()
  const staff = await app.staff({ role: 'OPERATIONS' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { settings, secrets } = pawapayAccount(pawapay)
  const account = await addAccount(deps, pawapayAdapter, {
    ...{ code, name: 'pawaPay', environment: 'SANDBOX', country: 'BJ', settings, secrets },
  })
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
  const route = { network: 'mtn_bj', gateway: code, direction: 'DISBURSE', priority: 9 }
  expect((await staff.post('/admin/routes/', route)).status).toBe(201)
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
}, 60_000)
afterAll(async () => {
  await app?.stop()
  await pawapay?.stop()
})

async function payOut(): Promise<string> {
  const member = await app.member({ merchant_id: shop.merchant_id })
  const { status, data } = await member.post('/payouts/initialize/', {
    ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: newPayer('10').phone },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
    preferred_gateway: code,
  })
  expect([status, data.status]).toEqual([201, 'PENDING'])
  return data.id
}

const attemptOf = async (id: string): Promise<Json> => {
  const [attempt] = await app.owner<Json[]>`
    select id, our_key, status, asks,
           extract(epoch from asking_until - now())::float8 / 3600 as hours_left
      from attempts where transaction_id = ${id}`
  assert(attempt !== undefined, 'it was sent')
  return attempt
}

/** So much later its next question is due, and has been answered. */
async function askedAfter(id: string, hours: number): Promise<Json> {
  const { asks } = await attemptOf(id)
  await app.owner`
    update attempts
       set asking_until = asking_until - ${hours} * interval '1 hour', due_at = now() - interval '1 s',
           asked_at = now() - interval '1 hour', leased_until = null
     where transaction_id = ${id}`
  return eventually(async () => {
    const attempt = await attemptOf(id)
    expect(attempt.asks).toBeGreaterThan(asks)
    expect(attempt.hours_left).toBeGreaterThan(71.9)
    return attempt
  }, 40_000)
}

const incidents = (id: string) => app.owner`select type from incidents where transaction_id = ${id}`

describe('a payout that its operator has enqueued', () => {
  it('waits with its hold for days and opens no incident, and is paid when it goes on', async () => {
    pawapay.delayPayouts(true)
    const id = await payOut()
    const held = await shop.balance()
    for (const hours of [0, 48, 71, 200]) {
      expect(await askedAfter(id, hours)).toMatchObject({ status: 'PENDING' })
      expect((await shop.get(`/transactions/${id}/`)).data).toMatchObject({ status: 'PENDING' })
    }
    expect([await incidents(id), await shop.balance()]).toEqual([[], held])
    pawapay.delayPayouts(false)
    await shop.becomes(id, 'SUCCESS', 40_000)
    expect(pawapay.books().map(({ status }) => status)).toEqual(['COMPLETED'])
  }, 120_000)

  it('taken back there, gives its hold back by the operator’s answer', async () => {
    const before = await shop.balance()
    pawapay.delayPayouts(true)
    const id = await payOut()
    const { our_key } = await askedAfter(id, 0)
    const headers = { authorization: `Bearer ${pawapay.token}` }
    const taken = await fetch(`${pawapay.url}/v2/payouts/fail-enqueued/${our_key}`, {
      ...{ method: 'POST', headers },
    })
    expect(taken.status).toBe(200)
    const ended = await shop.becomes(id, 'FAILED', 40_000)
    pawapay.delayPayouts(false)
    expect(ended).toMatchObject({ failure_code: 'REJECTED_BY_MERCHANT' })
    expect(ended.status_logs).toMatchObject([{ triggered_by: 'POLLER' }])
    expect(await shop.balance()).toEqual(before)
  }, 90_000)
})
