// Staff freeze a balance, or a sum of it (contract 5.12): credits still land, what is frozen can be
// promised to nothing, and not a franc is lost or made, however many freeze and spend at once.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { newId } from '../../src/platform/ids.ts'
import {
  type Json,
  newPayer,
  type Reply,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { placeHold } from '../ledger/holds.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  staff = await app.staff({ role: 'FINANCE' })
})
afterAll(() => app?.stop())

const codeOf = ({ status, error }: Reply) => [status, error?.code]
const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {}).sort()]
const reason = 'Asked by the bank'

/** A shop that has so much in Bénin, and its balance there. */
async function shopWithFunds(amount = '10000') {
  const shop = await app.shop()
  const funded = await shop.post('/sandbox/balances/', { country: 'BJ', amount })
  expect(funded.status).toBe(201)
  return { shop, id: String(funded.data.id) }
}

const freeze = (id: string, body: object = {}) =>
  untilServed(() => staff.post(`/admin/balances/${id}/freeze/`, { reason, ...body }))
const unfreeze = (id: string, body: object = {}) =>
  untilServed(() => staff.post(`/admin/balances/${id}/unfreeze/`, { reason, ...body }))

async function balanceOf(shop: Shop): Promise<Json> {
  const { data } = await shop.get('/merchant-balances/')
  const [{ available_amount, pending_amount, frozen_amount, is_frozen }] = data.results
  return { available_amount, pending_amount, frozen_amount, is_frozen }
}

/** The first step of every outflow: a sum is promised to it. In hundredths. */
const promise = ({ merchant_id }: Shop, amount: bigint) =>
  placeHold(app.service.db, {
    merchant_id,
    environment: 'SANDBOX',
    country: 'BJ',
    currency: 'XOF',
    id: newId(),
    amount,
    cause_kind: 'SETTLEMENT',
    cause_id: newId(),
  })

const actsOf = async ({ merchant_id }: Shop): Promise<Json[]> => app.owner`
  select environment, actor_id, actor_role, action, target_kind, target_id, before, after
    from audit_logs
   where merchant_id = ${merchant_id} and action like 'balance.%' order by created_at, id`

async function booksAreRight(): Promise<void> {
  expect((await verifyLedger(app.owner)).filter(({ ok }) => !ok)).toEqual([])
}

describe('a balance that is frozen whole', () => {
  it('says so to its merchant, and credits still land', async () => {
    const { shop, id } = await shopWithFunds()
    const frozen = await freeze(id)
    expect(frozen.data).toMatchObject({
      id,
      merchant: shop.merchant_id,
      merchant_name: expect.stringMatching(/^Shop /),
      available_amount: '10000.00',
      frozen_amount: '0.00',
      is_frozen: true,
    })
    const paid = await shop.pay({ customer: newPayer() })
    await shop.becomes(paid.data.id, 'SUCCESS')
    expect(await balanceOf(shop)).toMatchObject({ available_amount: '15000.00', is_frozen: true })
    expect((await unfreeze(id)).data.is_frozen).toBe(false)
    await booksAreRight()
  })

  it('is frozen once, whoever asks again, and both ends are written down', async () => {
    const { shop, id } = await shopWithFunds()
    const replies = await Promise.all(Array.from({ length: 20 }, () => freeze(id)))
    expect(replies.map(({ status, data }) => [status, data.is_frozen])).toEqual(
      Array(20).fill([200, true]),
    )
    await unfreeze(id)
    expect((await unfreeze(id)).status).toBe(200)
    const by = {
      environment: 'SANDBOX',
      actor_id: staff.person_id,
      actor_role: 'FINANCE',
      target_kind: 'balance',
      target_id: id,
    }
    expect(await actsOf(shop)).toEqual([
      {
        ...by,
        action: 'balance.frozen',
        before: { is_frozen: false },
        after: { is_frozen: true, reason },
      },
      {
        ...by,
        action: 'balance.unfrozen',
        before: { is_frozen: true },
        after: { is_frozen: false, reason },
      },
    ])
  })
})

