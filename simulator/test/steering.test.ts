// What is done to a waiting order: the OTP, cancelling, the test control. Each works once.

import { describe, expect, it } from 'vitest'
import { order, pause, startClient, startReceiver, until } from './harness.ts'

describe('a pre-payment OTP', () => {
  it.each([undefined, '000000'])('%s is refused at once and takes nothing', async (otp) => {
    const { simulator, post } = await startClient()
    const more = { otp_kind: 'PRE', otp, callback_url: 'http://127.0.0.1:9/' }
    expect(await post('/a/collections', order('55', more))).toMatchObject({
      status: 200,
      body: { status: 'REFUSED', code: 'INVALID_OTP' },
    })
    expect(simulator.books()).toEqual([])
  })

  it('that is right is accepted, and is not kept', async () => {
    const { simulator, post } = await startClient({ speed: 20 })
    const receiver = await startReceiver()
    const more = { otp_kind: 'PRE', otp: '123456', callback_url: receiver.url }
    expect((await post('/a/collections', order('55', more))).status).toBe(202)
    await until(() => receiver.received.length === 1)
    expect(JSON.stringify(simulator.books())).not.toContain('123456')
  })
})

describe('a post-push OTP', () => {
  async function waiting(last: string) {
    const client = await startClient({ speed: 4 })
    const receiver = await startReceiver()
    const body = order(last, { otp_kind: 'POST', callback_url: receiver.url })
    const created = await client.post('/a/collections', body)
    expect(created).toMatchObject({ status: 202, body: { status: 'OTP_REQUIRED' } })
    return { ...client, receiver, path: `/a/collections/${body.reference}` }
  }

  it('is waited for; a wrong one changes nothing, the right one debits at once', async () => {
    const { simulator, get, post, receiver, path } = await waiting('55')
    await pause(400)
    expect((await get(path)).body.status).toBe('OTP_REQUIRED')
    for (let tries = 0; tries < 6; tries += 1) {
      expect(await post(`${path}/otp`, { otp: '111111' })).toMatchObject({
        status: 200,
        body: { status: 'OTP_REQUIRED', code: 'INVALID_OTP' },
      })
    }
    expect(await post(`${path}/otp`, { otp: '123456' })).toMatchObject({
      status: 200,
      body: { status: 'SUCCESSFUL', amount: '10325.00' },
    })
    expect(simulator.books()[0]).toHaveProperty('debited_at')
    await until(() => receiver.received.length === 1)
    expect(await post(`${path}/otp`, { otp: '123456' })).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_ENDED', collection: { status: 'SUCCESSFUL' } },
    })
    await pause(100)
    expect(receiver.received).toHaveLength(1)
  })

  it('that comes twice at once is taken once', async () => {
    const { post, receiver, path } = await waiting('55')
    const replies = await Promise.all([1, 2, 3].map(() => post(`${path}/otp`, { otp: '123456' })))
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409, 409])
    await pause(100)
    expect(receiver.received).toHaveLength(1)
  })

  it.each([
    ['01', { status: 'FAILED', reason: 'INSUFFICIENT_FUNDS' }],
    ['02', { status: 'FAILED', reason: 'NOT_APPROVED' }],
    ['04', { status: 'PENDING' }],
    ['09', { status: 'FAILED', reason: 'NOT_APPROVED' }],
  ])('of number %s is answered by its script: %j', async (last, expected) => {
    const { post, path } = await waiting(last)
    const confirmed = await post(`${path}/otp`, { otp: '123456' })
    expect(confirmed).toMatchObject({ status: 200, body: expected })
  })

  it('of number 05 is never answered, and the money has moved', async () => {
    const { simulator, get, path, receiver } = await waiting('05')
    const caller = new AbortController()
    const confirmed = fetch(`${simulator.url}${path}/otp`, {
      method: 'POST',
      headers: { authorization: 'Bearer test-token' },
      body: '{"otp":"123456"}',
      signal: caller.signal,
    })
    await until(async () => (await get(path)).body.status === 'SUCCESSFUL')
    await pause(300)
    caller.abort()
    await expect(confirmed).rejects.toThrow('aborted')
    expect(receiver.received).toEqual([])
  })

  it('of number 08 is answered after its callback', async () => {
    const { post, path, receiver } = await waiting('08')
    const confirmed = await post(`${path}/otp`, { otp: '123456' })
    expect(confirmed.body.status).toBe('SUCCESSFUL')
    expect(receiver.received).toHaveLength(1)
  })

  it('of number 07 is told late, and three times', async () => {
    const { post, path, receiver } = await waiting('07')
    const started = Date.now()
    await post(`${path}/otp`, { otp: '123456' })
    await until(() => receiver.received.length === 3)
    expect((receiver.received[0]?.at ?? 0) - started).toBeGreaterThanOrEqual(740)
  })

  it('is not expected of an order without one', async () => {
    const { post } = await startClient()
    const body = order('04', { callback_url: 'http://127.0.0.1:9/' })
    await post('/a/collections', body)
    const reply = await post(`/a/collections/${body.reference}/otp`, { otp: '123456' })
    expect(reply).toMatchObject({
      status: 409,
      body: { code: 'OTP_NOT_EXPECTED', collection: { status: 'PENDING' } },
    })
    const unknown = await post('/a/collections/nobody/otp', { otp: '123456' })
    expect(unknown).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  })
})

