// In the sandbox a merchant puts the imitated wire of Wave or FedaPay behind a network. Wave's payer
// decides on a page, which leads back to the merchant; every number ends as at the plain operator,
// where that operator has a word for it. A key chooses only the way that it may use.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPayer, payer, type Reply, type Shop, startApp, type TestApp } from '../harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

const choose = (shop: Shop, network_code: string, direction: string, dialect: string) =>
  shop.call('PUT', '/sandbox/dialects/', {
    body: JSON.stringify({ network_code, direction, dialect }),
    headers: { 'content-type': 'application/json' },
  })

async function shopWith(network_code: string, direction: string, dialect: string) {
  const shop = await app.shop()
  const reply = await choose(shop, network_code, direction, dialect)
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return shop
}

const back = 'https://127.0.0.1:9/thanks'
let drawn = 0
const senegal = (last: string) => {
  drawn += 1
  return payer(`+22177${String(1_000_000 + drawn * 100).slice(1, 6)}${last}`)
}

async function waveOf(shop: Shop, last: string): Promise<{ id: string; page: string }> {
  const customer = senegal(last)
  const { status, data } = await shop.pay({
    ...{ country: 'SN', network: 'wave_sn', customer, return_url: back },
  })
  expect(status, JSON.stringify(data)).toBe(201)
  return { id: data.id, page: data.checkout_url }
}

const act = (page: string, does: string) =>
  fetch(page, {
    method: 'POST',
    body: new URLSearchParams({ act: does }),
    redirect: 'manual',
  })

const gatewaysOf = async (shop: Shop, id: string): Promise<string[]> =>
  (await shop.get(`/transactions/${id}/`)).data.attempts.map(
    (one: { gateway_code: string }) => one.gateway_code,
  )

const withAddress = async (shop: Shop, country: string) => {
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  await shop.post('/sandbox/balances/', { country, amount: '500000' })
}

const payOut = async (shop: Shop, country: string, method: string, msisdn: string) => {
  const { status, data } = await shop.post('/payouts/initialize/', {
    ...{ amount: '1000', currency: 'XOF', country, method, recipient: { msisdn } },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
  })
  expect(status, JSON.stringify(data)).toBe(201)
  return data.id
}

const codeOf = ({ status, error }: Reply) => [status, error?.code]

describe('wave', () => {
  it('shows its payer a page, which leads back', async () => {
    const shop = await shopWith('wave_sn', 'COLLECT', 'wave')
    const { id, page } = await waveOf(shop, '10')
    const shown = await fetch(page)
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Imitation')])
    expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('PENDING')
    const paid = await act(page, 'pay')
    expect([paid.status, paid.headers.get('location')]).toEqual([303, back])
    await shop.becomes(id, 'SUCCESS', 30_000)
    expect(await gatewaysOf(shop, id)).toEqual(['simulator_wave'])
  }, 60_000)

  it('ends each number as at the plain operator, once its payer has paid', async () => {
    const shop = await shopWith('wave_sn', 'COLLECT', 'wave')
    const ends = [
      ['01', 'FAILED', 'INSUFFICIENT_FUNDS'],
      ['02', 'FAILED', 'NOT_APPROVED'],
      ['03', 'FAILED', 'PAYER_NOT_FOUND'],
      ['04', 'SUCCESS', ''],
      ['07', 'SUCCESS', ''],
      ['08', 'SUCCESS', ''],
    ] as const
    const begun = await Promise.all(ends.map(async (end) => [end, await waveOf(shop, end[0])]))
    for (const [[last, status, failure_code], { id, page }] of begun as [
      (typeof ends)[number],
      { id: string; page: string },
    ][]) {
      await act(page, 'pay')
      expect(await shop.becomes(id, status, 60_000), last).toMatchObject({ failure_code })
      expect(await gatewaysOf(shop, id), last).toEqual(['simulator_wave'])
    }
  }, 120_000)

  it('is not asked for what it cannot take now: the plain operator takes it', async () => {
    const shop = await shopWith('wave_sn', 'COLLECT', 'wave')
    const { id, page } = await waveOf(shop, '06')
    expect(await gatewaysOf(shop, id)).toEqual(['simulator_wave', 'simulator_a', 'simulator_b'])
    const body = new URLSearchParams({ decision: 'approve' })
    await fetch(page, { method: 'POST', body, redirect: 'manual' })
    await shop.becomes(id, 'SUCCESS', 30_000)
  }, 60_000)

  it('is decided by a test, a page and a payout', async () => {
    const shop = await shopWith('wave_sn', 'COLLECT', 'wave')
    await choose(shop, 'wave_sn', 'DISBURSE', 'wave')
    await withAddress(shop, 'SN')
    const [one, other] = [await waveOf(shop, '04'), await waveOf(shop, '10')]
    const decide = (id: string, body: object) =>
      shop.post(`/sandbox/transactions/${id}/resolve/`, body)
    expect((await decide(one.id, { outcome: 'SUCCESS' })).data?.status).toBe('SUCCESS')
    const failed = await decide(other.id, { outcome: 'FAILED', failure_code: 'LIMIT_REACHED' })
    expect(failed.data).toMatchObject({ status: 'FAILED', failure_code: 'LIMIT_REACHED' })
    const [sent, lost] = [
      await payOut(shop, 'SN', 'wave_sn', senegal('04').phone),
      await payOut(shop, 'SN', 'wave_sn', senegal('04').phone),
    ]
    expect((await decide(sent, { outcome: 'SUCCESS' })).data?.status).toBe('SUCCESS')
    const refused = await decide(lost, { outcome: 'FAILED', failure_code: 'RECIPIENT_NOT_FOUND' })
    expect(refused.data).toMatchObject({ status: 'FAILED', failure_code: 'RECIPIENT_NOT_FOUND' })
    const ordinary = await payOut(shop, 'SN', 'wave_sn', senegal('10').phone)
    await shop.becomes(ordinary, 'SUCCESS', 30_000)
    expect(await gatewaysOf(shop, ordinary)).toEqual(['simulator_wave'])
  }, 60_000)

  it('has one wallet for all: a number without money there stops nobody’s payouts', async () => {
    const shop = await shopWith('wave_sn', 'DISBURSE', 'wave')
    await withAddress(shop, 'SN')
    const short = await payOut(shop, 'SN', 'wave_sn', senegal('01').phone)
    expect(await shop.becomes(short, 'FAILED', 30_000)).toMatchObject({
      failure_code: 'LIMIT_REACHED',
    })
    const next = await payOut(shop, 'SN', 'wave_sn', senegal('10').phone)
    await shop.becomes(next, 'SUCCESS', 30_000)
    expect(await gatewaysOf(shop, next)).toEqual(['simulator_wave'])
  }, 60_000)
})

