// What each pair of last digits makes happen, over HTTP, for payers and recipients.

import { describe, expect, it } from 'vitest'
import { isSigned, order, pause, slow, startClient, startReceiver, until } from './harness.ts'

const kinds = ['collections', 'payouts']

describe.each(kinds)('magic numbers of %s', (kind) => {
  it.each([
    ['01', 'INSUFFICIENT_FUNDS'],
    ['02', 'NOT_APPROVED'],
  ])('%s fails later with %s and moves nothing', async (last, reason) => {
    const { simulator, get, post } = await startClient({ speed: 0.5 })
    const receiver = await startReceiver()
    const body = order(last, { callback_url: receiver.url })
    expect((await post(`/a/${kind}`, body)).status).toBe(202)
    expect((await get(`/a/${kind}/${body.reference}`)).body.status).toBe('PENDING')
    await until(() => receiver.received.length === 1)
    expect(receiver.received[0]?.body).toMatchObject({ status: 'FAILED', reason })
    const view = await get(`/a/${kind}/${body.reference}`)
    expect(view.body).toMatchObject({ status: 'FAILED', reason, amount: '10325.00' })
    expect(simulator.books()[0]).not.toHaveProperty('debited_at')
  })

  it('03 is refused at once and leaves no trace', async () => {
    const { simulator, get, post } = await startClient()
    const body = order('03', { callback_url: 'http://127.0.0.1:9/' })
    const code = kind === 'payouts' ? 'RECIPIENT_NOT_FOUND' : 'PAYER_NOT_FOUND'
    expect(await post(`/a/${kind}`, body)).toEqual({
      status: 200,
      body: { status: 'REFUSED', code, message: expect.any(String) },
    })
    expect((await get(`/a/${kind}/${body.reference}`)).status).toBe(404)
    expect(simulator.books()).toEqual([])
  })

  it('04 stays pending until it is resolved, and the callback then comes', async () => {
    const { get, post } = await startClient({ speed: 50 })
    const receiver = await startReceiver()
    const body = order('04', { callback_url: receiver.url })
    const path = `/a/${kind}/${body.reference}`
    await post(`/a/${kind}`, body)
    await pause(200)
    expect((await get(path)).body.status).toBe('PENDING')
    expect((await post(`${path}/resolve`, { outcome: 'SUCCESS' })).body).toMatchObject({
      status: 'SUCCESSFUL',
    })
    await until(() => receiver.received.length === 1)
    expect(receiver.received[0]?.body).toMatchObject({ status: 'SUCCESSFUL' })
  })

  it('05 is accepted without any answer or callback, and succeeds on query only', async () => {
    const { simulator, get, post } = await startClient({ speed: 20 })
    const receiver = await startReceiver()
    const body = order('05', { callback_url: receiver.url })
    const started = Date.now()
    // Held for 30 s (here 1.5 s), then broken.
    await expect(post(`/a/${kind}`, body)).rejects.toThrow()
    expect(Date.now() - started).toBeGreaterThanOrEqual(1400)
    expect((await get(`/a/${kind}/${body.reference}`)).body.status).toBe('SUCCESSFUL')
    expect(simulator.books()[0]).toHaveProperty('debited_at')
    expect((await post(`/a/${kind}`, body)).status).toBe(409)
    expect(receiver.received).toEqual([])
  })

  it('06 is refused by operator a at once and taken by operator b', async () => {
    const { simulator, post } = await startClient({ speed: 20 })
    const receiver = await startReceiver()
    const body = order('06', { callback_url: receiver.url })
    expect(await post(`/a/${kind}`, body)).toMatchObject({
      status: 200,
      body: { status: 'REFUSED', code: 'OPERATOR_UNAVAILABLE' },
    })
    expect(simulator.books()).toEqual([])
    expect((await post(`/b/${kind}`, body)).status).toBe(202)
    await until(() => receiver.received.length === 1)
    expect(simulator.books()).toMatchObject([{ operator: 'b', status: 'SUCCESSFUL' }])
  })

  it('07 tells its success three times, late, with one event id', async () => {
    const { simulator, post } = await startClient({ speed: 10 })
    const receiver = await startReceiver()
    const started = Date.now()
    await post(`/a/${kind}`, order('07', { callback_url: receiver.url }))
    await until(() => receiver.received.length === 3)
    expect((receiver.received[0]?.at ?? 0) - started).toBeGreaterThanOrEqual(290)
    const events = receiver.received.map(({ body }) => `${body.event_id} ${body.status}`)
    expect(new Set(events).size).toBe(1)
    expect(simulator.books().filter((book) => book.debited_at)).toHaveLength(1)
    await pause(150)
    expect(receiver.received).toHaveLength(3)
  })

  it('08 is answered only well after its success callback was delivered', async () => {
    const { post } = await startClient()
    const receiver = await startReceiver()
    const created = await post(
      `/a/${kind}`,
      order('08', { callback_url: receiver.url + slow.path }),
    )
    const answered = Date.now()
    expect(created).toMatchObject({ status: 202, body: { status: 'PENDING' } })
    expect(receiver.received).toHaveLength(1)
    expect(receiver.received[0]?.body).toMatchObject({ status: 'SUCCESSFUL' })
    expect(answered - (receiver.received[0]?.at ?? answered)).toBeGreaterThanOrEqual(
      slow.delay_ms + 295,
    )
  })

  it('09 fails, says so, and then succeeds after all', async () => {
    const { simulator, get, post } = await startClient({ speed: 0.5 })
    const receiver = await startReceiver()
    const body = order('09', { callback_url: receiver.url })
    await post(`/a/${kind}`, body)
    const path = `/a/${kind}/${body.reference}`
    await until(() => receiver.received.length === 1)
    expect((await get(path)).body).toMatchObject({ status: 'FAILED', reason: 'NOT_APPROVED' })
    expect(simulator.books()[0]).not.toHaveProperty('debited_at')
    await until(() => receiver.received.length === 2)
    expect((await get(path)).body).toMatchObject({ status: 'SUCCESSFUL' })
    const told = receiver.received.map(({ body }) => [body.status, body.reason])
    expect(told).toEqual([
      ['FAILED', 'NOT_APPROVED'],
      ['SUCCESSFUL', undefined],
    ])
    expect(receiver.received[0]?.body.event_id).not.toBe(receiver.received[1]?.body.event_id)
    expect(simulator.books()[0]).toHaveProperty('debited_at')
  })
})

