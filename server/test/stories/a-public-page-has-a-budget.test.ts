// Pages that anybody may open count whoever opens them: by network, not by address, since one
// reader has as many addresses of IPv6 as he likes; and each link by itself. Without these, one
// reader fills the database with sessions and counts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dropOldTries } from '../../src/platform/throttle/drop-old-tries.ts'
import { type Shop, startApp, type TestApp } from '../harness.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
})
afterAll(() => app?.stop())

const post = (url: string, body: string, headers: Record<string, string>) =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })

describe('public pages', () => {
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
