// Every movement of a balance names what it was for by the reference that the merchant knows: its
// payment's, settlement's, transfer's, or the adjustment's. Without it the merchant cannot match
// its books with ours.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { entryKinds } from '../../src/ledger/entries-store.ts'
import { findEntries } from '../../src/ledger/find-entries.ts'
import { indexTransactions } from '../../src/transactions/search/index-transactions.ts'
import {
  type Json,
  newPayer,
  type SignedInCaller,
  softpay,
  startApp,
  type TestApp,
} from '../harness.ts'
import { richSettler, type Settler } from '../setup/settling.ts'

let app: TestApp
let first: SignedInCaller
let second: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  first = await app.staff({ role: 'FINANCE' })
  second = await app.staff({ role: 'SUPERADMIN' })
})
afterAll(() => app?.stop())

type EntryView = readonly [direction: string, reference: string, transaction: string | null]

/** The newest movements, the newest first. */
async function newest(shop: Settler, count: number): Promise<EntryView[]> {
  const { data } = await shop.get(`/merchant-ledger-entries/?page_size=${count}`)
  return data.results.map((entry: Json) => [entry.direction, entry.reference, entry.transaction])
}

describe('a movement', () => {
  it('of a settlement has its reference: held, given back, and come back', async () => {
    const shop = await richSettler(app)
    const { data: one } = await shop.settle('bank')
    expect(await newest(shop, 1)).toEqual([['DEBIT', one.reference, null]])
    await shop.post(`/settlements/${one.id}/cancel/`)
    expect(await newest(shop, 1)).toEqual([['CREDIT', one.reference, null]])
    const { data: two } = await shop.settle('bank')
    await first.post(`/admin/settlements/${two.id}/approve/`)
    await first.post(`/admin/settlements/${two.id}/execute/`, { gateway_reference: 'VIR-1' })
    const back = await first.post(`/admin/settlements/${two.id}/return/`, { note: 'Closed.' })
    await second.post(`/admin/incidents/${back.data.id}/confirm/`)
    expect(await newest(shop, 2)).toEqual([
      ['CREDIT', two.reference, null],
      ['DEBIT', two.reference, null],
    ])
  })

  it('of a payout has its transaction’s, held and given back', async () => {
    const shop = await richSettler(app)
    await app.owner`
      insert into ip_whitelist (merchant_id, id, ip_address)
      values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
    const { data } = await shop.post('/payouts/initialize/', {
      amount: '10000',
      currency: 'XOF',
      country: 'BJ',
      method: 'mtn_bj',
      recipient: { msisdn: newPayer('03').phone },
      customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
    })
    await shop.becomes(data.id, 'FAILED')
    expect(await newest(shop, 2)).toEqual([
      ['CREDIT', data.reference, data.id],
      ['DEBIT', data.reference, data.id],
    ])
  })

  it('of a transfer has the transfer’s, and its transaction’s once there is one', async () => {
    const shop = await richSettler(app)
    const request = { from_country: 'BJ', to_country: 'CM', from_amount: '1000' }
    const { data: one } = await shop.post('/wallet-transfers/', request)
    expect(await newest(shop, 1)).toEqual([['DEBIT', one.reference, null]])
    await first.post(`/admin/wallet-transfers/${one.id}/reject/`, { reason: 'No.' })
    expect(await newest(shop, 1)).toEqual([['CREDIT', one.reference, null]])
    const { data: two } = await shop.post('/wallet-transfers/', request)
    await first.post(`/admin/wallet-transfers/${two.id}/approve/`)
    const { reference } = (await shop.get(`/transactions/${two.id}/`)).data
    expect(await newest(shop, 2)).toEqual([
      ['CREDIT', reference, two.id],
      ['DEBIT', reference, two.id],
    ])
  })

  it('of an adjustment has its own; a freeze and play money say what they are', async () => {
    const shop = await richSettler(app)
    const balance = (await shop.get('/merchant-balances/')).data.results[0].id
    const reason = 'a test'
    const request = { balance, kind: 'CREDIT_MERCHANT', amount: '5', reason }
    const { data } = await first.post('/admin/adjustments/', request)
    await second.post(`/admin/adjustments/${data.id}/confirm/`)
    await first.post(`/admin/balances/${balance}/freeze/`, { reason, amount: '7' })
    expect(await newest(shop, 3)).toEqual([
      ['DEBIT', expect.stringMatching(/^FREEZE-[0-9A-F]{8}$/), null],
      ['CREDIT', data.reference, null],
      ['CREDIT', expect.stringMatching(/^SANDBOX-[0-9A-F]{8}$/), null],
    ])
  })

  it('is found by its kind, by the thing it was for and by that thing’s reference', async () => {
    const shop = await shopOfEveryKind()
    const found = async (query: string): Promise<Json[]> =>
      (await shop.get(`/merchant-ledger-entries/?${query}`)).data.results
    const all = await found('page_size=200')
    expect(new Set(all.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(7)
    const few = { merchant_id: shop.merchant_id, environment: 'SANDBOX', limit: 201 } as const
    const any = { country: undefined, currency: undefined, direction: undefined }
    const ever = { created_at__gte: undefined, created_at__lte: undefined, cursor: undefined }
    for (const kind of entryKinds) {
      const ids = all.filter((one) => one['kind'] === kind).map(({ id }) => id)
      expect((await found(`kind=${kind}`)).map(({ id }) => id)).toEqual(ids)
      // As if the history were longer than the walk.
      await indexTransactions({ quick: app.owner as never }).run(never_aborted)
      const walked = await findEntries(app.owner, { ...few, ...any, ...ever, kind }, 2)
      expect(walked.map(({ id }) => id)).toEqual(ids)
    }
    for (const name of ['transaction', 'settlement', 'wallet_transfer', 'reference']) {
      const values = [...new Set(all.map((one) => one[name]).filter((value) => value !== null))]
      expect(values.length).toBeGreaterThan(0)
      for (const value of values.filter((one) => !/^(FREEZE|SANDBOX)-/.test(one))) {
        const ids = all.filter((one) => one[name] === value).map(({ id }) => id)
        expect((await found(`${name}=${value}`)).map(({ id }) => id)).toEqual(ids)
      }
    }
    const [held] = all.filter(({ kind }) => kind === 'SETTLEMENT')
    expect(await found(`settlement=${held?.settlement}&kind=PAYOUT`)).toEqual([])
    expect(await found(`settlement=${held?.settlement}&reference=${held?.reference}`)).not.toEqual(
      [],
    )
    expect(await found(`settlement=${held?.settlement}&reference=TXN-20200101-NOBODY`)).toEqual([])
  })
})

const never_aborted = { signal: new AbortController().signal }

/** A shop whose balance in Bénin has moved for most of what can move one. */
async function shopOfEveryKind(): Promise<Settler> {
  const shop = await richSettler(app)
  const paid = (await shop.post('/payments/softpay/initialize/', softpay())).data
  await shop.becomes(paid.id, 'SUCCESS')
  const { data: one } = await shop.settle('bank')
  await shop.post(`/settlements/${one.id}/cancel/`)
  await shop.settle('bank')
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  const refund = await shop.post(`/payments/${paid.id}/refunds/`, { amount: '100', reason: 'x' })
  expect(refund.status).toBe(201)
  const { data: payout } = await shop.post('/payouts/initialize/', {
    ...{ amount: '10000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: newPayer('03').phone },
  })
  await shop.becomes(payout.id, 'FAILED')
  const request = { from_country: 'BJ', to_country: 'CM', from_amount: '1000' }
  const { data: refused } = await shop.post('/wallet-transfers/', request)
  await first.post(`/admin/wallet-transfers/${refused.id}/reject/`, { reason: 'No.' })
  const { data: done } = await shop.post('/wallet-transfers/', request)
  await first.post(`/admin/wallet-transfers/${done.id}/approve/`)
  const balance = (await shop.get('/merchant-balances/')).data.results[0].id
  const reason = 'a test'
  const asked = { balance, kind: 'CREDIT_MERCHANT', amount: '5', reason }
  const { data } = await first.post('/admin/adjustments/', asked)
  await second.post(`/admin/adjustments/${data.id}/confirm/`)
  await first.post(`/admin/balances/${balance}/freeze/`, { reason, amount: '7' })
  return shop
}
