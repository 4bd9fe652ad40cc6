// An operator says of a payout that our own account with it holds too little. Nobody has refused
// the payout: its attempt ends, its money stays held, and it goes out when there is enough.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Mtn, startMtn } from '../../../simulator/src/dialects/mtn/start.ts'
import { applyAnswer } from '../../src/attempts/apply-answer.ts'
import type { AttemptContext } from '../../src/attempts/purpose.ts'
import { type QueryDeps, queryAttempt } from '../../src/attempts/query-attempt.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import type { Answer } from '../../src/gateways/gateway.ts'
import { mtnAdapter } from '../../src/gateways/mtn-momo-api/mtn-gateway.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { transactionPurpose } from '../../src/transactions/transaction-purpose.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { confirm, incidentOf, propose } from '../setup/incidents.ts'
import { provisioned } from '../setup/mtn-account.ts'
import { noFloat } from '../setup/scripted-operator.ts'

const code = 'mtn_bj_sandbox'
const enough = 1_000_000

let app: TestApp
let mtn: Mtn
let staff: SignedInCaller

beforeAll(async () => {
  app = await startApp()
  await app.another()
  mtn = await startMtn({ port: 0, speed: 4, opening_balance: 500 })
  staff = await app.staff({ role: 'OPERATIONS' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { settings, secrets } = await provisioned(mtn.url, new URL(app.url).hostname)
  const account = await addAccount(deps, mtnAdapter, {
    ...{ code, name: 'MTN Bénin', environment: 'SANDBOX', country: 'BJ' },
    ...{ settings, secrets },
  })
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
  const route = { network: 'mtn_bj', gateway: code, direction: 'DISBURSE', priority: 9 }
  expect((await staff.post('/admin/routes/', route)).status).toBe(201)
  for (const gateway of ['simulator_a', 'simulator_b']) await mark(gateway, true)
})
afterAll(async () => {
  const broken = (await verifyLedger(app.owner)).filter(({ ok }) => !ok)
  await app?.stop()
  await mtn?.stop()
  expect(broken).toEqual([])
})

async function mark(gateway: string, is_empty: boolean): Promise<void> {
  const marked = await staff.call('PUT', '/admin/gateway-floats/', {
    body: JSON.stringify({ gateway, country: 'bj', is_empty, note: 'a story' }),
    headers: { 'content-type': 'application/json' },
  })
  expect(marked.status).toBe(200)
}

async function richShop(): Promise<Shop> {
  const shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '100000' })
  return shop
}

