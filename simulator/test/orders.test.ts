// The operator's contract for ordinary numbers: access, creating, asking, books.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatAmount, parseAmount, spellAmount } from '../src/amount.ts'
import { isSigned, order, startClient, startReceiver, until } from './harness.ts'

describe('access', () => {
  it.each(['', 'Bearer wrong', 'test-token', 'Bearer test-tokenx'])(
    'refuses every operator route without the token (%j)',
    async (authorization) => {
      const { simulator } = await startClient()
      for (const path of ['/a/collections/x', '/b/payouts/x', '/books', '/books/totals', '/x']) {
        const reply = await fetch(simulator.url + path, { headers: { authorization } })
        expect([path, reply.status]).toEqual([path, 401])
      }
      const created = await fetch(`${simulator.url}/a/collections`, { method: 'POST', body: '{}' })
      expect(created.status).toBe(401)
      expect(simulator.books()).toEqual([])
    },
  )

  it('tells anyone that it lives', async () => {
    const { simulator } = await startClient()
    expect((await fetch(`${simulator.url}/healthz`)).status).toBe(200)
  })
})

describe('an ordinary collection', () => {
  it('is accepted as pending, then succeeds by one signed callback and one debit', async () => {
    const { get, post } = await startClient({ speed: 0.5 })
    const receiver = await startReceiver()
    const body = order('55', { callback_url: receiver.url })
    const path = `/a/collections/${body.reference}`

    const created = await post('/a/collections', body)
    expect(created).toEqual({
      status: 202,
      body: { id: expect.stringMatching(/^SIM/), reference: body.reference, status: 'PENDING' },
    })
    const { id, reference } = created.body
    const pending = { id, reference, status: 'PENDING', amount: '10325.00', currency: 'XOF' }
    expect(await get(path)).toEqual({ status: 200, body: pending })

    await until(() => receiver.received.length === 1)
    const [callback] = receiver.received
    expect(callback?.body).toEqual({
      event_id: expect.any(String),
      id,
      reference,
      status: 'SUCCESSFUL',
      amount: '10325.00',
      currency: 'XOF',
    })
    expect(callback && isSigned(callback)).toBe(true)
    expect((await get(path)).body).toEqual({ ...pending, status: 'SUCCESSFUL' })
    expect((await get('/books')).body).toEqual([
      {
        operator: 'a',
        kind: 'COLLECTION',
        reference,
        id,
        amount: '10325.00',
        currency: 'XOF',
        msisdn: body.msisdn,
        status: 'SUCCESSFUL',
        debited_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ])
  })

  it('is one order whatever the number of calls with its reference, even at once', async () => {
    const { simulator, get, post } = await startClient({ speed: 20 })
    const receiver = await startReceiver()
    const body = order('55', { callback_url: receiver.url })
    const replies = await Promise.all(Array.from({ length: 8 }, () => post('/a/collections', body)))
    expect(replies.map((reply) => reply.status).sort()).toEqual([202, ...Array(7).fill(409)])
    await until(() => receiver.received.length === 1)

    const again = await post('/a/collections', { ...body, amount: '99.00' })
    expect(again).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_EXISTS', collection: { status: 'SUCCESSFUL', amount: '10325.00' } },
    })
    expect(simulator.books()).toHaveLength(1)
    expect((await get('/books/totals')).body).toEqual({
      a: { XOF: { collected: '10325.00', paid: '0.00' } },
      b: {},
    })
  })

  it('is not known to the other operator, nor among payouts', async () => {
    const { get, post } = await startClient()
    const receiver = await startReceiver()
    const body = order('55', { callback_url: receiver.url })
    await post('/a/collections', body)
    for (const path of ['/b/collections', '/a/payouts']) {
      const reply = await get(`${path}/${body.reference}`)
      expect(reply).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    }
    expect((await post('/b/collections', body)).status).toBe(202)
    expect((await post('/a/payouts', body)).status).toBe(202)
  })
})

describe('a payout', () => {
  it('succeeds by callback and counts as paid', async () => {
    const { get, post } = await startClient({ speed: 20 })
    const receiver = await startReceiver()
    const body = order('55', { callback_url: receiver.url, amount: '9750' })
    expect((await post('/b/payouts', body)).body).toMatchObject({ status: 'PENDING' })
    await until(() => receiver.received.length === 1)
    expect((await get(`/b/payouts/${body.reference}`)).body.status).toBe('SUCCESSFUL')
    const totals = (await get('/books/totals')).body
    expect(totals.b).toEqual({ XOF: { collected: '0.00', paid: '9750.00' } })
  })
})

describe('a bad body', () => {
  it.each([
    ['reference', { reference: '' }],
    ['reference', { reference: 'x'.repeat(65) }],
    ['amount', { amount: 100 }],
    ['amount', { amount: '0.00' }],
    ['amount', { amount: '-5' }],
    ['amount', { amount: '1e3' }],
    ['amount', { amount: '10.001' }],
    ['amount', { amount: '100.50', currency: 'XOF' }],
    ['currency', { currency: 'cfa' }],
    ['msisdn', { msisdn: '+221770000055' }],
    ['network', { network: null }],
    ['flow', { flow: 'ussd' }],
    ['otp_kind', { otp_kind: 'SMS' }],
    ['callback_url', { callback_url: 'ftp://127.0.0.1/' }],
    ['return_url', { return_url: 'javascript:alert(1)' }],
  ])('is refused by its field %s: %j', async (field, wrong) => {
    const { simulator, post } = await startClient()
    const good = order('55', { callback_url: 'http://127.0.0.1:9/' })
    expect(await post('/a/collections', { ...good, ...wrong })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST', field },
    })
    expect(simulator.books()).toEqual([])
  })

  it('that is no JSON object, or too large, is refused too', async () => {
    const { post } = await startClient()
    expect((await post('/a/collections')).status).toBe(400)
    expect((await post('/a/collections', [])).status).toBe(400)
    expect((await post('/a/collections', 'x'.repeat(70_000))).status).toBe(413)
  })
})

describe('amounts', () => {
  it('read back as they were written', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 99_999_999_999_999n), (hundredths) => {
        expect(parseAmount(formatAmount(hundredths), 'GHS')).toBe(hundredths)
      }),
    )
  })

  it('are spelled for a payer in groups of three', () => {
    expect(spellAmount(10_325_00n, 'XOF')).toBe('10\u00a0325\u00a0XOF')
    expect(spellAmount(1_234_567_50n, 'GHS')).toBe('1\u00a0234\u00a0567.50\u00a0GHS')
    expect(spellAmount(5n, 'GHS')).toBe('0.05\u00a0GHS')
  })
})
