// Below the limit of its environment a settlement is approved as it is made: sent to the operator
// before the answer, or ready for whoever pays by bank. What the bank costs is the platform's term.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import {
  attemptsOf,
  booksAgree,
  brokenLaws,
  eventsOf,
  plantMethod,
  plantPhone,
  richSettler,
} from '../setup/settling.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp({
    env: {
      SETTLEMENT_AUTO_BELOW: 'XOF:20000',
      SETTLEMENT_BANK_FEE_PERCENT: '1.5',
      SETTLEMENT_BANK_FEE_FIXED: 'XOF:100',
    },
  })
  staff = await app.staff({ role: 'FINANCE' })
})
afterAll(async () => {
  const broken = await brokenLaws(app)
  await app.stop()
  expect(broken).toEqual([])
})

describe('a settlement below the limit', () => {
  it('to a phone is sent at once, and answered as it then stands', async () => {
    const shop = await richSettler(app)
    const made = await shop.settle('10', { requested_amount: '19999' })
    expect([made.status, made.data.status]).toEqual([201, 'PROCESSING'])
    expect(made.data.approved_at).not.toBeNull()
    await shop.ends(made.data.id, 'SUCCESS')
    expect(await shop.sums()).toEqual(['80001.00', '0.00'])
    const events = await eventsOf(app, made.data.id)
    expect(events.map((one) => [one.type, one.data.status, one.data.version])).toEqual([
      ['settlement.requested', 'PENDING', 1],
      ['settlement.approved', 'APPROVED', 2],
      ['settlement.success', 'SUCCESS', 4],
    ])
    const acts = await app.owner`
      select actor_kind, action, after ->> 'automatic' as automatic from audit_logs
       where target_id = ${made.data.id}`
    expect(acts).toEqual([
      { actor_kind: 'SYSTEM', action: 'settlement.approved', automatic: 'true' },
    ])
  })

  it('to a number that nobody has is answered as failed, and its key sends nothing again', async () => {
    const shop = await richSettler(app)
    const method = await plantPhone(app, shop.merchant_id, '03')
    const made = await shop.settle(method, {}, 'once')
    expect(made.data).toMatchObject({ status: 'FAILED', failure_code: 'RECIPIENT_NOT_FOUND' })
    const again = await shop.settle(method, {}, 'once')
    expect(again.data).toEqual(made.data)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await attemptsOf(app, made.data.id)).toHaveLength(1)
    expect(await shop.sums()).toEqual(['100000.00', '0.00'])
  })

  it('whose answer is lost is PROCESSING, and its replay says the same', async () => {
    const shop = await richSettler(app)
    const method = await plantPhone(app, shop.merchant_id, '05')
    const made = await shop.settle(method, {}, 'lost')
    expect(made.data.status).toBe('PROCESSING')
    await shop.ends(made.data.id, 'SUCCESS', 20_000)
    expect((await shop.settle(method, {}, 'lost')).data).toEqual(made.data)
    expect(await attemptsOf(app, made.data.id)).toMatchObject([{ sends: 1 }])
  })

  it('to a bank waits for whoever pays it, and costs what the terms say', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('bank')
    expect(data).toMatchObject({
      status: 'APPROVED',
      fee_charge_mode: 'DEDUCTED',
      client_fee: '250.00',
      gateway_fee: '0.00',
      platform_fee: '250.00',
      debited_amount: '10000.00',
      net_amount: '9750.00',
    })
    const cancelled = await shop.post(`/settlements/${data.id}/cancel/`)
    expect([cancelled.status, cancelled.error.code]).toEqual([409, 'transaction_terminal'])
    await staff.post(`/admin/settlements/${data.id}/execute/`, { gateway_reference: 'VIR-1' })
    expect((await shop.settlement(data.id)).status).toBe('SUCCESS')
    expect(await shop.sums()).toEqual(['90000.00', '0.00'])
    const onTop = await shop.settle('bank', { fee_charge_mode: 'ADD_ON' })
    expect(onTop.data).toMatchObject({ debited_amount: '10250.00', net_amount: '10000.00' })
  })

  it('whose bank fee would take all of it is refused on its amount', async () => {
    const shop = await richSettler(app)
    const small = await shop.settle('bank', { requested_amount: '101' })
    expect([small.status, Object.keys(small.error)]).toEqual([400, ['requested_amount']])
    expect((await shop.settle('bank', { requested_amount: '103' })).data.net_amount).toBe('1.00')
  })
})

describe('settlements that are small one by one', () => {
  it('wait for staff once they are large together, however many come at once', async () => {
    const shop = await richSettler(app)
    const all = await Promise.all(
      Array.from({ length: 6 }, () => shop.settle('10', { requested_amount: '6000' })),
    )
    const statuses = all.map(({ status, data }) => [status, data.status])
    expect(statuses.filter(([, status]) => status === 'PROCESSING')).toHaveLength(3)
    expect(statuses.filter(([, status]) => status === 'PENDING')).toHaveLength(3)
    const [waits] = all.filter(({ data }) => data.status === 'PENDING')
    expect(await attemptsOf(app, waits?.data.id)).toHaveLength(0)
    expect((await eventsOf(app, waits?.data.id)).map(({ type }) => type)).toEqual([
      'settlement.requested',
    ])
    const approved = await staff.post(`/admin/settlements/${waits?.data.id}/approve/`)
    expect(approved.data.status).toBe('PROCESSING')
    expect((await shop.settle('10', { requested_amount: '1999' })).data.status).toBe('PROCESSING')
  })
})

describe('a settlement at the limit or above it', () => {
  it('waits for staff', async () => {
    const shop = await richSettler(app)
    for (const requested_amount of ['20000', '30000']) {
      const { data } = await shop.settle('10', { requested_amount })
      expect(data.status).toBe('PENDING')
    }
  })
})

describe('a settlement in a currency that the limit does not name', () => {
  it('waits for staff however small it is, and pays the bank no fixed part', async () => {
    const shop = await richSettler(app)
    const { merchant_id } = shop
    await shop.post('/sandbox/balances/', { country: 'GH', amount: '30000' })
    const bank = await plantMethod(app, merchant_id, { country: 'GH' })
    for (const requested_amount of ['19999', '1']) {
      const { status, data } = await shop.settle(bank, { country: 'GH', requested_amount })
      expect([status, data.status]).toEqual([201, 'PENDING'])
    }
    const { data } = await shop.settle(bank, { country: 'GH', requested_amount: '100' })
    expect([data.client_fee, data.net_amount]).toEqual(['1.50', '98.50'])
  })
})

describe('fifty at once, each sent before its answer', () => {
  it('against a balance for nine: nine are paid, once each, and the books agree', async () => {
    const shop = await richSettler(app, '9500')
    const method = await plantPhone(app, shop.merchant_id)
    const small = { requested_amount: '1000' }
    const made = await Promise.all(Array.from({ length: 50 }, () => shop.settle(method, small)))
    const paid = made.filter(({ status }) => status === 201)
    expect(paid).toHaveLength(9)
    for (const { data } of paid) await shop.ends(data.id, 'SUCCESS')
    expect(await shop.sums()).toEqual(['500.00', '0.00'])
    expect(await booksAgree(app)).toMatchObject({ ok: true })
  })
})