async function payOut(shop: Shop, last = '10', more: Json = {}) {
  const { phone } = newPayer(last)
  const made = await shop.post('/payouts/initialize/', {
    ...{ amount: '10000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: phone },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
    ...more,
  })
  expect([made.status, made.data.status], JSON.stringify(made.body)).toEqual([201, 'PENDING'])
  const id: string = made.data.id
  return { id, phone }
}

/** The operator has said that the account holds too little, so often. */
const waitsAgain = (shop: Shop, id: string, times = 1): Promise<Json> =>
  eventually(async () => {
    const { data } = await shop.get(`/transactions/${id}/`)
    expect(data).toMatchObject({ status: 'PENDING', waiting_reason: 'GATEWAY_FLOAT' })
    expect(data.attempts.map(({ status }: Json) => status)).toEqual(Array(times).fill('FAILED'))
    return data
  }, 30_000)

const attemptsOf = (id: string) => app.owner<Json[]>`
  select id, merchant_id, status, net_amount from attempts where transaction_id = ${id} order by created_at`

type Said = Answer extends infer A
  ? A extends Answer
    ? Omit<A, 'external_reference'>
    : never
  : never

/** The operator's answer to a question of ours; whether it moved anything. */
async function says(attempt: Json, said: Said | Answer, seen?: AttemptContext): Promise<boolean> {
  const applied = await applyAnswer(
    { db: app.service.db, wake: () => undefined },
    transactionPurpose,
    {
      merchant_id: attempt['merchant_id'],
      attempt_id: attempt['id'],
      answer: { external_reference: 'OP-1', ...said } as Answer,
      hash: Buffer.alloc(32),
      triggered_by: 'POLLER',
      evidence_kind: 'STATUS_ANSWER',
      request_id: 'story',
      status_at_query: attempt['status'],
      gateway: { create_is_idempotent: true, not_found_grace_s: 900 },
    },
    seen,
  )
  return applied?.moved ?? false
}

const passTime = (id: string) =>
  app.owner`update payout_waits set due_at = now() - interval '1 s' where transaction_id = ${id}`

/** What contradicts it was asked about a thousand times and for a month, and is once more. */
async function isAskedInVain({ merchant_id, id }: Json): Promise<void> {
  await app.owner`
    update attempts
       set asks = 1000, asked_at = null, asking_until = now() - interval '1 second', due_at = now() + interval '1 hour',
           created_at = created_at - interval '31 days'
     where id = ${id}`
  const gone = { all: () => [], get: () => undefined }
  const deps = { db: app.service.db, gateways: gone, purposes: [transactionPurpose] }
  const wake = () => undefined
  const poll = { triggered_by: 'POLLER', request_id: 'story' } as const
  const asked = { merchant_id, id, environment: 'SANDBOX' } as const
  expect(await queryAttempt({ ...deps, wake } as unknown as QueryDeps, asked, poll)).toBe('queried')
}

/** Its turn has come twice, so what was made of the first is done. */
async function isLookedAt(id: string): Promise<void> {
  for (let times = 0; times < 2; times += 1) {
    await passTime(id)
    await eventually(async () => {
      const due = await app.owner`
        select 1 from payout_waits where transaction_id = ${id} and due_at <= now()`
      expect(due.count).toBe(0)
    }, 30_000)
  }
}

async function sums(shop: Shop) {
  const { available_amount, pending_amount } = await shop.balance('BJ')
  return [available_amount, pending_amount]
}

const bookedTo = (phone: string) =>
  mtn
    .books()
    .filter(({ msisdn }) => `+${msisdn}` === phone)
    .map(({ status }) => status)

describe('a payout from an account that holds too little', () => {
  it.each(['before', 'while'])(
    'fails where it was wanted back %s its operator answered',
    async (w) => {
      const shop = await richShop()
      const { id } = await payOut(shop)
      await waitsAgain(shop, id)
      const before = await sums(shop)
      // As it is while its operator has it in its queue.
      await app.owner`delete from payout_waits where transaction_id = ${id}`
      await app.owner`
      update attempts set status = 'PENDING', gateway_ended = false, failure_code = '',
             finished_at = null, is_queued = true
       where transaction_id = ${id}`
      const [attempt] = await attemptsOf(id)
      const key = { merchant_id: shop.merchant_id, id: attempt?.['id'] }
      const unwanted = await transactionPurpose.find(app.service.db, key)
      await app.owner`
      update attempts set asked_back_at = now() - interval '1 hour' where transaction_id = ${id}`
      await says(attempt, noFloat, w === 'while' ? unwanted : undefined)
      const { data } = await shop.get(`/transactions/${id}/`)
      expect(data).toMatchObject({ status: 'FAILED', waiting_reason: null })
      expect(await sums(shop)).not.toEqual(before)
      expect((await sums(shop))[1]).toBe('0.00')
    },
  )

  it('waits with its money held, and goes out once when there is enough', async () => {
    mtn.holdFloat(500)
    const shop = await richShop()
    const { id, phone } = await payOut(shop)
    const waiting = await waitsAgain(shop, id)
    expect(waiting.attempts[0]).toMatchObject({ failure_code: 'GATEWAY_UNAVAILABLE' })
    expect(waiting.status_logs).toEqual([])
    expect(await sums(shop)).toEqual(['90000.00', '10000.00'])
    await passTime(id)
    await waitsAgain(shop, id, 2)
    mtn.holdFloat(enough)
    await passTime(id)
    const paid = await shop.becomes(id, 'SUCCESS', 45_000)
    expect(paid.waiting_reason).toBe(null)
    expect(bookedTo(phone)).toEqual(['FAILED', 'FAILED', 'SUCCESSFUL'])
    expect(await sums(shop)).toEqual(['90000.00', '0.00'])
  }, 90_000)

  it('is looked at less often each time', async () => {
    mtn.holdFloat(500)
    const shop = await richShop()
    const { id } = await payOut(shop)
    await waitsAgain(shop, id)
    const inS = async () => {
      const [row] = await app.owner<{ s: number }[]>`
        select extract(epoch from w.due_at - max(a.finished_at))::float8 as s
          from payout_waits w join attempts a on a.transaction_id = w.transaction_id
         where w.transaction_id = ${id} group by w.due_at`
      return Math.round(row?.s ?? 0)
    }
    expect(await inS()).toBe(60)
    await passTime(id)
    await waitsAgain(shop, id, 2)
    expect(await inS()).toBe(120)
    await shop.post(`/payouts/${id}/cancel/`, {})
  }, 60_000)

  it('goes to another operator that can pay it, though this one is preferred', async () => {
    mtn.holdFloat(500)
    const shop = await richShop()
    const { id, phone } = await payOut(shop, '10', { preferred_gateway: code })
    await waitsAgain(shop, id)
    await mark('simulator_a', false)
    await passTime(id)
    const becomes = shop.becomes(id, 'SUCCESS', 45_000)
    const paid = await becomes.finally(() => mark('simulator_a', true))
    expect(paid.attempts.map((one: Json) => one['gateway_code'])).toEqual([code, 'simulator_a'])
    expect(bookedTo(phone)).toEqual(['FAILED'])
  }, 60_000)

  it('can be taken back while it waits, and its money is there again', async () => {
    mtn.holdFloat(500)
    const shop = await richShop()
    const { id, phone } = await payOut(shop)
    await waitsAgain(shop, id)
    expect((await shop.post(`/payouts/${id}/cancel/`, {})).status).toBe(200)
    expect(await shop.becomes(id, 'FAILED')).toMatchObject({
      failure_code: 'CANCELLED_BY_MERCHANT',
    })
    expect(await sums(shop)).toEqual(['100000.00', '0.00'])
    mtn.holdFloat(enough)
    expect(bookedTo(phone)).toEqual(['FAILED'])
  }, 60_000)

  it('is not taken back while the operator is to be asked whether it paid it after all', async () => {
    mtn.holdFloat(500)
    const shop = await richShop()
    const { id } = await payOut(shop)
    await waitsAgain(shop, id)
    const due = (at: string) =>
      app.owner.unsafe(`update attempts set due_at = ${at} where transaction_id = '${id}'`)
    // Somebody has said something of it; it is asked about in an hour.
    await due("now() + interval '1 hour'")
    const early = await shop.post(`/payouts/${id}/cancel/`, {})
    expect([early.status, early.error.code]).toEqual([409, 'not_cancellable'])
    expect(await sums(shop)).toEqual(['90000.00', '10000.00'])
    await due('null')
    expect((await shop.post(`/payouts/${id}/cancel/`, {})).status).toBe(200)
    expect(await sums(shop)).toEqual(['100000.00', '0.00'])
  }, 60_000)

  it('has waited since it could be sent, and is given up after three days of that', async () => {
    mtn.holdFloat(500)
    const shop = await richShop()
    const { id } = await payOut(shop)
    await waitsAgain(shop, id)
    await app.owner`
      update transactions set created_at = created_at - interval '73 hours' where id = ${id}`
    await passTime(id)
    // It is sent once more: what it was written with says that it waits for a minute only.
    await waitsAgain(shop, id, 2)
    await passTime(id)
    expect(await shop.becomes(id, 'FAILED', 30_000)).toMatchObject({ failure_code: 'EXPIRED' })
    expect(await sums(shop)).toEqual(['100000.00', '0.00'])
  }, 60_000)

  it('is paid once where the operator pays it after all while it waits', async () => {
    mtn.holdFloat(500)
    const shop = await richShop()
    const { id, phone } = await payOut(shop)
    await waitsAgain(shop, id)
    const [attempt] = await attemptsOf(id)
    expect(
      await says(attempt, { is: 'confirmed', amount: attempt?.['net_amount'], currency: 'XOF' }),
    ).toBe(true)
    const paid = await shop.becomes(id, 'SUCCESS')
    expect(paid.attempts.map(({ status }: Json) => status)).toEqual(['SUCCESS'])
    mtn.holdFloat(enough)
    await passTime(id)
    await eventually(async () => {
      const left = await app.owner`select 1 from payout_waits where transaction_id = ${id}`
      expect(left.count).toBe(0)
    }, 30_000)
    expect(bookedTo(phone)).toEqual(['FAILED'])
    expect(await sums(shop)).toEqual(['90000.00', '0.00'])
  }, 60_000)

  it('is not sent again where the operator has paid another sum of it after all', async () => {
    mtn.holdFloat(500)
    const shop = await richShop()
    const { id, phone } = await payOut(shop)
    await waitsAgain(shop, id)
    const [attempt] = await attemptsOf(id)
    expect(await says(attempt, { is: 'confirmed', amount: 999_900n, currency: 'XOF' })).toBe(true)
    mtn.holdFloat(enough)
    await isLookedAt(id)
    expect(bookedTo(phone)).toEqual(['FAILED'])
    expect(await shop.get(`/transactions/${id}/`)).toMatchObject({
      data: { status: 'PENDING', waiting_reason: 'GATEWAY_FLOAT' },
    })
    // Until people have decided on it, its hold is not given back, by nobody and by no time.
    const early = await shop.post(`/payouts/${id}/cancel/`, {})
    expect([early.status, early.error?.code]).toEqual([409, 'not_cancellable'])
    await app.owner`
      update payout_waits set created_at = now() - interval '73 hours' where transaction_id = ${id}`
    await isLookedAt(id)
    expect(await sums(shop)).toEqual(['90000.00', '10000.00'])
    const [first, second] = [
      await app.staff({ role: 'FINANCE' }),
      await app.staff({ role: 'FINANCE' }),
    ]
    const incident = await incidentOf(app, shop)
    await propose(first, incident, 'CHARGE_MERCHANT')
    expect((await confirm(second, incident)).status).toBe(200)
    await passTime(id)
    expect(await shop.becomes(id, 'FAILED', 30_000)).toMatchObject({ failure_code: 'EXPIRED' })
    expect(await sums(shop)).toEqual(['90001.00', '0.00'])
  }, 60_000)

  it('is not sent again before what is said of its first attempt was asked about', async () => {
    mtn.holdFloat(500)
    const shop = await richShop()
    const { id, phone } = await payOut(shop)
    await waitsAgain(shop, id)
    const [attempt] = await attemptsOf(id)
    // It was hinted at, and its turn to be asked about comes later than the wait's.
    await app.owner`
      update attempts set due_at = now() + interval '1 hour' where id = ${attempt?.['id']}`
    mtn.holdFloat(enough)
    await isLookedAt(id)
    expect(bookedTo(phone)).toEqual(['FAILED'])
    await app.owner`update attempts set due_at = now() - interval '1 s' where id = ${attempt?.['id']}`
    await eventually(async () => {
      await passTime(id)
      expect(bookedTo(phone)).toEqual(['FAILED', 'SUCCESSFUL'])
    }, 30_000)
    await shop.becomes(id, 'SUCCESS', 45_000)
  }, 90_000)

  it.each([
    // What its wait does afterwards: it has run out, or there is nothing left to send.
    ['RECOVERED', 'FAILED', '100000.00'],
    ['CHARGE_MERCHANT', 'SUCCESS', '90000.00'],
  ])(
    'keeps its hold where nothing answers what contradicts its end, until people look: %s',
    async (resolution, status, available) => {
      mtn.holdFloat(500)
      const shop = await richShop()
      const { id, phone } = await payOut(shop)
      await waitsAgain(shop, id)
      const [attempt] = await attemptsOf(id)
      await isAskedInVain(attempt ?? {})
      // It reads as one that people look into, not as one that waits for money alone.
      const { status: now, incident: mark } = (await shop.get(`/transactions/${id}/`)).data
      expect([now, mark]).toMatchObject(['PENDING', { is_contradiction: true }])
      const [left] = await app.owner`select due_at from attempts where id = ${attempt?.['id']}`
      expect(left).toEqual({ due_at: null })
      mtn.holdFloat(enough)
      await app.owner`
        update payout_waits set created_at = now() - interval '73 hours'
         where transaction_id = ${id}`
      await isLookedAt(id)
      expect(bookedTo(phone)).toEqual(['FAILED'])
      expect(await sums(shop)).toEqual(['90000.00', '10000.00'])
      const people = [await app.staff({ role: 'FINANCE' }), await app.staff({ role: 'FINANCE' })]
      const incident = await incidentOf(app, shop)
      expect(incident).toMatchObject({ type: 'OUTCOME_UNKNOWN' })
      const not_so = await propose(people[0] as SignedInCaller, incident, 'CREDIT_MERCHANT')
      expect(not_so.status).toBe(400)
      const proposed = await propose(people[0] as SignedInCaller, incident, resolution)
      expect(proposed.status, JSON.stringify(proposed.body)).toBe(200)
      expect((await confirm(people[1] as SignedInCaller, incident)).status).toBe(200)
      await passTime(id)
      await shop.becomes(id, status, 30_000)
      await eventually(async () => {
        const waits = await app.owner`select 1 from payout_waits where transaction_id = ${id}`
        expect(waits.count).toBe(0)
      }, 30_000)
      expect(bookedTo(phone)).toEqual(['FAILED'])
      expect(await sums(shop)).toEqual([available, '0.00'])
      const ends = await app.owner`
        select how from hold_ends where merchant_id = ${shop.merchant_id} and hold_id = ${id}`
      expect(ends).toEqual([{ how: status === 'SUCCESS' ? 'SPEND' : 'RELEASE' }])
      expect((await attemptsOf(id)).map((one) => one['status'])).toEqual([status])
      expect((await verifyLedger(app.owner)).filter(({ ok }) => !ok)).toEqual([])
    },
    60_000,
  )

  it('waits once, however many hear at once that there is too little', async () => {
    mtn.holdFloat(enough)
    const shop = await richShop()
    const { id } = await payOut(shop, '04')
    const [attempt] = await attemptsOf(id)
    const short = {
      is: 'refused',
      by: 'float',
      failure_code: 'GATEWAY_UNAVAILABLE',
      detail: 'short',
    } as const
    const moved = await Promise.all(Array.from({ length: 6 }, () => says(attempt, short)))
    expect(moved.filter(Boolean)).toHaveLength(1)
    await waitsAgain(shop, id)
    expect(await sums(shop)).toEqual(['90000.00', '10000.00'])
    await shop.post(`/payouts/${id}/cancel/`, {})
    expect(await sums(shop)).toEqual(['100000.00', '0.00'])
  }, 60_000)
})
