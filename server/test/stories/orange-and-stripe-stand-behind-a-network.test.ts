// In the sandbox a merchant puts the imitated wire of Orange or Stripe behind a network. Neither is
// told a payer's number: its payer decides on a page, which lies where the sandbox operator's own
// pages are and works without a script; a test decides too. The wire is reached at neither address.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { refund, refundEnds, refundingShop } from '../setup/refunds.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

const back = 'http://127.0.0.1:9/thanks?order=7'

type Kind = Readonly<{
  dialect: 'orange' | 'stripe'
  network: string
  order: Record<string, unknown>
  /** What is pressed on its page. */
  pays: Record<string, string>
  refuses: Record<string, string>
  /** Whose word ends it: a notice of Orange only wakes us, an event of Stripe is signed. */
  ended_by: string
}>

const kinds: readonly Kind[] = [
  {
    ...{ dialect: 'orange', network: 'orange_ml', ended_by: 'POLLER' },
    order: {
      ...{ amount: '5000', currency: 'XOF', country: 'ML', network: 'orange_ml' },
      customer: { email: 'awa@example.com', first_name: 'Awa', phone: '+22370000010' },
    },
    pays: { act: 'pay' },
    refuses: { act: 'fail' },
  },
  {
    ...{ dialect: 'stripe', network: 'card', ended_by: 'CALLBACK' },
    order: {
      ...{ amount: '100', currency: 'USD', country: 'XX', network: 'card' },
      customer: newPayer('10'),
    },
    pays: { card: '4242424242424242' },
    refuses: { act: 'refuse' },
  },
]

const choose = (shop: Shop, { network }: Pick<Kind, 'network'>, dialect: string) =>
  shop.call('PUT', '/sandbox/dialects/', {
    body: JSON.stringify({ network_code: network, direction: 'COLLECT', dialect }),
    headers: { 'content-type': 'application/json' },
  })

async function shopWith(kind: Kind, open: () => Promise<Shop> = () => app.shop()): Promise<Shop> {
  const shop = await open()
  const reply = await choose(shop, kind, kind.dialect)
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return shop
}

async function begun(shop: Shop, { order }: Kind, changes: object = {}) {
  const { status, data, body } = await shop.pay({ ...order, return_url: back, ...changes })
  expect(status, JSON.stringify(body)).toBe(201)
  expect(data).toMatchObject({ status: 'PENDING', next_action: 'REDIRECT' })
  const page: string = data.checkout_url
  return { id: data.id as string, page }
}

const press = (page: string, what: Record<string, string>) =>
  fetch(page, { method: 'POST', body: new URLSearchParams(what), redirect: 'manual' })

const gatewaysOf = async (shop: Shop, id: string): Promise<string[]> =>
  (await shop.get(`/transactions/${id}/`)).data.attempts.map((one: Json) => one.gateway_code)

const decide = (shop: Shop, id: string, body: object) =>
  shop.post(`/sandbox/transactions/${id}/resolve/`, body)

const resolveRefund = (shop: Shop, id: string, outcome: 'SUCCESS' | 'FAILED') =>
  shop.post(`/sandbox/refunds/${id}/resolve/`, { outcome })

const callbacksOf = (id: string) => app.owner<Json[]>`
  select c.proof, c.outcome from gateway_callbacks c
    join attempts a on a.merchant_id = c.merchant_id and a.id = c.attempt_id
   where a.transaction_id = ${id} order by c.created_at, c.id`

const successesOf = async (shop: Shop, id: string): Promise<Json[]> =>
  (await shop.get(`/transactions/${id}/`)).data.status_logs.filter(
    (log: Json) => log.to_status === 'SUCCESS',
  )