describe('a sum that is frozen', () => {
  it('can be promised to nothing until it is lifted', async () => {
    const { shop, id } = await shopWithFunds('10000')
    const frozen = await freeze(id, { amount: '7000' })
    expect(frozen.data).toMatchObject({
      available_amount: '3000.00',
      frozen_amount: '7000.00',
      is_frozen: false,
    })
    expect(await promise(shop, 300_100n)).toBe('insufficient_balance')
    expect(await promise(shop, 100_000n)).toBe('held')
    expect((await unfreeze(id, { amount: 2000 })).data).toMatchObject({
      available_amount: '4000.00',
      pending_amount: '1000.00',
      frozen_amount: '5000.00',
    })
    expect(await promise(shop, 400_000n)).toBe('held')
    expect(await balanceOf(shop)).toEqual({
      available_amount: '0.00',
      pending_amount: '5000.00',
      frozen_amount: '5000.00',
      is_frozen: false,
    })
    const entries = await shop.get('/merchant-ledger-entries/')
    const moves = entries.data.results.map((one: Json) => [
      one.direction,
      one.amount,
      one.reference.replace(/-.*/, ''),
    ])
    expect(moves.filter(([, , cause]: string[]) => cause === 'FREEZE')).toEqual([
      ['CREDIT', '2000.00', 'FREEZE'],
      ['DEBIT', '7000.00', 'FREEZE'],
    ])
    expect((await actsOf(shop)).map(({ action, after }) => [action, after])).toEqual([
      ['balance.sum_frozen', { amount: '7000.00', currency: 'XOF', reason }],
      ['balance.sum_unfrozen', { amount: '2000.00', currency: 'XOF', reason }],
    ])
    await booksAreRight()
  })

  it('is never more than there is, nor lifted twice', async () => {
    const { shop, id } = await shopWithFunds('10000')
    expect(codeOf(await freeze(id, { amount: '10001' }))).toEqual([422, 'insufficient_balance'])
    expect((await freeze(id, { amount: '10000' })).data.available_amount).toBe('0.00')
    const more = await unfreeze(id, { amount: '10001' })
    expect(codeOf(more)).toEqual([422, 'insufficient_balance'])
    expect(more.error.message).toMatch(/frozen/)
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => unfreeze(id, { amount: '10000' })),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 422)).toHaveLength(19)
    expect(await balanceOf(shop)).toMatchObject({
      available_amount: '10000.00',
      frozen_amount: '0.00',
    })
    // What was refused was not written down either.
    expect((await actsOf(shop)).length).toBe(2)
    await booksAreRight()
  })

  it('of twenty at once is taken as often as the balance covers it', async () => {
    const { shop, id } = await shopWithFunds('7500')
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => freeze(id, { amount: '1000' })),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(7)
    expect(replies.filter((reply) => reply.error?.code === 'insufficient_balance')).toHaveLength(13)
    expect(await balanceOf(shop)).toMatchObject({
      available_amount: '500.00',
      frozen_amount: '7000.00',
    })
    await booksAreRight()
  })

  it('and what is promised and what comes in meanwhile add up', async () => {
    const { shop, id } = await shopWithFunds('10000')
    const [freezes, promises, payments] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, () => freeze(id, { amount: '1000' }))),
      Promise.all(Array.from({ length: 10 }, () => promise(shop, 100_000n))),
      Promise.all(Array.from({ length: 4 }, () => shop.pay({ customer: newPayer() }))),
    ])
    await Promise.all(payments.map(({ data }) => shop.becomes(data.id, 'SUCCESS')))
    const frozen = freezes.filter(({ status }) => status === 200).length
    const promised = promises.filter((placed) => placed === 'held').length
    expect(frozen + promised).toBeGreaterThanOrEqual(10)
    expect(await balanceOf(shop)).toMatchObject({
      frozen_amount: `${frozen * 1000}.00`,
      pending_amount: `${promised * 1000}.00`,
      available_amount: `${30_000 - (frozen + promised) * 1000}.00`,
    })
    await booksAreRight()
  })
})

describe('asking for it', () => {
  it('names every field that is wrong, by the balance’s own currency', async () => {
    const { shop, id } = await shopWithFunds()
    for (const act of ['freeze', 'unfreeze']) {
      const ask = (body: object) => staff.post(`/admin/balances/${id}/${act}/`, body)
      expect(fieldsOf(await ask({}))).toEqual([400, ['reason']])
      const wrong = { reason: 'x'.repeat(501), amount: true }
      expect(fieldsOf(await ask(wrong))).toEqual([400, ['amount', 'reason']])
      expect(fieldsOf(await ask({ amount: '1e3' }))).toEqual([400, ['amount', 'reason']])
      for (const amount of ['100.50', '0', '-1', '1e3', 'all', '1234567890123', 0.5]) {
        expect(fieldsOf(await ask({ reason, amount }))).toEqual([400, ['amount']])
      }
    }
    expect(await balanceOf(shop)).toMatchObject({ frozen_amount: '0.00', is_frozen: false })
  })

  it('is FINANCE’s and the superadmins’; the others look', async () => {
    const { id } = await shopWithFunds()
    for (const role of ['SUPPORT', 'OPERATIONS'] as const) {
      const one = await app.staff({ role })
      expect((await one.get('/admin/balances/')).status).toBe(200)
      for (const act of ['freeze', 'unfreeze']) {
        const refusal = await one.post(`/admin/balances/${id}/${act}/`, { reason })
        expect(codeOf(refusal)).toEqual([403, 'permission_denied'])
      }
    }
  })

  it('finds a balance of the environment it asks in, and no other', async () => {
    const { id } = await shopWithFunds()
    const live = { 'x-environment': 'LIVE' }
    for (const path of [`/admin/balances/${id}/freeze/`, `/admin/balances/${id}/unfreeze/`]) {
      expect(codeOf(await staff.post(path, { reason }, live))).toEqual([404, 'not_found'])
    }
    for (const unknown of [randomUUID(), 'nothing']) {
      expect(codeOf(await freeze(unknown))).toEqual([404, 'not_found'])
      expect(codeOf(await unfreeze(unknown, { amount: '1' }))).toEqual([404, 'not_found'])
    }
  })
})

