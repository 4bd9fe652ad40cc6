// Money goes out to a phone: it is held before the operator is asked, spent when they have paid,
// released when they say that they will not, and never sent a second time.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { simulatorSecrets } from '../../src/app/wire.ts'
import { compareGatewayBooks, verifyLedger } from '../../src/ledger/verify.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { eventsAbout } from '../setup/events.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  const broken = (await verifyLedger(app.owner)).filter(({ ok }) => !ok)
  await app.stop()
  expect(broken).toEqual([])
})

/** A payout of 10 000 XOF by MTN Bénin to a number with these last two digits. */
const payout = (magic = '10', changes: Record<string, unknown> = {}) => ({
  amount: '10000',
  currency: 'XOF',
  country: 'BJ',
  method: 'mtn_bj',
  recipient: { msisdn: newPayer(magic).phone },
  customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
  ...changes,
})

async function richShop(amount = '100000', options: Parameters<TestApp['shop']>[0] = {}) {
  const shop = await app.shop(options)
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  if (amount !== '0') await shop.post('/sandbox/balances/', { country: 'BJ', amount })
  return shop
}

const pay = (shop: Shop, body: object, key?: string) =>
  shop.post('/payouts/initialize/', body, key === undefined ? {} : { 'idempotency-key': key })

async function sums(shop: Shop) {
  const { available_amount, pending_amount } = await shop.balance('BJ')
  return [available_amount, pending_amount]
}