describe('cancelling', () => {
  it.each([{ otp_kind: 'NONE' }, { otp_kind: 'POST' }, { flow: 'redirect' }])(
    'a waiting order ends it for good: %j',
    async (more) => {
      const { get, post } = await startClient({ speed: 1 })
      const receiver = await startReceiver()
      const body = order('55', { callback_url: receiver.url, ...more })
      const path = `/a/collections/${body.reference}`
      await post('/a/collections', body)
      expect(await post(`${path}/cancel`)).toMatchObject({
        status: 200,
        body: { status: 'FAILED', reason: 'CANCELLED' },
      })
      await pause(1_300)
      expect((await get(path)).body).toMatchObject({ status: 'FAILED', reason: 'CANCELLED' })
      expect(receiver.received).toEqual([])
    },
  )

  it('an order that ended answers 409 with it', async () => {
    const { post } = await startClient({ speed: 20 })
    const receiver = await startReceiver()
    const body = order('55', { callback_url: receiver.url })
    await post('/a/collections', body)
    await until(() => receiver.received.length === 1)
    expect(await post(`/a/collections/${body.reference}/cancel`)).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_ENDED', collection: { status: 'SUCCESSFUL' } },
    })
  })
})

describe('the test door', () => {
  it('fails a waiting order with the given reason, by callback, once', async () => {
    const { get, post } = await startClient()
    const receiver = await startReceiver()
    const body = order('04', { callback_url: receiver.url })
    const path = `/a/collections/${body.reference}`
    await post('/a/collections', body)
    const failed = { outcome: 'FAILED', reason: 'LIMIT_REACHED' }
    expect((await post(`${path}/resolve`, failed)).body).toMatchObject({
      status: 'FAILED',
      reason: 'LIMIT_REACHED',
    })
    await until(() => receiver.received.length === 1)
    expect(receiver.received[0]?.body).toMatchObject({ reason: 'LIMIT_REACHED' })
    expect((await post(`${path}/resolve`, { outcome: 'SUCCESS' })).status).toBe(409)
    expect((await get(path)).body.status).toBe('FAILED')
  })

  it('settles an order that waits for an OTP, and knows two outcomes only', async () => {
    const { post } = await startClient()
    const receiver = await startReceiver()
    const body = order('55', { otp_kind: 'POST', callback_url: receiver.url })
    const path = `/a/collections/${body.reference}`
    await post('/a/collections', body)
    expect((await post(`${path}/resolve`, { outcome: 'MAYBE' })).status).toBe(400)
    const resolved = await post(`${path}/resolve`, { outcome: 'SUCCESS' })
    expect(resolved.body.status).toBe('SUCCESSFUL')
    await until(() => receiver.received.length === 1)
  })

  it('takes the place of what the number would have done later', async () => {
    const { get, post } = await startClient({ speed: 1 })
    const receiver = await startReceiver()
    const body = order('55', { callback_url: receiver.url })
    const path = `/a/collections/${body.reference}`
    await post('/a/collections', body)
    await post(`${path}/resolve`, { outcome: 'FAILED' })
    await pause(1_300)
    expect((await get(path)).body).toMatchObject({ status: 'FAILED', reason: 'NOT_APPROVED' })
    expect(receiver.received).toHaveLength(1)
  })
})
