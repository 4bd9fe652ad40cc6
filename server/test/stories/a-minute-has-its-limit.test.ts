// Contract 3.6 over two processes on one database: the minute's limit is exact, for all keys of a
// merchant together and for it alone; above 3000 it is leased in blocks and still never passed. And
// pages that anybody may open count whoever opens them.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { revokeKey } from '../../src/merchants/keys/end-keys.ts'
import { dropOldTries } from '../../src/platform/throttle/throttle.ts'
import { type Reply, type Shop, shopWith, startApp, type TestApp } from '../harness.ts'
import '../setup/by-the-clock.ts'
import { wholeIt } from '../setup/proof-size.ts'

let app: TestApp
let second_url: string

beforeAll(async () => {
  app = await startApp()
  second_url = (await app.another({ ROLE: 'api' })).public_url
})
afterAll(() => app?.stop())

const atSecond = (shop: Shop) => shopWith(second_url, shop.merchant_id, shop.key)
const callsOf = (count: number, call: (n: number) => Promise<Reply>) =>
  Promise.all(Array.from({ length: count }, (_, n) => call(n)))
const served = (replies: readonly Reply[]) => replies.filter((reply) => reply.status !== 429)
const header = (reply: Reply, name: string) => Number(reply.headers.get(name))

/** A minute that lasts long enough for what follows; the database's clock says which it is. */
async function withinOneMinute<T>(needs_s: number, work: () => Promise<T>): Promise<T> {
  const look = async () => {
    const [row] = await app.owner<{ minute: number; left_s: number }[]>`
      select extract(epoch from date_trunc('minute', now()))::int as minute,
             60 - extract(second from now())::float8 as left_s`
    return row ?? { minute: 0, left_s: 0 }
  }
  const { left_s } = await look()
  if (left_s < needs_s) await sleep(left_s * 1000 + 50)
  const before = await look()
  const result = await work()
  expect((await look()).minute, 'the calls took longer than the minute had left').toBe(
    before.minute,
  )
  return result
}

describe('300 calls a minute', () => {
  it('serves exactly 300 of 400 simultaneous calls, by two keys over two processes', async () => {
    const shop = await app.shop({ rate_limit: 300 })
    const twin = await app.shop({ merchant_id: shop.merchant_id })
    const clients = [shop, twin, atSecond(shop), atSecond(twin)]
    const neighbour = await app.shop({ rate_limit: 300 })
    await withinOneMinute(30, async () => {
      const replies = await callsOf(400, async (n) => {
        const client = clients[n % clients.length] ?? shop
        // Errors count as well: every third call asks for what is not there.
        return n % 3 === 0
          ? client.get('/transactions/nothing/')
          : client.get('/merchant-balances/')
      })
      expect(served(replies)).toHaveLength(300)
      expect(replies.filter((reply) => reply.status === 404).length).toBeGreaterThan(50)
      expect(replies.filter((reply) => reply.status >= 500)).toEqual([])
      // Each of the 300 was told another remainder: none was counted twice or not at all.
      const remainders = served(replies).map((reply) => header(reply, 'ratelimit-remaining'))
      expect(remainders.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, n) => n))
      for (const reply of replies) {
        expect(reply.headers.get('ratelimit-limit')).toBe('300')
        const reset_s = header(reply, 'ratelimit-reset')
        expect(reset_s).toBeGreaterThan(0)
        expect(reset_s).toBeLessThanOrEqual(60)
        if (reply.status !== 429) continue
        expect(reply.error).toMatchObject({ code: 'rate_limited', retryable: true })
        expect(reply.headers.get('ratelimit-remaining')).toBe('0')
        expect(header(reply, 'retry-after')).toBe(reset_s)
      }
      // A 429 does not count: the row says what was served, however often it was refused.
      const [window] = await app.owner`
        select used from rate_windows where merchant_id = ${shop.merchant_id}
         order by minute desc limit 1`
      expect(window?.['used']).toBe(300)
      const others = await neighbour.get('/merchant-balances/')
      expect(others.status).toBe(200)
      expect(others.headers.get('ratelimit-remaining')).toBe('299')
    })
  })

  it('opens again with the next minute', async () => {
    const shop = await app.shop({ rate_limit: 2 })
    await withinOneMinute(5, async () => {
      const replies = await callsOf(4, () => shop.get('/merchant-balances/'))
      expect(served(replies)).toHaveLength(2)
    })
    // The minute's end, without the waiting: the window that was used becomes an older one.
    await app.owner`
      update rate_windows set minute = minute - interval '1 minute'
       where merchant_id = ${shop.merchant_id}`
    expect((await shop.get('/merchant-balances/')).status).toBe(200)
  })

  it('counts no call that was refused for its key', async () => {
    const shop = await app.shop({ rate_limit: 300 })
    const gone = await app.shop({ merchant_id: shop.merchant_id })
    await revoke(gone)
    await withinOneMinute(5, async () => {
      const refused = await callsOf(5, () => gone.get('/merchant-balances/'))
      expect(refused.map((reply) => reply.error.code)).toEqual(Array(5).fill('revoked_api_key'))
      const reply = await shop.get('/merchant-balances/')
      expect(reply.headers.get('ratelimit-remaining')).toBe('299')
    })
  })
})

