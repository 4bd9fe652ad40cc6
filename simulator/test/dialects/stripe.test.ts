// The dialect of Stripe by plain HTTP: what it refuses, its page for payers, its keys, and what
// survives a restart.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Stripe, type StripeOptions, startStripe } from '../../src/dialects/stripe/start.ts'

async function start(options: Partial<StripeOptions> = {}): Promise<Stripe> {
  const stripe = await startStripe({ port: 0, speed: 20, ...options })
  onTestFinished(() => stripe.stop().catch(() => undefined))
  return stripe
}

const bearer = { authorization: 'Bearer sk_test_0123456789abcdef' }

async function post(
  url: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
) {
  const body = new URLSearchParams(form)
  const reply = await fetch(url, {
    method: 'POST',
    headers: { ...bearer, ...headers },
    body,
    redirect: 'manual',
  })
  const text = await reply.text()
  return { status: reply.status, text, headers: reply.headers }
}

const path = '/v1/checkout/sessions'
const order = (changes: Readonly<Record<string, string>> = {}) => ({
  mode: 'payment',
  client_reference_id: 'ours',
  success_url: 'https://shop.example/back',
  cancel_url: 'https://shop.example/cancelled',
  'line_items[0][quantity]': '1',
  'line_items[0][price_data][currency]': 'xof',
  'line_items[0][price_data][unit_amount]': '5163',
  'line_items[0][price_data][product_data][name]': 'Basket <b>',
  ...changes,
})

describe('the dialect', () => {
  it('refuses what its operator would refuse, and takes nothing', async () => {
    const stripe = await start()
    const amount = 'line_items[0][price_data][unit_amount]'
    const inAnHour = String(Math.floor(Date.now() / 1000) + 3600)
    const tries: [Readonly<Record<string, string>>, number, RegExp][] = [
      [{ mode: '' }, 400, /parameter_missing/],
      [{ success_url: 'shop' }, 400, /url_invalid/],
      [{ [amount]: '51.63' }, 400, /Invalid integer/],
      [{ [amount]: '05163' }, 400, /Invalid integer/],
      [{ 'line_items[0][price_data][currency]': 'XOF' }, 400, /Invalid currency/],
      [{ 'line_items[0][price_data][currency]': 'usd', [amount]: '49' }, 400, /amount_too_small/],
      [{ client_reference_id: 'x'.repeat(201) }, 400, /client_reference_id/],
      [{ expires_at: '1' }, 400, /30 minutes/],
      [{ msisdn: '+229' }, 400, /parameter_unknown/],
    ]
    for (const [changes, status, form] of tries) {
      const reply = await post(stripe.url + path, order(changes))
      expect([reply.status, reply.text]).toEqual([status, expect.stringMatching(form)])
    }
    const stranger = await post(stripe.url + path, order(), {
      authorization: 'Bearer sk_live_1234',
    })
    expect([stranger.status, stranger.text]).toEqual([
      401,
      expect.stringMatching(/Invalid API Key/),
    ])
    const nowhere = await post(`${stripe.url}/v1/checkout`, order())
    expect([nowhere.status, nowhere.text]).toEqual([404, expect.stringMatching(/Unrecognized/)])
    expect(stripe.books()).toEqual([])
    const taken = await post(stripe.url + path, order({ expires_at: inAnHour }))
    expect([taken.status, JSON.parse(taken.text)]).toMatchObject([
      200,
      { amount_total: 5163, currency: 'xof', status: 'open', expires_at: Number(inAnHour) },
    ])
  })

  it('answers a key alike for a day, and keeps no refusal', async () => {
    let now = Date.now()
    const stripe = await start({ now: () => now })
    const keyed = { 'idempotency-key': 'one' }
    expect((await post(stripe.url + path, order({ mode: '' }), keyed)).status).toBe(400)
    const first = await post(stripe.url + path, order(), keyed)
    now += 23 * 3_600_000
    const again = await post(stripe.url + path, order(), keyed)
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const other = await post(stripe.url + path, order({ mode: 'setup' }), keyed)
    expect([other.status, JSON.parse(other.text).error.type]).toEqual([400, 'idempotency_error'])
    now += 2 * 3_600_000
    await post(stripe.url + path, order(), keyed)
    expect(stripe.books()).toHaveLength(2)
  })

  it('has a page where a payer gives a test card, is declined, is asked by their bank, and pays', async () => {
    const stripe = await start()
    const { url } = JSON.parse((await post(stripe.url + path, order())).text)
    const page = await (await fetch(url)).text()
    expect(page).toContain('Basket &#60;b&#62;'.replace(/&#60;/g, '&lt;').replace(/&#62;/g, '&gt;'))
    expect(page).not.toContain('<script')
    const declined = await post(url, { card: '4000000000000002' })
    expect(declined.text).toContain('La carte a été refusée')
    expect((await post(url, { card: '4000002500003155' })).text).toContain('Ma banque')
    const back = await post(url, { authenticated: 'yes' })
    expect([back.status, back.headers.get('location')]).toEqual([303, 'https://shop.example/back'])
    expect(stripe.books()).toMatchObject([{ status: 'complete', amount: 5163 }])
    expect((await post(url, { card: '4242424242424242' })).text).toContain('Paiement effectué')
  })

  it('goes on in the middle of a payment after a restart', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'pirogue-dialect-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    const journal = join(dir, 'stripe.jsonl')
    const first = await start({ journal, speed: 1 })
    const name = 'line_items[0][price_data][product_data][name]'
    await post(first.url + path, order({ [name]: 'sandbox:00' }), { 'idempotency-key': 'one' })
    const [before] = first.books()
    expect(before).toMatchObject({ status: 'open' })
    await first.stop()
    const second = await start({ journal, speed: 1 })
    await expect.poll(() => second.books()[0]?.status).toBe('complete')
    await post(second.url + path, order({ [name]: 'sandbox:00' }), { 'idempotency-key': 'one' })
    expect(second.books()).toEqual([{ ...before, status: 'complete' }])
  })
})