describe('fedapay', () => {
  it('ends numbers as at the plain operator, but for causes that it does not name', async () => {
    const shop = await shopWith('mtn_bj', 'COLLECT', 'fedapay')
    const ends = [
      ['10', 'SUCCESS', ''],
      ['01', 'FAILED', 'INSUFFICIENT_FUNDS'],
      ['02', 'FAILED', 'UNKNOWN'],
      ['03', 'FAILED', 'UNKNOWN'],
      ['05', 'SUCCESS', ''],
      ['07', 'SUCCESS', ''],
      ['08', 'SUCCESS', ''],
    ] as const
    const begun = await Promise.all(
      ends.map(async (end) => {
        const { status, data } = await shop.pay({ customer: newPayer(end[0]) })
        expect(status, JSON.stringify(data)).toBe(201)
        return { end, id: data.id }
      }),
    )
    for (const { end, id } of begun) {
      const [last, status, failure_code] = end
      expect(await shop.becomes(id, status, 60_000), last).toMatchObject({ failure_code })
      expect((await gatewaysOf(shop, id))[0], last).toBe('simulator_fedapay')
    }
  }, 120_000)

  it('is decided by a test, both ways', async () => {
    const shop = await shopWith('mtn_bj', 'COLLECT', 'fedapay')
    await choose(shop, 'mtn_bj', 'DISBURSE', 'fedapay')
    await withAddress(shop, 'BJ')
    const decide = (id: string, outcome: string) =>
      shop.post(`/sandbox/transactions/${id}/resolve/`, { outcome })
    for (const outcome of ['SUCCESS', 'FAILED']) {
      const { data } = await shop.pay({ customer: newPayer('04') })
      const paid = await decide(data.id, outcome)
      expect(paid.data).toMatchObject({ status: outcome })
      expect(paid.data.failure_code).toBe(outcome === 'FAILED' ? 'NOT_APPROVED' : '')
      const id = await payOut(shop, 'BJ', 'mtn_bj', newPayer('04').phone)
      expect((await decide(id, outcome)).data).toMatchObject({ status: outcome })
      expect(await gatewaysOf(shop, id)).toEqual(['simulator_fedapay'])
    }
  }, 60_000)
})

describe('a choice', () => {
  it('is refused where the operator does not reach, with what there is', async () => {
    const shop = await app.shop()
    for (const [network, direction, dialect] of [
      ['mtn_bj', 'COLLECT', 'wave'],
      ['wave_sn', 'COLLECT', 'mtn'],
      ['wave_sn', 'COLLECT', 'fedapay'],
      ['mtn_gn', 'COLLECT', 'fedapay'],
      ['orange_ci', 'COLLECT', 'pawapay'],
    ] as const) {
      const reply = await choose(shop, network, direction, dialect)
      expect(reply.status, `${network} ${dialect}`).toBe(400)
      expect(JSON.stringify(reply.body)).toContain('in the sandbox')
    }
  })

  it('of a key is of the way that it may use', async () => {
    for (const [scope, own, other] of [
      ['PAYIN', 'COLLECT', 'DISBURSE'],
      ['PAYOUT', 'DISBURSE', 'COLLECT'],
    ] as const) {
      const shop = await app.shop({ scope })
      expect(codeOf(await choose(shop, 'mtn_bj', other, 'mtn'))).toEqual([
        403,
        'api_key_scope_forbidden',
      ])
      expect((await choose(shop, 'mtn_bj', own, 'mtn')).status).toBe(200)
    }
  })
})
