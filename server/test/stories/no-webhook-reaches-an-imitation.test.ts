// An imitation of an operator listens on this machine as our sandbox operator does. Where webhooks
// may reach private addresses, they reach no port of one: neither a new address nor one that was
// taken before the imitation had that port.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
})
afterAll(() => app?.stop())

const hook = '/merchant-webhooks/'
const hosts = ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '127.9.9.9']

async function chosen(shop: Shop, dialect: string, network_code = 'mtn_bj'): Promise<void> {
  const reply = await shop.call('PUT', '/sandbox/dialects/', {
    body: JSON.stringify({ network_code, direction: 'COLLECT', dialect }),
    headers: { 'content-type': 'application/json' },
  })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
}

async function portOf(dialect: string): Promise<number> {
  const [row] = await app.owner<Json[]>`
    select settings->>'base_url' as url from gateways where dialect = ${dialect}`
  return Number(new URL(row?.url).port)
}

it('an address at the port of an imitation is refused, of each that was chosen', async () => {
  const shop = await app.shop()
  for (const dialect of ['mtn', 'pawapay']) await chosen(shop, dialect)
  await chosen(shop, 'orange', 'orange_ml')
  await chosen(shop, 'stripe', 'card')
  await chosen(shop, 'pirogue')
  for (const port of await Promise.all(['mtn', 'pawapay', 'orange', 'stripe'].map(portOf))) {
    for (const host of hosts) {
      const { status, error } = await shop.post(hook, { url: `http://${host}:${port}/` })
      expect([host, status, Object.keys(error ?? {})]).toEqual([host, 400, ['url']])
    }
  }
})

it('one that was taken before fails its deliveries without any contact', async () => {
  const shop = await app.shop()
  await chosen(shop, 'mtn')
  const port = await portOf('mtn')
  const { data } = await shop.post(hook, { url: 'http://127.0.0.1:9999/' })
  await app.owner`
    update webhooks set url = ${`http://127.0.0.1:${port}/`} where id = ${data.id}`
  await shop.pay({ customer: newPayer() })
  await eventually(async () => {
    const [tried] = await app.owner<Json[]>`
      select http_status, response_body from deliveries
       where merchant_id = ${shop.merchant_id} and attempt > 0`
    expect(tried).toEqual({ http_status: null, response_body: '(address not allowed)' })
  }, 30_000)
})

it('another process refuses it too, once it has read the accounts anew', async () => {
  const other = await app.another({ WEBHOOK_ALLOW_PRIVATE: 'true', ROLE: 'api' })
  const shop = await app.shop()
  await chosen(shop, 'wave', 'wave_sn')
  const url = `http://127.0.0.1:${await portOf('wave')}/`
  await eventually(async () => {
    const reply = await fetch(`${other.public_url}/api/v1${hook}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
    })
    expect(reply.status).toBe(400)
  }, 15_000)
  await other.stop()
})