describe('the list', () => {
  it('shows what each merchant has, by merchant, country and environment', async () => {
    const { shop, id } = await shopWithFunds()
    await shop.post('/sandbox/balances/', { country: 'SN', amount: '500' })
    const { merchant_id: merchant } = shop
    const list = (query: string, headers = {}) => staff.get(`/admin/balances/?${query}`, headers)
    const both = await list(`merchant=${merchant}&ordering=country`)
    expect(both.data).toMatchObject({
      count: 2,
      results: [
        { id, merchant, country: 'BJ', available_amount: '10000.00' },
        { merchant, country: 'SN', available_amount: '500.00' },
      ],
    })
    const one = await list(`merchant=${merchant}&country=sn`)
    expect(one.data).toMatchObject({ count: 1, results: [{ country: 'SN' }] })
    const paged = await list(`merchant=${merchant}&page_size=1&page=2&ordering=-country`)
    expect(paged.data).toMatchObject({ count: 2, results: [{ country: 'BJ' }] })
    expect((await list(`merchant=${merchant}`, { 'x-environment': 'LIVE' })).data.count).toBe(0)
    expect(codeOf(await list(`merchant=${merchant}&page=9`))).toEqual([404, 'not_found'])
    expect(fieldsOf(await list('merchant=me&ordering=available&page_size=0'))).toEqual([
      400,
      ['merchant', 'ordering', 'page_size'],
    ])
    expect(fieldsOf(await list('', { 'x-environment': 'MOON' }))).toEqual([400, ['X-Environment']])
  })
})

describe('a double press', () => {
  const press = (id: string, how: string, body: object, key: string, by = staff) =>
    untilServed(() =>
      by.post(`/admin/balances/${id}/${how}/`, { reason, ...body }, { 'idempotency-key': key }),
    )

  it('with one Idempotency-Key freezes one sum, and lifts one', async () => {
    const { shop, id } = await shopWithFunds()
    for (const [how, frozen_amount] of [
      ['freeze', '3000.00'],
      ['unfreeze', '2000.00'],
    ] as const) {
      const key = randomUUID()
      const amount = how === 'freeze' ? '3000' : '1000'
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => press(id, how, { amount }, key)),
      )
      expect(replies.map(({ status, data }) => [status, data.frozen_amount])).toEqual(
        Array(10).fill([200, frozen_amount]),
      )
      const firsts = replies.filter(({ headers }) => headers.get('idempotent-replayed') === null)
      expect(firsts).toHaveLength(1)
    }
    expect((await actsOf(shop)).map(({ action }) => action)).toEqual([
      'balance.sum_frozen',
      'balance.sum_unfrozen',
    ])
    await booksAreRight()
  })

  it('with the same key and another sum, or the other way, is a conflict', async () => {
    const { shop, id } = await shopWithFunds()
    const key = randomUUID()
    await press(id, 'freeze', { amount: '3000' }, key)
    for (const [how, amount] of [
      ['freeze', '3001'],
      ['unfreeze', '3000'],
    ] as const) {
      const again = await press(id, how, { amount }, key)
      expect(codeOf(again)).toEqual([409, 'idempotency_conflict'])
    }
    expect(await balanceOf(shop)).toMatchObject({ frozen_amount: '3000.00' })
  })

  it('by another person, of another balance or without a key is another act', async () => {
    const { shop, id } = await shopWithFunds()
    const { id: others } = await shopWithFunds()
    const key = randomUUID()
    const colleague = await app.staff({ role: 'FINANCE' })
    await press(id, 'freeze', { amount: '1000' }, key)
    await press(others, 'freeze', { amount: '1000' }, key)
    await press(id, 'freeze', { amount: '1000' }, key, colleague)
    await freeze(id, { amount: '1000' })
    await freeze(id, { amount: '1000' })
    expect(await balanceOf(shop)).toMatchObject({ frozen_amount: '4000.00' })
    const long = await press(id, 'freeze', { amount: '1' }, 'k'.repeat(256))
    expect(fieldsOf(long)).toEqual([400, ['Idempotency-Key']])
  })
})