describe('more than 3000 calls a minute', () => {
  const keepsLimit = 'never passes the limit and serves at least 95 % of it, by blocks'

  wholeIt(keepsLimit, { timeout: 120_000 }, async () => {
    const limit = 3001
    const shop = await app.shop({ rate_limit: limit })
    const twin = await app.shop({ merchant_id: shop.merchant_id })
    // Uneven on purpose: what a rarely called process took ahead is what the limit may lose.
    const clients = [shop, shop, shop, twin, atSecond(shop), shop, twin, atSecond(twin)]
    await withinOneMinute(35, async () => {
      let answered = 0
      for (let wave = 0; wave < 17; wave += 1) {
        const replies = await callsOf(200, (n) =>
          (clients[(n + wave) % clients.length] ?? shop).get('/merchant-balances/'),
        )
        answered += served(replies).length
      }
      expect(answered).toBeLessThanOrEqual(limit)
      expect(answered).toBeGreaterThanOrEqual(limit * 0.95)
    })
  })

  it('does not let one burst at one process take the minute from the other', async () => {
    const shop = await app.shop({ rate_limit: 3001 })
    await withinOneMinute(10, async () => {
      const first = await callsOf(100, () => shop.get('/merchant-balances/'))
      expect(served(first)).toHaveLength(100)
      const [window] = await app.owner`
        select used from rate_windows where merchant_id = ${shop.merchant_id}
         order by minute desc limit 1`
      expect(window?.['used']).toBeLessThanOrEqual(200)
    })
  })
})

async function revoke(shop: Shop): Promise<void> {
  const [row] = await app.owner`
    select id from api_keys where merchant_id = ${shop.merchant_id}
       and key_prefix || last4 = ${shop.key.slice(0, 12) + shop.key.slice(-4)}`
  await revokeKey(app.owner, row?.['id'])
}

describe('a revoked key', () => {
  it.each([300, 5000])('is refused at once in both processes (limit %i)', async (rate_limit) => {
    const shop = await app.shop({ rate_limit })
    const clients = [shop, atSecond(shop)]
    for (const client of clients) expect((await client.get('/merchant-balances/')).status).toBe(200)
    await revoke(shop)
    for (const client of clients) {
      const reply = await client.get('/merchant-balances/')
      expect(reply).toMatchObject({ status: 401, error: { code: 'revoked_api_key' } })
    }
  })
})