describe.each(kinds)('$dialect', (kind) => {
  const code = `simulator_${kind.dialect}`

  it('shows its payer a page of the sandbox operator’s, paid without a script', async () => {
    const shop = await shopWith(kind)
    const { id, page } = await begun(shop, kind)
    expect(page).toMatch(new RegExp(`^${app.simulator.url}/pay/${kind.dialect}/[\\w-]{20,}$`))
    const shown = await fetch(page, { headers: { 'accept-language': 'fr' } })
    const html = await shown.text()
    expect(shown.status).toBe(200)
    expect(html).toContain('imitation')
    expect(html).not.toMatch(/<script|<img|\son\w+=/)
    expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('PENDING')
    const paid = await press(page, kind.pays)
    expect([paid.status, paid.headers.get('location')]).toEqual([303, back])
    const done = await shop.becomes(id, 'SUCCESS', 60_000)
    expect(done.status_logs).toMatchObject([{ triggered_by: kind.ended_by }])
    expect(await gatewaysOf(shop, id)).toEqual([code])
    // Whoever comes again reads how it ended, and changes nothing.
    const again = await press(page, kind.refuses)
    expect([again.status, await again.text()]).toEqual([200, expect.not.stringContaining('<form')])
    expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('SUCCESS')
  }, 90_000)

  it('that its payer refuses there is FAILED, and may be tried again', async () => {
    const shop = await shopWith(kind)
    const { id, page } = await begun(shop, kind)
    const refused = await press(page, kind.refuses)
    expect([refused.status, refused.headers.get('location')]).toEqual([303, back])
    expect(await shop.becomes(id, 'FAILED', 60_000)).toMatchObject({ failure_code: 'NOT_APPROVED' })
    const again = await shop.post(`/payments/${id}/retry/`, {})
    expect([again.status, again.data?.status], JSON.stringify(again.body)).toEqual([200, 'PENDING'])
    expect(again.data.checkout_url).not.toBe(page)
    await press(again.data.checkout_url, kind.pays)
    await shop.becomes(id, 'SUCCESS', 60_000)
    expect(await gatewaysOf(shop, id)).toEqual([code, code])
  }, 120_000)

  it('waits for its payer until a test decides, both ways', async () => {
    const shop = await shopWith(kind)
    const [paid, refused] = [await begun(shop, kind), await begun(shop, kind)]
    await fetch(paid.page)
    for (const { id } of [paid, refused]) {
      expect((await shop.get(`/payments/${id}/verify/`)).data.status).toBe('PENDING')
    }
    const success = await decide(shop, paid.id, { outcome: 'SUCCESS' })
    expect([success.status, success.data?.status], JSON.stringify(success.body)).toEqual([
      ...[200, 'SUCCESS'],
    ])
    const failed = await decide(shop, refused.id, { outcome: 'FAILED' })
    expect(failed.data).toMatchObject({ status: 'FAILED', failure_code: 'NOT_APPROVED' })
    const after = await press(refused.page, kind.pays)
    expect([after.status, await after.text()]).toEqual([200, expect.not.stringContaining('<form')])
    const again = await decide(shop, paid.id, { outcome: 'FAILED' })
    expect([again.status, again.error?.code]).toEqual([409, 'transaction_terminal'])
    expect(await gatewaysOf(shop, paid.id)).toEqual([code])
  }, 60_000)

  it('is reported late, after its payer is back and we have asked: it is booked once', async () => {
    const shop = await shopWith(kind)
    const { id, page } = await begun(shop, kind)
    const paid = await press(page, { ...kind.pays, notice: 'late' })
    expect(paid.headers.get('location')).toBe(back)
    expect(await callbacksOf(id)).toEqual([])
    const asked = await eventually(async () => {
      const { data } = await shop.get(`/payments/${id}/verify/`)
      expect(data.status).toBe('SUCCESS')
      return data
    })
    expect(asked.id).toBe(id)
    await eventually(async () => expect((await callbacksOf(id)).length).toBe(1), 15_000)
    expect(await successesOf(shop, id)).toHaveLength(1)
    const incidents = await app.owner`select 1 from incidents where transaction_id = ${id}`
    expect(incidents).toHaveLength(0)
  }, 60_000)

  it('is never reported: what we ask ends it', async () => {
    const shop = await shopWith(kind)
    const { id, page } = await begun(shop, kind)
    await press(page, { ...kind.pays, notice: 'never' })
    await shop.becomes(id, 'SUCCESS', 60_000)
    expect(await callbacksOf(id)).toEqual([])
  }, 90_000)

  it('is one merchant’s choice: another’s payments and pages are as before', async () => {
    const [shop, other] = [await shopWith(kind), await app.shop()]
    const [own, plain] = [await begun(shop, kind), await begun(other, kind)]
    expect(await gatewaysOf(shop, own.id)).toEqual([code])
    expect(await gatewaysOf(other, plain.id)).toEqual(['simulator_a'])
    expect(plain.page).toMatch(/\/pay\/[\w-]{32}$/)
    const listed = await other.get(`/sandbox/dialects/?search=${kind.network}`)
    expect(listed.data.results[0]).toMatchObject({ direction: 'COLLECT', dialect: 'pirogue' })
    await choose(shop, kind, 'pirogue')
    expect(await gatewaysOf(shop, (await begun(shop, kind)).id)).toEqual(['simulator_a'])
    // What was sent before ends where it was sent.
    await press(own.page, kind.pays)
    await shop.becomes(own.id, 'SUCCESS', 60_000)
  }, 90_000)

  it('outlives its process: another finds it, and its pages are where they were', async () => {
    const shop = await shopWith(kind)
    const open = await begun(shop, kind)
    const away = JSON.stringify({ base_url: 'http://127.0.0.1:9' })
    await app.owner`
      update gateways set settings = settings || ${away}::text::jsonb
       where dialect = ${kind.dialect}`
    const second = await app.another()
    await eventually(async () => {
      const [row] = await app.owner<Json[]>`
        select settings->>'base_url' as url from gateways where dialect = ${kind.dialect}`
      expect(row?.url).not.toBe('http://127.0.0.1:9')
    })
    await second.stop()
    await press(open.page, kind.pays)
    await shop.becomes(open.id, 'SUCCESS', 60_000)
  }, 90_000)

  it('does not exist for LIVE: neither the choice, nor an account, nor a route', async () => {
    const live = await app.shop({ environment: 'LIVE', live: true })
    for (const reply of [
      await choose(live, kind, kind.dialect),
      await live.get('/sandbox/dialects/'),
    ]) {
      expect([reply.status, reply.error?.code]).toEqual([404, 'not_found'])
    }
    const [row] = await app.owner<Json[]>`
      select count(*) filter (where g.environment = 'LIVE')::int as accounts,
             count(r.id) filter (where r.environment = 'LIVE')::int as routes
        from gateways g left join routes r on r.gateway_id = g.id
       where g.dialect = ${kind.dialect}`
    expect(row).toEqual({ accounts: 0, routes: 0 })
  })

  it('is for what is collected on a page alone', async () => {
    const shop = await app.shop()
    for (const [network_code, direction] of [
      ['mtn_bj', 'COLLECT'],
      ['wave_sn', 'COLLECT'],
      ['orange_ci', 'COLLECT'],
      ['orange_ml', 'DISBURSE'],
      [kind.dialect === 'orange' ? 'card' : 'orange_ml', 'COLLECT'],
    ] as const) {
      const reply = await shop.call('PUT', '/sandbox/dialects/', {
        body: JSON.stringify({ network_code, direction, dialect: kind.dialect }),
        headers: { 'content-type': 'application/json' },
      })
      expect(reply.status, network_code).toBe(400)
      expect(JSON.stringify(reply.body)).toContain('in the sandbox')
    }
  })
})

