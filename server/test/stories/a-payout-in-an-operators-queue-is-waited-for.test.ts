// An operator that is down for its network takes payouts into a queue of its own: they stay as they
// are for as long as they are in it, no incident is opened, and only the operator's answer gives the
// hold back.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Fedapay, startFedapay } from '../../../simulator/src/dialects/fedapay/start.ts'
import { type Pawapay, startPawapay } from '../../../simulator/src/dialects/pawapay/start.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import type { Account } from '../../src/gateways/adapter.ts'
import type { WireBetween } from '../../src/gateways/conformance-bench.ts'
import { fedapayAdapter } from '../../src/gateways/fedapay-api/fedapay-gateway.ts'
import { pawapayAdapter } from '../../src/gateways/pawapay/pawapay-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { assert } from '../../src/platform/errors.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { fedapayAccount } from '../setup/fedapay-account.ts'
import { pawapayAccount } from '../setup/pawapay-account.ts'
import { refundingShop } from '../setup/refunds.ts'
import { wireBetween } from '../setup/wire-between.ts'

const code = 'pawapay_sandbox'
const scheduling = 'fedapay_sandbox'

let app: TestApp
let pawapay: Pawapay
let fedapay: Fedapay
let shop: Shop
let wire: WireBetween

beforeAll(async () => {
  app = await startApp()
  pawapay = await startPawapay({ port: 0, speed: 4 })
  pawapay.setCallbacks({ payouts: `${app.url}/callbacks/${code}` })
  shop = await refundingShop(app, {}, '0')
  const staff = await app.staff({ role: 'OPERATIONS' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  wire = await wireBetween(pawapay.url)
  const { settings, secrets } = pawapayAccount({ ...pawapay, url: wire.url })
  const account = await addAccount(deps, pawapayAdapter, {
    ...{ code, name: 'pawaPay', environment: 'SANDBOX', country: 'BJ', settings, secrets },
  })
  fedapay = await startFedapay({ port: 0, speed: 4 })
  const second = await addAccount(deps, fedapayAdapter, {
    ...{ code: scheduling, name: 'FedaPay', environment: 'SANDBOX', country: 'BJ' },
    ...pick(fedapayAccount(fedapay, `${app.url}/callbacks/${scheduling}/`)),
  })
  for (const [at, one] of [account, second].entries()) {
    await switchAccount(deps, one, { is_active: true, why: 'a story' })
    const by = { gateway: one.code, direction: 'DISBURSE', priority: 9 + at }
    expect((await staff.post('/admin/routes/', { network: 'mtn_bj', ...by })).status).toBe(201)
  }
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
}, 60_000)
afterEach(() => {
  wire.spoils(undefined)
  pawapay.delayPayouts(false)
  fedapay.queuePayouts(false)
})
afterAll(async () => {
  await app?.stop()
  await wire?.close()
  await pawapay?.stop()
  await fedapay?.stop()
})

async function payOut(preferred_gateway = code): Promise<string> {
  const member = await app.member({ merchant_id: shop.merchant_id })
  const { status, data } = await member.post('/payouts/initialize/', {
    ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: newPayer('10').phone },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
    preferred_gateway,
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

const isQueued = (id: string) =>
  eventually(async () => {
    const { data } = await shop.get(`/transactions/${id}/`)
    expect(data).toMatchObject({ status: 'PENDING', waiting_reason: 'GATEWAY_QUEUED' })
  })

const pick = ({ settings, secrets }: Account) => ({ settings, secrets })

const incidents = (id: string) => app.owner`select type from incidents where transaction_id = ${id}`

describe('a payout that its operator has enqueued', () => {
  it('waits with its hold for days and opens no incident, and is paid when it goes on', async () => {
    pawapay.delayPayouts(true)
    const id = await payOut()
    const held = await shop.balance()
    for (const hours of [0, 48, 71, 200]) {
      expect(await askedAfter(id, hours)).toMatchObject({ status: 'PENDING' })
      await isQueued(id)
    }
    const { data: listed } = await shop.get('/transactions/?waiting=true')
    expect(listed.results.map((one: Json) => one.id)).toEqual([id])
    expect([await incidents(id), await shop.balance()]).toEqual([[], held])
    pawapay.delayPayouts(false)
    const paid = await shop.becomes(id, 'SUCCESS', 40_000)
    expect(paid.waiting_reason).toBeNull()
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

  const cancel = (id: string) => shop.post(`/payouts/${id}/cancel/`, {})
  const queuedIn = async (id: string) => {
    await askedAfter(id, 0)
    await isQueued(id)
  }

  it('is asked back by its merchant, and fails by the operator’s answer alone', async () => {
    const before = await shop.balance()
    pawapay.delayPayouts(true)
    const id = await payOut()
    const held = await shop.balance()
    expect(held).not.toEqual(before)
    await queuedIn(id)
    const first = await cancel(id)
    expect(first.status, JSON.stringify(first.body)).toBe(200)
    if (first.data.status === 'PENDING') {
      expect(first.data.waiting_reason).toBe('GATEWAY_QUEUED')
      expect((await cancel(id)).status).toBeLessThan(500)
    }
    const ended = await shop.becomes(id, 'FAILED', 40_000)
    expect(ended).toMatchObject({ failure_code: 'REJECTED_BY_MERCHANT', waiting_reason: null })
    expect(await shop.balance()).toEqual(before)
    const [log] = await app.owner<Json[]>`
      select evidence_kind from transaction_status_logs
       where transaction_id = ${id} and to_status = 'FAILED'`
    expect(log.evidence_kind).toBe('STATUS_ANSWER')
    const [act] = await app.owner<Json[]>`
      select after from audit_logs where target_id = ${id} and action = 'payout.cancelled'`
    expect(act.after).toEqual({ asked_of: code })
    expect((await cancel(id)).status).toBe(409)
    pawapay.delayPayouts(false)
  }, 90_000)

  it('keeps its hold while the operator has not answered the wish', async () => {
    pawapay.delayPayouts(true)
    const id = await payOut()
    const held = await shop.balance()
    await queuedIn(id)
    wire.spoils(() => ({ reaches: false, answer: 'broken' }))
    const asked = await cancel(id)
    expect([asked.status, asked.data.status]).toEqual([200, 'PENDING'])
    expect([await shop.balance(), asked.data.waiting_reason]).toEqual([held, 'GATEWAY_QUEUED'])
    // It goes on before its operator hears of the wish: then it is paid.
    pawapay.delayPayouts(false)
    await eventually(async () => {
      expect(pawapay.books().at(-1)?.status).toBe('COMPLETED')
    }, 40_000)
    wire.spoils(undefined)
    await shop.becomes(id, 'SUCCESS', 60_000)
  }, 120_000)

  /** Its next question is due, whatever was asked a moment ago. */
  const isDue = (id: string) => app.owner`
    update attempts set due_at = now() - interval '1 s', asked_at = now() - interval '1 hour',
           leased_until = null
     where transaction_id = ${id}`

  it('is asked back by the poller where whoever wished it died before the operator heard', async () => {
    const before = await shop.balance()
    pawapay.delayPayouts(true)
    const id = await payOut()
    await queuedIn(id)
    wire.spoils(() => ({ reaches: false, answer: 'broken' }))
    expect((await cancel(id)).status).toBe(200)
    wire.spoils(undefined)
    await isDue(id)
    const ended = await shop.becomes(id, 'FAILED', 40_000)
    expect(ended).toMatchObject({ failure_code: 'REJECTED_BY_MERCHANT' })
    expect(await shop.balance()).toEqual(before)
    const acts = await app.owner`
      select 1 from audit_logs where target_id = ${id} and action = 'payout.cancelled'`
    expect(acts.count).toBe(1)
  }, 90_000)

  it('is told of the wish for 24 hours; it can be made again', async () => {
    pawapay.delayPayouts(true)
    const id = await payOut()
    await queuedIn(id)
    await app.owner`
      update attempts set asked_back_at = now() - interval '24 hours' - interval '1 second'
       where transaction_id = ${id}`
    await queuedIn(id)
    expect((await cancel(id)).status).toBe(200)
    await isDue(id)
    await shop.becomes(id, 'FAILED', 40_000)
  }, 90_000)

  it('that has left the queue is not cancellable, and is paid once', async () => {
    pawapay.delayPayouts(true)
    const id = await payOut()
    await queuedIn(id)
    pawapay.delayPayouts(false)
    const late = await cancel(id)
    expect([late.status, late.error?.code]).toEqual([409, 'not_cancellable'])
    await shop.becomes(id, 'SUCCESS', 40_000)
    const { our_key } = await attemptOf(id)
    const lines = pawapay.books().filter((one) => one.id === our_key)
    expect(lines.map(({ status }) => status)).toEqual(['COMPLETED'])
  }, 90_000)

  it('is asked back by several at once, and gives its hold back once', async () => {
    const before = await shop.balance()
    pawapay.delayPayouts(true)
    const id = await payOut()
    await queuedIn(id)
    const answers = await Promise.all([cancel(id), cancel(id), cancel(id)])
    for (const { status } of answers) expect([200, 409]).toContain(status)
    expect(answers.map(({ status }) => status)).toContain(200)
    await shop.becomes(id, 'FAILED', 40_000)
    expect(await shop.balance()).toEqual(before)
    const [ends] = await app.owner<Json[]>`
      select count(*)::int as n from transaction_status_logs
       where transaction_id = ${id} and to_status = 'FAILED'`
    expect(ends.n).toBe(1)
  }, 90_000)

  it('is asked back by staff, with a reason', async () => {
    pawapay.delayPayouts(true)
    const id = await payOut()
    await queuedIn(id)
    const superadmin = await app.staff({ role: 'SUPERADMIN' })
    const taken = await superadmin.post(
      `/admin/payouts/${id}/cancel/`,
      { reason: 'The merchant rang.' },
      { 'x-environment': 'SANDBOX' },
    )
    expect(taken.status, JSON.stringify(taken.body)).toBe(200)
    await shop.becomes(id, 'FAILED', 40_000)
    pawapay.delayPayouts(false)
  }, 90_000)
})

describe('a payout that its operator has scheduled, and cannot be asked for back', () => {
  it('waits with its hold for days and opens no incident, and is paid when it goes on', async () => {
    fedapay.queuePayouts(true)
    const id = await payOut(scheduling)
    const held = await shop.balance()
    for (const hours of [0, 48, 71, 200]) {
      expect(await askedAfter(id, hours)).toMatchObject({ status: 'PENDING' })
      await isQueued(id)
    }
    expect([await incidents(id), await shop.balance()]).toEqual([[], held])
    const late = await shop.post(`/payouts/${id}/cancel/`, {})
    expect([late.status, late.error?.code]).toEqual([409, 'not_cancellable'])
    fedapay.queuePayouts(false)
    const paid = await shop.becomes(id, 'SUCCESS', 40_000)
    expect(paid.waiting_reason).toBeNull()
    expect(fedapay.books().map(({ status }) => status)).toEqual(['sent'])
  }, 120_000)
})
