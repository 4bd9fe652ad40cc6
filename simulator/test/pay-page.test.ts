// The payer's page of redirect orders: what it shows, what its two buttons do.

import { describe, expect, it } from 'vitest'
import { languageOf } from '../src/page-frame.ts'
import { order, pause, startClient, startReceiver, until } from './harness.ts'

const return_url = 'https://shop.example/thanks?order=1&x=2'

async function waiting(last: string, more: Record<string, unknown> = {}) {
  const client = await startClient({ speed: 10 })
  const receiver = await startReceiver()
  const body = order(last, { flow: 'redirect', callback_url: receiver.url, ...more })
  const created = await client.post('/a/collections', body)
  expect(created).toMatchObject({ status: 202, body: { status: 'PENDING' } })
  const page: string = created.body.checkout_url
  const decide = (decision: string): Promise<Response> =>
    fetch(page, {
      method: 'POST',
      body: new URLSearchParams({ decision }),
      redirect: 'manual',
    })
  return { ...client, receiver, page, decide, path: `/a/collections/${body.reference}` }
}

describe('the page', () => {
  it('shows amount, purpose and masked number, escaped, without script or foreign things', async () => {
    const description = `<img src=x onerror=alert(1)> "Café" & 'Co'`
    const { page } = await waiting('55', { description, return_url })
    const reply = await fetch(page, { headers: { 'accept-language': 'en-GB,en;q=0.9' } })
    const html = await reply.text()
    expect(reply.status).toBe(200)
    expect(html).toContain('<html lang="en">')
    expect(html).toContain('10\u00a0325\u00a0XOF')
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; &quot;Café&quot;')
    expect(html).toContain('&quot; &amp; &#39;Co&#39;')
    expect(html).toContain('+221 ••••••• 55')
    expect(html).not.toContain('2217700000')
    expect(html).toMatch(/value="approve">Approve<[\s\S]*value="refuse">Refuse</)
    expect(html).not.toMatch(/<script|<img|https?:\/\//)
    const policy = reply.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("form-action 'self' https://shop.example;")
    expect(policy).not.toContain('unsafe')
    expect(reply.headers.get('cache-control')).toBe('no-store')
  })

  it('speaks French to whoever does not prefer English', async () => {
    const { page } = await waiting('55')
    expect(await (await fetch(page)).text()).toContain('Approuver')
    expect(languageOf(undefined)).toBe('fr')
    expect(languageOf('de, *;q=0.5')).toBe('fr')
    expect(languageOf('en')).toBe('en')
    expect(languageOf('en;q=0.5, fr-SN;q=0.9')).toBe('fr')
    expect(languageOf('fr;q=0.2,en-US;q=0.8')).toBe('en')
  })

  it('is known by its unguessable address only', async () => {
    const { simulator, page } = await waiting('55')
    expect(new URL(page).pathname).toMatch(/^\/pay\/[\w-]{32}$/)
    for (const wrong of ['/pay/x', '/pay/', `${new URL(page).pathname}/x`]) {
      expect((await fetch(simulator.url + wrong)).status).toBe(404)
    }
  })
})

describe('the address of the page', () => {
  it('is told again to whoever lost it, until the order ends', async () => {
    const { get, post, receiver, page, decide, path } = await waiting('55')
    const reference = path.split('/').at(-1)
    const again = order('55', { flow: 'redirect', callback_url: receiver.url, reference })
    expect(await post('/a/collections', again)).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_EXISTS', collection: { checkout_url: page } },
    })
    expect((await get(path)).body.checkout_url).toBe(page)
    await decide('approve')
    expect((await get(path)).body).not.toHaveProperty('checkout_url')
  })
})

describe('approving', () => {
  it('debits once, calls back, and leads to the merchant', async () => {
    const { simulator, get, receiver, decide, path } = await waiting('55', { return_url })
    await pause(200)
    expect((await get(path)).body.status).toBe('PENDING')
    const reply = await decide('approve')
    expect(reply.status).toBe(303)
    expect(reply.headers.get('location')).toBe(return_url)
    expect((await get(path)).body.status).toBe('SUCCESSFUL')
    expect((await decide('refuse')).status).toBe(303)
    expect((await get(path)).body.status).toBe('SUCCESSFUL')
    await until(() => receiver.received.length === 1)
    await pause(100)
    expect(receiver.received).toHaveLength(1)
    expect(simulator.books()).toHaveLength(1)
  })

  it('without a return address leads to the page, which shows the result', async () => {
    const { page, decide } = await waiting('55')
    const reply = await decide('approve')
    expect(new URL(reply.headers.get('location') ?? '', page).href).toBe(page)
    const html = await (await fetch(page)).text()
    expect(html).toContain('Paiement effectué.')
    expect(html).not.toContain('<form')
  })

  it.each([
    ['01', 'FAILED', 'INSUFFICIENT_FUNDS'],
    ['02', 'FAILED', 'NOT_APPROVED'],
    ['04', 'SUCCESSFUL', undefined],
    ['05', 'SUCCESSFUL', undefined],
    ['08', 'SUCCESSFUL', undefined],
  ])('number %s ends it as %s at once, by callback', async (last, status, reason) => {
    const { get, receiver, decide, path } = await waiting(last)
    await decide('approve')
    const order = (await get(path)).body
    expect([order.status, order.reason]).toEqual([status, reason])
    await until(() => receiver.received.length === 1)
    expect(receiver.received[0]?.body.status).toBe(status)
  })
})

describe('refusing', () => {
  it('fails the order as not approved, by callback', async () => {
    const { get, receiver, page, decide, path } = await waiting('55')
    await decide('refuse')
    expect((await get(path)).body).toMatchObject({ status: 'FAILED', reason: 'NOT_APPROVED' })
    await until(() => receiver.received.length === 1)
    expect(await (await fetch(page)).text()).toContain('Paiement non effectué.')
  })

  it('or approving is the only thing that the form can do', async () => {
    const { get, decide, path } = await waiting('55')
    expect((await decide('steal')).status).toBe(200)
    expect((await get(path)).body.status).toBe('PENDING')
  })
})