/** What reached the wire meanwhile, by its own word: its refusals look like anybody's. */
const guessed = 'Bearer sk_test_1234567890'

async function reachedBy(wire: string, tricks: () => Promise<void>): Promise<string[]> {
  const reached: string[] = []
  const note = (message: unknown) => {
    const { request } = message as { request: IncomingMessage }
    const isWire = String(request.socket.localPort) === new URL(wire).port
    // A question of ours, at its own time, bears the account's secret, which no trick has.
    const isOurs = ![undefined, guessed].includes(request.headers.authorization)
    if (isWire && !isOurs) reached.push(`${request.method} ${request.url}`)
  }
  subscribe('http.server.request.start', note)
  try {
    await tricks()
  } finally {
    unsubscribe('http.server.request.start', note)
  }
  return reached
}

describe('a wire', () => {
  /** One of its own, where nothing waits that we would ask about. */
  let alone: TestApp
  beforeAll(async () => {
    alone = await startApp()
  })
  afterAll(() => alone?.stop())

  async function trickAt(at: string, kind: Kind, own: string): Promise<void> {
    for (const wire of [
      ...['/oauth/v3/token', '/orange-money-webpay/dev/v1/webpayment', '/v1/balance'],
      ...['/orange-money-webpay/dev/v1/transactionstatus', '/v1/checkout/sessions', '/v1/refunds'],
      ...[`/pay/${kind.dialect}/v1/balance`, `${own}/v1/balance`, `${own}/..%2f..%2fv1/balance`],
    ]) {
      for (const method of ['GET', 'POST']) {
        const reply = await fetch(at + wire, {
          method,
          headers: { authorization: guessed, host: 'api.stripe.com' },
        })
        expect([401, 404, 405], `${method} ${at}${wire}`).toContain(reply.status)
      }
    }
  }

  it.each(kinds)(
    'of $dialect is reached neither at our public address nor at that of the pages',
    async (kind) => {
      const shop = await shopWith(kind, () => alone.shop())
      const { id, page } = await begun(shop, kind)
      expect((await decide(shop, id, { outcome: 'FAILED' })).data.status).toBe('FAILED')
      const [row] = await alone.owner<{ wire: string }[]>`
        select settings->>'base_url' as wire from gateways where dialect = ${kind.dialect}`
      const wire = row?.wire ?? ''
      const own = new URL(page).pathname
      // A question of ours that was on its way when the payer decided is no trick's.
      await expect.poll(() => reachedBy(wire, () => sleep(500)), { timeout: 30_000 }).toEqual([])
      expect(await reachedBy(wire, async () => void (await fetch(wire)))).toEqual(['GET /'])
      const reached = await reachedBy(wire, async () => {
        for (const at of [alone.url, alone.simulator.url]) await trickAt(at, kind, own)
      })
      expect(reached).toEqual([])
      // Our own address has no page of an imitation, and the operator's has nothing but the page.
      expect((await fetch(alone.url + own)).status).toBe(404)
      expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('FAILED')
    },
    60_000,
  )
})