// By network, not by address, since one reader has as many addresses of IPv6 as they like; and each
// link by itself. Without these, one reader fills the database with sessions and counts.
describe('public pages', () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await app.shop()
  })
  const post = (url: string, body: string, headers: Record<string, string>) =>
    fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })

  const look = (url: string, slug: string, ip: string) =>
    fetch(`${url}/api/v1/payment-links/public/${slug}/`, { headers: { 'x-forwarded-for': ip } })

  async function link() {
    const { data } = await shop.post('/payment-links/', {
      name: 'Tontine',
      currency: 'XOF',
      amount: '1000',
    })
    return data
  }

  it('count a whole network of IPv6 as one reader', async () => {
    const { slug } = await link()
    const narrow = await app.another({ TRUST_PROXY: '1', LIMIT_PUBLIC_PER_IP_MINUTE: '3' })
    try {
      const from = (ip: string) => look(narrow.public_url, slug, ip).then(({ status }) => status)
      const mine = ['2001:db8:7:7::1', '2001:db8:7:7::2', '2001:db8:7:7:8::3', '2001:db8:7:7:9::4']
      const statuses: number[] = []
      for (const ip of mine) statuses.push(await from(ip))
      expect(statuses).toEqual([200, 200, 200, 429])
      expect(await from('2001:db8:7:8::1')).toBe(200)
      // Receipts count in a window of their own, by the same rule.
      const read = (ip: string) =>
        fetch(`${narrow.public_url}/api/v1/receipts/${'a'.repeat(22)}/`, {
          headers: { 'x-forwarded-for': ip },
        }).then(({ status }) => status)
      const receipts: number[] = []
      for (const ip of mine) receipts.push(await read(ip))
      expect(receipts).toEqual([404, 404, 404, 429])
    } finally {
      await narrow.stop()
    }
  })

  it('make so many sessions of one link in an hour, whoever opens it', async () => {
    const [one, other] = [await link(), await link()]
    const few = await app.another({ TRUST_PROXY: '1', LIMIT_LINK_SESSIONS_HOUR: '3' })
    try {
      const open = async (slug: string, ip: string, more: Record<string, unknown> = {}) => {
        const customer = { email: 'kofi@example.com', first_name: 'Kofi', last_name: 'Mensah' }
        const { status } = await post(
          `${few.public_url}/api/v1/payment-links/public/${slug}/checkout/`,
          JSON.stringify({ customer, ...more }),
          { 'x-forwarded-for': ip },
        )
        return status
      }
      // What is refused makes no session, and takes nothing from the budget.
      for (let i = 0; i < 4; i += 1) {
        expect(await open(one.slug, '192.0.2.9', { customer: { email: 'x' } })).toBe(400)
      }
      const statuses: number[] = []
      for (let i = 0; i < 5; i += 1) statuses.push(await open(one.slug, `192.0.2.${i}`))
      expect(statuses).toEqual([201, 201, 201, 429, 429])
      expect(await open(other.slug, '192.0.2.1')).toBe(201)
    } finally {
      await few.stop()
    }
  })

  it('leave half of a link’s hour to others, whoever takes all they can', async () => {
    const { slug } = await link()
    const few = await app.another({ TRUST_PROXY: '1', LIMIT_LINK_SESSIONS_HOUR: '12' })
    try {
      const customer = { email: 'kofi@example.com', first_name: 'Kofi', last_name: 'Mensah' }
      const open = (ip: string) =>
        post(
          `${few.public_url}/api/v1/payment-links/public/${slug}/checkout/`,
          JSON.stringify({ customer }),
          { 'x-forwarded-for': ip },
        )
      const takes = async (ip: string, times: number) => {
        const statuses: number[] = []
        for (let i = 0; i < times; i += 1) statuses.push((await open(ip)).status)
        return statuses.filter((status) => status === 201).length
      }
      expect(await takes('192.0.2.1', 9)).toBe(6)
      // Another of its network is the same; whoever comes then has half of what is left.
      expect(await takes('2001:db8:7:7::1', 5)).toBe(3)
      expect(await takes('2001:db8:7:7::2', 1)).toBe(0)
      expect(await takes('192.0.2.1', 1)).toBe(0)
      const refused = await open('192.0.2.1')
      expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, 600])
      for (const ip of ['192.0.2.2', '192.0.2.3', '192.0.2.4']) expect(await takes(ip, 1)).toBe(1)
      expect(await takes('192.0.2.5', 1)).toBe(0)
    } finally {
      await few.stop()
    }
  })

  it('leave half of a link’s hour to others, also to whoever began in the hour before', async () => {
    const { slug } = await link()
    const few = await app.another({ TRUST_PROXY: '1', LIMIT_LINK_SESSIONS_HOUR: '12' })
    try {
      const customer = { email: 'kofi@example.com', first_name: 'Kofi', last_name: 'Mensah' }
      const takes = async (ip: string, times: number) => {
        let made = 0
        for (let i = 0; i < times; i += 1) {
          const { status } = await post(
            `${few.public_url}/api/v1/payment-links/public/${slug}/checkout/`,
            JSON.stringify({ customer }),
            { 'x-forwarded-for': ip },
          )
          if (status === 201) made += 1
        }
        return made
      }
      /** For windows that began so long ago: half a second more is rounded up. */
      const passes = (minutes: number, longer_ago_min = -1) => app.owner`
        update throttle_windows
           set started_at = started_at - ${minutes} * interval '1 minute',
               ends_at = ends_at - ${minutes} * interval '1 minute'
         where started_at <= now() - ${longer_ago_min} * interval '1 minute'`
      await app.owner`delete from throttle_windows`
      expect(await takes('192.0.2.1', 1)).toBe(1)
      await passes(50)
      expect(await takes('192.0.2.9', 1)).toBe(1)
      await passes(11)
      // The link's hour is over, and that of the second address is not.
      expect(await takes('192.0.2.9', 9)).toBe(6)
      await passes(50, 10)
      expect(await takes('192.0.2.9', 9)).toBe(0)
      expect(await takes('192.0.2.2', 9)).toBe(3)
    } finally {
      await few.stop()
    }
  })

  it('leave no row of a count behind whose window is over', async () => {
    const { slug } = await link()
    const open = await app.another({ TRUST_PROXY: '1' })
    try {
      await app.owner`delete from throttle_windows`
      for (let i = 0; i < 10; i += 1) await look(open.public_url, slug, `198.51.100.${i}`)
      const left = async () => (await app.owner`select 1 from throttle_windows`).count
      expect(await left()).toBe(10)
      const { db } = app.service
      await dropOldTries(db)
      expect(await left()).toBe(10)
      await app.owner`
        update throttle_windows set started_at = started_at - interval '62 seconds',
               ends_at = ends_at - interval '62 seconds'`
      await dropOldTries(db)
      expect(await left()).toBe(0)
    } finally {
      await open.stop()
    }
  })
})