async function totals(): Promise<Json> {
  const { token } = simulatorSecrets(openKeyring(app.config.secret_key ?? ''))
  const reply = await fetch(`${app.simulator.url}/books/totals`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return reply.json()
}

describe('a payout that succeeds', () => {
  it('holds the money at once, and spends it when the operator has paid', async () => {
    const shop = await richShop()
    const made = await pay(shop, payout())
    expect(made.status).toBe(201)
    expect(made.data).toMatchObject({ status: 'PENDING', failure_code: '' })
    const paid = await shop.becomes(made.data.id, 'SUCCESS')
    expect(paid).toMatchObject({
      transaction_type: 'RETRAIT',
      flow_direction: 'OUTBOUND',
      requested_amount: '10000.00',
      debited_amount: '10000.00',
      fee_charge_mode: 'DEDUCTED',
      network_code: 'mtn_bj',
    })
    const fee = Number(paid.client_fee)
    expect(fee).toBeGreaterThan(0)
    expect(Number(paid.net_amount)).toBe(10_000 - fee)
    expect(Number(paid.gateway_fee) + Number(paid.platform_fee)).toBe(fee)
    expect(await sums(shop)).toEqual(['90000.00', '0.00'])
    const verified = await shop.get(`/payouts/${made.data.id}/verify/`)
    expect(verified.data).toMatchObject({ message: 'Payout status checked.', status: 'SUCCESS' })
  })

  it('while it is under way stands in pending', async () => {
    const shop = await richShop()
    const made = await pay(shop, payout('04'))
    expect(made.data.status).toBe('PENDING')
    expect(await sums(shop)).toEqual(['90000.00', '10000.00'])
    const resolved = await shop.post(`/sandbox/transactions/${made.data.id}/resolve/`, {
      outcome: 'FAILED',
    })
    expect(resolved.data.status).toBe('FAILED')
    expect(await sums(shop)).toEqual(['100000.00', '0.00'])
  })

  it('with the fee on top takes amount and fee', async () => {
    const shop = await richShop()
    const made = await pay(shop, payout('10', { fee_charge_mode: 'ADD_ON' }))
    const paid = await shop.becomes(made.data.id, 'SUCCESS')
    expect(paid.net_amount).toBe('10000.00')
    const left = (100_000 - Number(paid.debited_amount)).toFixed(2)
    expect(await sums(shop)).toEqual([left, '0.00'])
  })

  it('tells the merchant: created, then success, both outbound', async () => {
    const shop = await richShop()
    const made = await pay(shop, payout())
    await shop.becomes(made.data.id, 'SUCCESS')
    const rows = await eventsAbout(app.owner, made.data.id)
    expect(rows.map(({ type }) => type)).toEqual(['transaction.created', 'transaction.success'])
    expect(rows.map(({ data }) => data.flow_direction)).toEqual(['OUTBOUND', 'OUTBOUND'])
  })
})

describe('a payout that fails', () => {
  it('to a number nobody has gives everything back', async () => {
    const shop = await richShop()
    const made = await pay(shop, payout('03'))
    expect(made.status).toBe(201)
    expect(made.data).toMatchObject({ status: 'FAILED', failure_code: 'RECIPIENT_NOT_FOUND' })
    expect(await sums(shop)).toEqual(['100000.00', '0.00'])
  })

  it('and its key can never send again', async () => {
    const shop = await richShop()
    const body = payout('03')
    const first = await pay(shop, body, 'once')
    const again = await pay(shop, body, 'once')
    expect(again.data).toEqual(first.data)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const rows = await app.owner`
      select 1 from transactions where merchant_id = ${shop.merchant_id}`
    expect(rows).toHaveLength(1)
  })

  it('on the first route is paid by the second, once', async () => {
    const shop = await richShop()
    const made = await pay(shop, payout('06'))
    const paid = await shop.becomes(made.data.id, 'SUCCESS')
    expect(paid.attempts.map(({ status }: Json) => status)).toEqual(['FAILED', 'SUCCESS'])
    expect(await sums(shop)).toEqual(['90000.00', '0.00'])
  })
})

describe('a payout whose answer is lost', () => {
  it('keeps its hold, is not sent again, and ends by the operator’s own answer', async () => {
    const shop = await richShop()
    const made = await pay(shop, payout('05'))
    expect(made.data.status).toBe('PENDING')
    expect(await sums(shop)).toEqual(['90000.00', '10000.00'])
    const paid = await shop.becomes(made.data.id, 'SUCCESS', 20_000)
    expect(paid.attempts).toHaveLength(1)
    expect(await sums(shop)).toEqual(['90000.00', '0.00'])
  })
})

describe('many payouts at once', () => {
  it('of a hundred against a balance for seven, seven are made and none overdraws', async () => {
    const shop = await richShop('75000')
    const made = await Promise.all(
      Array.from({ length: 100 }, () => untilServed(() => pay(shop, payout()))),
    )
    const count = (status: number) => made.filter((one) => one.status === status).length
    expect([count(201), count(422)]).toEqual([7, 93])
    const refused = made.filter(({ status }) => status === 422)
    expect(new Set(refused.map(({ error }) => error.code))).toEqual(
      new Set(['insufficient_balance']),
    )
    await eventually(async () => expect(await sums(shop)).toEqual(['5000.00', '0.00']))
  })

  it('with one key are one payout', async () => {
    const shop = await richShop()
    const body = payout('04')
    const all = await Promise.all(
      Array.from({ length: 20 }, () => untilServed(() => pay(shop, body, 'same'))),
    )
    const ids = new Set(all.filter(({ status }) => status === 201).map(({ data }) => data.id))
    expect(ids.size).toBe(1)
    expect(all.every(({ status }) => status === 201 || status === 409)).toBe(true)
    expect(await sums(shop)).toEqual(['90000.00', '10000.00'])
  })
})

describe('what is refused', () => {
  it.each([
    ['country', { country: 'ZZ' }, 422, 'invalid_country'],
    ['the code of cards, no country', { country: 'XX' }, 422, 'invalid_country'],
    ['currency', { currency: 'XAF', amount: '10000' }, 422, 'currency_country_mismatch'],
    ['method', { method: 'nobody_bj' }, 422, 'invalid_method'],
    ['method of another country', { method: 'mtn_ci' }, 422, 'invalid_method'],
    ['recipient', { recipient: { msisdn: '12' } }, 422, 'invalid_customer'],
    ['mode', { amount: '200000' }, 422, 'insufficient_balance'],
  ])('%s', async (_what, changes, status, code) => {
    const shop = await richShop()
    const reply = await pay(shop, payout('10', changes))
    expect([reply.status, reply.error.code]).toEqual([status, code])
    expect(await sums(shop)).toEqual(['100000.00', '0.00'])
  })

  it('every wrong field at once, and nothing is held', async () => {
    const shop = await richShop()
    const reply = await pay(shop, { currency: 'XOF', amount: '10.50', recipient: { msisdn: ' ' } })
    expect(reply.status).toBe(400)
    expect(Object.keys(reply.error).sort()).toEqual(
      ['amount', 'country', 'method', 'recipient.msisdn'].sort(),
    )
    expect(await sums(shop)).toEqual(['100000.00', '0.00'])
  })

  it('an amount outside the tiers, naming the bound', async () => {
    const shop = await richShop()
    const reply = await pay(shop, payout('10', { amount: '999999999' }))
    expect(reply.status).toBe(400)
    expect(reply.error.amount[0]).toMatch(/maximum/)
  })

  it('a merchant without any balance', async () => {
    const shop = await richShop('0')
    const reply = await pay(shop, payout())
    expect([reply.status, reply.error.code]).toEqual([422, 'insufficient_balance'])
  })

  it('a frozen balance, and the refusal is the key’s answer for ever', async () => {
    const shop = await richShop()
    await app.owner`
      update balances set is_frozen = true where merchant_id = ${shop.merchant_id}`
    const body = payout()
    const reply = await pay(shop, body, 'frozen')
    expect([reply.status, reply.error.code]).toEqual([422, 'balance_frozen'])
    await app.owner`
      update balances set is_frozen = false where merchant_id = ${shop.merchant_id}`
    const again = await pay(shop, body, 'frozen')
    expect(again.body).toEqual(reply.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await pay(shop, body, 'thawed')).status).toBe(201)
  })

  it('an address that is not listed, before the body is looked at', async () => {
    const shop = await app.shop()
    const reply = await shop.post('/payouts/initialize/', {})
    expect([reply.status, reply.error.code]).toEqual([403, 'ip_not_whitelisted'])
  })

  it('a key for payins, before the address is looked at', async () => {
    const shop = await app.shop({ scope: 'PAYIN' })
    const reply = await shop.post('/payouts/initialize/', payout())
    expect([reply.status, reply.error.code]).toEqual([403, 'api_key_scope_forbidden'])
  })

  it('a session needs no listed address; a role without the right is refused', async () => {
    const shop = await richShop()
    const { merchant_id } = shop
    const finance = await app.member({ merchant_id, role: 'FINANCE' })
    await app.owner`delete from ip_whitelist where merchant_id = ${merchant_id}`
    expect((await pay(finance, payout())).status).toBe(201)
    const developer = await app.member({ merchant_id, role: 'DEVELOPER' })
    const reply = await pay(developer, payout())
    expect([reply.status, reply.error.code]).toEqual([403, 'permission_denied'])
  })

  it('a retry, and the payment routes do not know it', async () => {
    const shop = await richShop()
    const { data } = await pay(shop, payout('03'))
    const retry = await shop.post(`/payments/${data.id}/retry/`, {})
    expect([retry.status, retry.error.code]).toEqual([400, 'invalid_flow'])
    expect((await shop.get(`/payments/${data.id}/verify/`)).status).toBe(404)
    const payin = await shop.pay()
    expect((await shop.get(`/payouts/${payin.data.id}/verify/`)).status).toBe(404)
  })
})

it('the operator’s own books agree with ours, when nothing is under way', async () => {
  const shop = await richShop()
  const { data } = await pay(shop, payout())
  await shop.becomes(data.id, 'SUCCESS')
  // What other tests left waiting for its payer stands in neither book.
  await eventually(async () => {
    const { a, b } = await totals()
    const books = { simulator_a: a, simulator_b: b }
    expect(await compareGatewayBooks(app.owner, books)).toMatchObject({ ok: true, broken: 0 })
  })
})