describe('a card', () => {
  const [, card] = kinds as readonly [Kind, Kind]

  it('that is declined leaves the page open; its payer takes another', async () => {
    const shop = await shopWith(card)
    const { id, page } = await begun(shop, card)
    const declined = await press(page, { card: '4000000000009995' })
    expect([declined.status, await declined.text()]).toEqual([
      ...[200, expect.stringContaining('<form')],
    ])
    expect((await shop.get(`/payments/${id}/verify/`)).data.status).toBe('PENDING')
    await press(page, card.pays)
    await shop.becomes(id, 'SUCCESS', 60_000)
  }, 60_000)

  it('that is declined for want of money, and given up, names the cause', async () => {
    const shop = await shopWith(card)
    const { id, page } = await begun(shop, card)
    await press(page, { card: '4000000000009995' })
    const left = await press(page, { act: 'leave' })
    expect(left.headers.get('location')).toBe(back)
    expect(await shop.becomes(id, 'FAILED', 60_000)).toMatchObject({
      failure_code: 'INSUFFICIENT_FUNDS',
    })
  }, 60_000)

  it('that nobody gives before the payer leaves is EXPIRED', async () => {
    const shop = await shopWith(card)
    const { id, page } = await begun(shop, card)
    await press(page, { act: 'leave' })
    expect(await shop.becomes(id, 'FAILED', 60_000)).toMatchObject({ failure_code: 'EXPIRED' })
  }, 60_000)

  it('is asked for by its bank first, where it is one that is', async () => {
    const shop = await shopWith(card)
    const { id, page } = await begun(shop, card)
    const asked = await (await press(page, { card: '4000002500003155', notice: 'late' })).text()
    // What was chosen goes along to the next page.
    expect(asked).toMatch(/value="late" checked/)
    await press(page, { authenticated: 'yes', notice: 'late' })
    await shop.becomes(id, 'SUCCESS', 60_000)
  }, 60_000)

  it('is given back by the operator', async () => {
    const shop = await shopWith(card, () => refundingShop(app, {}, '0'))
    const { id, page } = await begun(shop, card)
    await press(page, card.pays)
    await shop.becomes(id, 'SUCCESS', 60_000)
    const given = await refund(shop, { id }, { amount: '40', reason: 'Broken' })
    expect(given.status, JSON.stringify(given.body)).toBe(201)
    await refundEnds(shop, given.data.id, 'SUCCESS', 60_000)
    expect(await gatewaysOf(shop, id)).toEqual(['simulator_stripe'])
  }, 90_000)

  it('that is refunded slowly: a test decides the refund that waits, and it stays so', async () => {
    const shop = await shopWith(card, () => refundingShop(app, {}, '0'))
    const { id, page } = await begun(shop, card)
    await press(page, { card: '4000000000007726' })
    await shop.becomes(id, 'SUCCESS', 60_000)
    // Left to itself it succeeds after a second here: on a busy machine a first one may have.
    const failed = await eventually(async () => {
      const given = await refund(shop, { id }, { amount: '2', reason: 'Broken' })
      expect([given.status, given.data?.status], JSON.stringify(given.body)).toEqual([
        ...[201, 'PENDING'],
      ])
      const decided = await resolveRefund(shop, given.data.id, 'FAILED')
      expect([decided.status, decided.data?.status]).toEqual([200, 'FAILED'])
      return decided.data
    }, 30_000)
    const late = await resolveRefund(shop, failed.id, 'SUCCESS')
    expect([late.status, late.error?.code]).toEqual([409, 'transaction_terminal'])
    const paid = await refund(shop, { id }, { amount: '20', reason: 'Broken' })
    const succeeded = await resolveRefund(shop, paid.data.id, 'SUCCESS')
    // Decided by the test, or just before it by the operator: never by the wrong word.
    expect([200, 409]).toContain(succeeded.status)
    await refundEnds(shop, paid.data.id, 'SUCCESS', 60_000)
    // The time of the first one's own end is over.
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    const verified = await shop.post(`/refunds/${failed.id}/verify/`)
    expect(verified.data.status).toBe('FAILED')
    const { data } = await shop.get(`/transactions/${id}/`)
    expect(data.status).toBe('SUCCESS')
  }, 120_000)
})