describe('planted misbehaviour', () => {
  it('9910 moves and reports a hundred less than was asked', async () => {
    const { simulator, get, post } = await startClient({ speed: 20 })
    const receiver = await startReceiver()
    const body = order('9910', { callback_url: receiver.url })
    await post('/a/collections', body)
    await until(() => receiver.received.length === 1)
    expect(receiver.received[0]?.body).toMatchObject({ status: 'SUCCESSFUL', amount: '10225.00' })
    const view = await get(`/a/collections/${body.reference}`)
    expect(view.body).toMatchObject({ status: 'SUCCESSFUL', amount: '10225.00' })
    expect(simulator.books()[0]).toMatchObject({ amount: '10225.00' })
  })

  it('9911 answers 500 and has taken nothing', async () => {
    const { simulator, get, post } = await startClient()
    const body = order('9911', { callback_url: 'http://127.0.0.1:9/' })
    expect((await post('/a/collections', body)).status).toBe(500)
    expect((await get(`/a/collections/${body.reference}`)).status).toBe(404)
    expect(simulator.books()).toEqual([])
  })

  it('9912 answers rubbish with 200 and has accepted', async () => {
    const { get, post } = await startClient({ speed: 20 })
    const receiver = await startReceiver()
    const body = order('9912', { callback_url: receiver.url })
    const created = await post('/a/collections', body)
    expect(created).toEqual({ status: 200, body: expect.any(String) })
    await until(() => receiver.received.length === 1)
    const view = await get(`/a/collections/${body.reference}`)
    expect(view.body.status).toBe('SUCCESSFUL')
  })

  it('9913 succeeds and is then reversed: nothing stays moved', async () => {
    const { simulator, get, post } = await startClient({ speed: 0.5 })
    const receiver = await startReceiver()
    const body = order('9913', { callback_url: receiver.url })
    await post('/a/collections', body)
    const path = `/a/collections/${body.reference}`
    await until(() => receiver.received.length === 1)
    expect((await get(path)).body.status).toBe('SUCCESSFUL')
    await until(() => receiver.received.length === 2)
    expect((await get(path)).body).toMatchObject({ status: 'FAILED', reason: 'REVERSED' })
    const told = receiver.received.map(({ body }) => body.status)
    expect(told).toEqual(['SUCCESSFUL', 'FAILED'])
    expect(simulator.books()[0]).not.toHaveProperty('debited_at')
    expect((await get('/books/totals')).body).toEqual({ a: {}, b: {} })
  })

  it('9914 is not found at first although it was accepted, then has succeeded', async () => {
    const { get, post } = await startClient({ speed: 0.5 })
    const receiver = await startReceiver()
    const body = order('9914', { callback_url: receiver.url })
    const path = `/a/collections/${body.reference}`
    expect((await post('/a/collections', body)).status).toBe(202)
    expect(await get(path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    expect((await post('/a/collections', body)).status).toBe(409)
    await until(() => receiver.received.length === 1)
    expect(await get(path)).toMatchObject({ status: 200, body: { status: 'SUCCESSFUL' } })
  })

  it('9915 succeeds with an unsigned callback and never sends a signed one', async () => {
    const { get, post } = await startClient({ speed: 20 })
    const receiver = await startReceiver()
    receiver.answers.push(401)
    const body = order('9915', { callback_url: receiver.url })
    await post('/a/collections', body)
    await until(() => receiver.received.length === 2)
    expect(receiver.received.map(({ headers }) => headers['x-sim-signature'])).toEqual([
      undefined,
      undefined,
    ])
    const view = await get(`/a/collections/${body.reference}`)
    expect(view.body.status).toBe('SUCCESSFUL')
  })

  it.each(['10', '11', '12', '13', '14', '15'])(
    'leaves ordinary numbers that end in %s alone',
    async (last) => {
      const { post } = await startClient({ speed: 20 })
      const receiver = await startReceiver()
      await post('/a/collections', order(last, { callback_url: receiver.url }))
      await until(() => receiver.received.length === 1)
      const [callback] = receiver.received
      expect(callback?.body).toMatchObject({ status: 'SUCCESSFUL', amount: '10325.00' })
      expect(callback && isSigned(callback)).toBe(true)
    },
  )
})
