// The dialect of FedaPay by plain HTTP: what it refuses, its two steps, its signed events, and what
// survives a restart.

import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type Fedapay,
  type FedapayOptions,
  startFedapay,
} from '../../src/dialects/fedapay/start.ts'

async function start(options: Partial<FedapayOptions> = {}): Promise<Fedapay> {
  const fedapay = await startFedapay({ port: 0, speed: 20, ...options })
  onTestFinished(() => fedapay.stop().catch(() => undefined))
  return fedapay
}

type Fields = Record<string, unknown>
const bearer = 'Bearer sk_sandbox_0123456789'

async function call(url: string, method = 'GET', body?: object, authorization = bearer) {
  const reply = await fetch(url, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const fields = (await reply.json()) as Fields
  return { status: reply.status, fields }
}

const transaction = (changes: object = {}) => ({
  ...{ description: 'Basket', amount: 5_163, currency: { iso: 'XOF' } },
  ...{ callback_url: 'https://shop.example/back', merchant_reference: 'ours' },
  ...changes,
})
const payout = (changes: object = {}) => ({
  ...{ amount: 1_000, currency: { iso: 'XOF' }, mode: 'mtn_open', merchant_reference: 'out' },
  ...changes,
})
const phone = (number = '+2290197000055') => ({ number, country: 'bj' })

async function made(fedapay: Fedapay, kind: 'transaction' | 'payout', changes: object = {}) {
  const body = kind === 'payout' ? payout(changes) : transaction(changes)
  const { status, fields } = await call(`${fedapay.url}/v1/${kind}s`, 'POST', body)
  expect(status).toBe(200)
  return fields[`v1/${kind}`] as Fields
}

const show = async (fedapay: Fedapay, kind: 'transaction' | 'payout', id: unknown) =>
  (await call(`${fedapay.url}/v1/${kind}s/${id}?include=currency`)).fields[`v1/${kind}`] as Fields

async function charged(fedapay: Fedapay, id: unknown, number?: string) {
  const { fields } = await call(`${fedapay.url}/v1/transactions/${id}/token`, 'POST', {})
  const body = { token: fields['token'], phone_number: phone(number) }
  return call(`${fedapay.url}/v1/mtn_open`, 'POST', body)
}

const startOne = (fedapay: Fedapay, id: unknown, number?: string) =>
  call(`${fedapay.url}/v1/payouts/start`, 'PUT', {
    payouts: [{ id, phone_number: phone(number) }],
  })

describe('the dialect', () => {
  it('refuses what its operator would refuse, and takes nothing', async () => {
    const fedapay = await start()
    const tries: [string, object, number][] = [
      ['/v1/transactions', transaction({ amount: 51.63 }), 422],
      ['/v1/transactions', transaction({ amount: '5163' }), 422],
      ['/v1/transactions', transaction({ amount: 0 }), 422],
      ['/v1/transactions', transaction({ currency: { iso: 'EUR' } }), 422],
      ['/v1/transactions', transaction({ description: '' }), 422],
      ['/v1/payouts', payout({ mode: 'card' }), 422],
      ['/v1/transactions/9/token', {}, 404],
      ['/v1/mtn_open', { token: 'tok_x', phone_number: phone() }, 404],
      ['/v1/nowhere', {}, 404],
    ]
    for (const [path, body, status] of tries) {
      const answered = await call(fedapay.url + path, 'POST', body)
      expect([path, answered.status], JSON.stringify(body)).toEqual([path, status])
      expect(answered.fields['message']).toEqual(expect.any(String))
    }
    for (const wrong of ['Bearer sk_live_0123456789', 'Basic x', '']) {
      const answered = await call(`${fedapay.url}/v1/balances`, 'GET', undefined, wrong)
      expect(answered.status).toBe(401)
    }
    expect(fedapay.books()).toEqual([])
  })

  it('takes no money before it is asked for, and once', async () => {
    const fedapay = await start()
    const { id, status, currency_id } = await made(fedapay, 'transaction')
    expect([status, currency_id]).toEqual(['pending', 1])
    expect(await show(fedapay, 'transaction', id)).toMatchObject({
      ...{ status: 'pending', amount: 5_163, currency: { iso: 'XOF' } },
    })
    expect((await charged(fedapay, id, 'no number')).status).toBe(422)
    expect((await charged(fedapay, id)).status).toBe(200)
    expect((await charged(fedapay, id)).status).toBe(422)
    await expect
      .poll(async () => (await show(fedapay, 'transaction', id))['status'])
      .toBe('approved')
    expect(fedapay.books()).toMatchObject([{ status: 'approved', amount: 5_163 }])
  })

  it('makes another transaction of the same reference: it remembers no key', async () => {
    const fedapay = await start()
    const [one, two] = [await made(fedapay, 'transaction'), await made(fedapay, 'transaction')]
    expect(one['id']).not.toBe(two['id'])
  })

  it('starts a payout that was made, once, and shows it sent', async () => {
    const fedapay = await start()
    const { id } = await made(fedapay, 'payout')
    expect((await startOne(fedapay, id)).status).toBe(200)
    expect((await startOne(fedapay, id)).status).toBe(422)
    expect((await startOne(fedapay, 77)).status).toBe(404)
    await expect.poll(async () => (await show(fedapay, 'payout', id))['status']).toBe('sent')
    const { fields } = await call(`${fedapay.url}/v1/balances`)
    const balances = fields['v1/balances'] as Fields[]
    expect(balances.find(({ mode }) => mode === 'mtn_open')).toMatchObject({ amount: -1_000 })
  })

  it('keeps payouts in its queue, over a restart too, and sends them when they go on', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'pirogue-dialect-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    const journal = join(dir, 'fedapay.jsonl')
    const before = await start({ journal })
    before.queuePayouts(true)
    const { id } = await made(before, 'payout')
    const { fields } = await startOne(before, id)
    expect(fields['v1/payouts']).toMatchObject([{ id, status: 'scheduled' }])
    await before.stop()
    const after = await start({ journal })
    expect(await show(after, 'payout', id)).toMatchObject({ status: 'scheduled' })
    after.queuePayouts(false)
    await expect.poll(async () => (await show(after, 'payout', id))['status']).toBe('sent')
  })

  it('shows what its owner gave back on the dashboard, of a part without a sum', async () => {
    const fedapay = await start()
    for (const [how, status] of [
      ['PART', 'approved_partially_refunded'],
      ['WHOLE', 'refunded'],
    ] as const) {
      const { id } = await made(fedapay, 'transaction')
      expect(() => fedapay.giveBack(`transactions/${id}`, how)).toThrow()
      await charged(fedapay, id)
      await expect
        .poll(async () => (await show(fedapay, 'transaction', id))['status'])
        .toBe('approved')
      fedapay.giveBack(`transactions/${id}`, how)
      expect(await show(fedapay, 'transaction', id)).toMatchObject({ status, amount: 5_163 })
    }
  })

  it.each([
    ['+22964000001', 'approved', null],
    ['+22966000000', 'declined', 'PAYMENT_REFUSED'],
    ['+2290197000001', 'declined', 'INSUFFICIENT_FUND_ERROR'],
  ])('ends as the number says: %s %s', async (number, status, last_error_code) => {
    const fedapay = await start()
    const { id } = await made(fedapay, 'transaction')
    await charged(fedapay, id, number)
    await expect
      .poll(() => show(fedapay, 'transaction', id))
      .toMatchObject({
        ...{ status, last_error_code },
      })
  })

  it('signs its events over the time and the body', async () => {
    const came: { body: string; signature: string }[] = []
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const signature = String(request.headers['x-fedapay-signature'])
        came.push({ body: Buffer.concat(chunks).toString(), signature })
        response.end()
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const at = server.address()
    const fedapay = await start()
    const secret = fedapay.addWebhook(
      `http://127.0.0.1:${typeof at === 'object' ? at?.port : ''}/hook`,
    )
    const { id } = await made(fedapay, 'transaction')
    await charged(fedapay, id)
    await expect.poll(() => came.length).toBe(1)
    const [{ body = '', signature = '' } = {}] = came
    const [, time = '', mac = ''] = /^t=(\d+),s=([0-9a-f]{64})$/.exec(signature) ?? []
    expect(mac).toBe(createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'))
    expect(JSON.parse(body)).toMatchObject({
      ...{ name: 'transaction.approved', object: 'transaction', object_id: id },
      entity: { id, status: 'approved', merchant_reference: 'ours' },
    })
  })

  it('goes on in the middle of a payment after a restart', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'pirogue-dialect-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    const journal = join(dir, 'fedapay.jsonl')
    const before = await start({ journal })
    const { id } = await made(before, 'transaction')
    await charged(before, id)
    const { id: unasked } = await made(before, 'transaction')
    await before.stop()
    const after = await start({ journal })
    await expect.poll(async () => (await show(after, 'transaction', id))['status']).toBe('approved')
    expect(await show(after, 'transaction', unasked)).toMatchObject({ status: 'pending' })
  })
})
