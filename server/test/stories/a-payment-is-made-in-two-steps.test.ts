// Payments and payouts over an operator that makes its own reference first: from the merchant's
// call to their webhook's event, with calls that are lost in either step, and signed events.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fedapay, startFedapay } from '../../../simulator/src/dialects/fedapay/start.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import { fedapayAdapter } from '../../src/gateways/fedapay-api/fedapay-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import {
  eventually,
  type Json,
  newPayer,
  payer,
  type Shop,
  startApp,
  type TestApp,
} from '../harness.ts'
import { fedapayAccount } from '../setup/fedapay-account.ts'
import { booksAgree } from '../setup/incidents.ts'

const code = 'fedapay_bj_sandbox'

let app: TestApp
let fedapay: Fedapay
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  fedapay = await startFedapay({ port: 0, speed: 10, misbehaves: true })
  shop = await app.shop()
  const staff = await app.staff({ role: 'OPERATIONS' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { settings, secrets } = fedapayAccount(fedapay, `${app.url}/callbacks/${code}/`)
  const account = await addAccount(deps, fedapayAdapter, {
    ...{ code, name: 'FedaPay', environment: 'SANDBOX', country: 'BJ' },
    ...{ settings, secrets },
  })
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
  for (const direction of ['COLLECT', 'DISBURSE']) {
    const route = { network: 'mtn_bj', gateway: code, direction, priority: 9 }
    expect((await staff.post('/admin/routes/', route)).status).toBe(201)
  }
})
afterAll(async () => {
  await app?.stop()
  await fedapay?.stop()
})

let planted = 0
/** With four digits it is one of the numbers that misbehave. */
function payerWith(last: string) {
  planted += 1
  return last.length === 2 ? newPayer(last) : payer(`+22901${96_00 + planted}${last}`)
}

const booksOf = (phone: string) => fedapay.books().filter(({ number }) => number === phone)

async function attemptOf(id: string): Promise<Json> {
  const [row] = await app.owner<Json[]>`
    select gateway_code, external_reference, status from attempts where transaction_id = ${id}`
  return row
}

describe('a payment', () => {
  it('ends SUCCESS by a signed event, which names it by the operator’s reference', async () => {
    const customer = newPayer('10')
    const begun = await shop.pay({ customer, preferred_gateway: code })
    expect(begun.status, JSON.stringify(begun.body)).toBe(201)
    const paid = await shop.becomes(begun.data.id, 'SUCCESS')
    expect(paid.status_logs).toMatchObject([{ to_status: 'SUCCESS', triggered_by: 'CALLBACK' }])
    expect(await attemptOf(begun.data.id)).toMatchObject({
      gateway_code: code,
      external_reference: expect.stringMatching(/^transactions\/\d+$/),
    })
    expect(booksOf(customer.phone)).toMatchObject([{ status: 'approved', amount: 5163 }])
  })

  it.each(['05', '07', '08', '9912', '9915'])(
    'is asked of its payer once, whatever became of the answer: %s',
    async (last) => {
      const customer = payerWith(last)
      const { data } = await shop.pay({ customer, preferred_gateway: code })
      await shop.becomes(data.id, 'SUCCESS', 40_000)
      expect(booksOf(customer.phone).map(({ status }) => status)).toEqual(['approved'])
    },
  )

  it.each([
    ['01', 'INSUFFICIENT_FUNDS'],
    ['02', 'UNKNOWN'],
  ])('ends FAILED as the operator says: %s', async (last, failure_code) => {
    const { data } = await shop.pay({ customer: newPayer(last), preferred_gateway: code })
    expect(await shop.becomes(data.id, 'FAILED')).toMatchObject({ failure_code })
  })

  it('is not booked when another amount came than was asked for', async () => {
    const { data } = await shop.pay({ customer: payerWith('9910'), preferred_gateway: code })
    await eventually(async () => {
      const [row] = await app.owner<Json[]>`
        select type, amount from incidents where transaction_id = ${data.id}`
      expect(row).toMatchObject({ type: 'AMOUNT_MISMATCH', amount: 506_300n })
    })
    await booksAgree(app)
  })
})

describe('a payout', () => {
  const payOut = async (last: string) => {
    const member = await app.member({ merchant_id: shop.merchant_id })
    return member.post('/payouts/initialize/', {
      ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: payerWith(last).phone },
      customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
      preferred_gateway: code,
    })
  }

  it('is paid once; one that fails gives its hold back; a lost start stays unknown', async () => {
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
    const paid = await payOut('10')
    expect(paid.status, JSON.stringify(paid.body)).toBe(201)
    await shop.becomes(paid.data.id, 'SUCCESS')
    const before = await shop.balance()
    const failed = await payOut('02')
    await shop.becomes(failed.data.id, 'FAILED')
    expect(await shop.balance()).toEqual(before)
    const lost = await payOut('9911')
    await shop.get(`/payouts/${lost.data.id}/verify/`)
    expect(await attemptOf(lost.data.id)).toMatchObject({
      status: 'UNKNOWN',
      external_reference: expect.stringMatching(/^payouts\/\d+$/),
    })
    expect((await shop.get(`/transactions/${lost.data.id}/`)).data.status).toBe('PENDING')
    expect(fedapay.books().filter((one) => one.kind === 'payout')).toHaveLength(3)
    await booksAgree(app)
  })
})
