// What was sent to a merchant's endpoint can be read as it went over the wire, sent once more, and
// replayed from a moment on (contract 6.5): under the same ids, and behind what is new.

import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { createEnds } from '../setup/ends.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { untilServed } from '../setup/until-served.ts'
import { type Receiver, startReceiver } from '../setup/webhook-receiver.ts'

let app: TestApp
let shop: Shop
const ends = createEnds()

beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  await ends.all()
  await app?.stop()
})
beforeEach(async () => {
  shop = await heldToPublished(await app.shop({ live: true }))
})

const receive = (): Promise<Receiver> => ends.keep(startReceiver())

async function register(url: string, more: object = {}): Promise<Json> {
  const reply = await shop.post('/merchant-webhooks/', { url, ...more })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.data
}

const logs = async (query = ''): Promise<Json[]> => {
  const reply = await shop.get(`/webhook-logs/${query}`)
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.data.results
}

/** The logs of an endpoint, when there are so many in this status. */
const logged = (webhook: string, status: string, count: number) =>
  eventually(async () => {
    const found = await logs(`?webhook=${webhook}&status=${status}`)
    expect(found).toHaveLength(count)
    return found
  })

const codeOf = ({ status, error }: { status: number; error: Json }) => [status, error?.code]
const an_hour_ago = () => new Date(Date.now() - 3_600_000).toISOString()

describe('a log', () => {
  it('shows the delivery with exactly what was sent and answered', async () => {
    const receiver = await receive()
    receiver.answerWith((response) =>
      response.writeHead(503, { 'x-reason': 'stocktaking' }).end('é'.repeat(9_000)),
    )
    const { id: webhook, signing_secret } = await register(receiver.url, {
      events: ['transaction.success'],
    })
    const { data: payment } = await shop.pay({ customer: newPayer() })
    const [log] = await logged(webhook, 'FAILED', 1)
    const [got] = receiver.received
    expect(log).toEqual({
      id: expect.any(String),
      webhook,
      event_id: got?.headers['x-webhook-id'],
      event_type: 'transaction.success',
      environment: 'SANDBOX',
      transaction: payment.id,
      settlement: null,
      wallet_transfer: null,
      checkout_session: null,
      url: receiver.url,
      payload: got?.body,
      status: 'FAILED',
      attempt: 1,
      http_status: 503,
      response_body: 'é'.repeat(4_096),
      sent_at: expect.any(String),
      next_retry_at: expect.any(String),
      exhausted_at: null,
      created_at: expect.any(String),
    })
    expect(Date.parse(log.next_retry_at) - Date.parse(log.sent_at)).toBeGreaterThan(26_000)

    const { data: detail } = await shop.get(`/webhook-logs/${log.id}/`)
    expect(detail).toMatchObject({ ...log, took_ms: expect.any(Number) })
    expect(detail.request).toMatchObject({ method: 'POST', url: receiver.url, body: got?.raw })
    for (const [name, value] of Object.entries(detail.request.headers)) {
      expect(got?.headers[name.toLowerCase()]).toBe(value)
    }
    expect(Object.keys(detail.request.headers).sort()).toEqual([
      'X-Webhook-Event',
      'X-Webhook-Id',
      'X-Webhook-Sequence',
      'X-Webhook-Signature',
      'X-Webhook-Timestamp',
      'content-type',
      'user-agent',
      'webhook-id',
      'webhook-signature',
      'webhook-timestamp',
    ])
    const timestamp = detail.request.headers['X-Webhook-Timestamp']
    const own = createHmac('sha256', signing_secret).update(`${timestamp}.${detail.request.body}`)
    expect(detail.request.headers['X-Webhook-Signature']).toBe(own.digest('hex'))
    expect(detail.response).toMatchObject({ status: 503, headers: { 'x-reason': 'stocktaking' } })
    expect(detail.response.body).toBe('é'.repeat(4_096))
  })

  it('says in parentheses why nothing came back, and that nothing was sent', async () => {
    const receiver = await receive()
    const { id: webhook } = await register(receiver.url)
    await receiver.close()
    await shop.post(`/merchant-webhooks/${webhook}/test/`)
    const [log] = await logged(webhook, 'FAILED', 1)
    const { data: detail } = await shop.get(`/webhook-logs/${log.id}/`)
    expect(detail).toMatchObject({
      http_status: null,
      response_body: '(no answer: refused)',
      request: null,
      response: null,
    })
  })

  it('is found by each filter, page after page, and by nobody else', async () => {
    const [one, two] = [await receive(), await receive()]
    const first = await register(one.url)
    const second = await register(two.url, { events: ['transaction.created'] })
    const { data: payment } = await shop.pay({ customer: newPayer() })
    const { data: other } = await shop.pay({ customer: newPayer('03') })
    await logged(first.id, 'SUCCESS', 4)
    await logged(second.id, 'SUCCESS', 2)
    const idsOf = (rows: Json[]) => rows.map(({ id }) => id)
    const all = await logs()
    expect(all).toHaveLength(6)
    const times = all.map(({ created_at }) => created_at)
    expect(times).toEqual([...times].sort().reverse())
    expect(await logs(`?transaction=${other.id}`)).toHaveLength(3)
    expect(await logs('?event_type=transaction.success')).toMatchObject([
      { transaction: payment.id, webhook: first.id },
    ])
    expect(await logs('?status=EXHAUSTED')).toEqual([])
    expect(idsOf(await logs(`?webhook=${first.id}&status=&event_type=`))).toHaveLength(4)

    const paged: string[] = []
    let next: string | null = '/webhook-logs/?page_size=4'
    while (next !== null) {
      const { data }: Json = await shop.get(next)
      paged.push(...idsOf(data.results))
      next = data.next?.slice(data.next.indexOf('/webhook-logs/')) ?? null
    }
    expect(paged).toEqual(idsOf(all))

    const stranger = await app.shop()
    expect((await stranger.get('/webhook-logs/')).data.results).toEqual([])
    const { merchant_id } = shop
    const live = await app.shop({ merchant_id, environment: 'LIVE' })
    expect((await live.get('/webhook-logs/')).data.results).toEqual([])
    for (const act of ['', 'resend/']) {
      const method = act === '' ? 'GET' : 'POST'
      const ask = (by: Shop, id: string) => by.call(method, `/webhook-logs/${id}/${act}`)
      expect(codeOf(await ask(stranger, all[0].id))).toEqual([403, 'permission_denied'])
      expect(codeOf(await ask(live, all[0].id))).toEqual([404, 'not_found'])
      expect(codeOf(await ask(shop, payment.id))).toEqual([404, 'not_found'])
      expect(codeOf(await ask(shop, 'nonsense'))).toEqual([404, 'not_found'])
    }
    const wrong = await shop.get('/webhook-logs/?webhook=x&status=DONE&event_type=y&transaction=z')
    expect(wrong.status).toBe(400)
    expect(Object.keys(wrong.error).sort()).toEqual([
      'event_type',
      'status',
      'transaction',
      'webhook',
    ])
    expect((await shop.get('/webhook-logs/?cursor=x')).status).toBe(400)
  })
})

describe('a delivery sent again', () => {
  it('arrives under the same id, counts its tries on, and begins its schedule anew', async () => {
    const receiver = await receive()
    const { id: webhook } = await register(receiver.url)
    const { data: test } = await shop.post(`/merchant-webhooks/${webhook}/test/`)
    await logged(webhook, 'SUCCESS', 1)
    receiver.answerWith((response) => response.writeHead(500).end())
    const resent = await shop.post(`/webhook-logs/${test.webhook_log}/resend/`)
    expect(resent).toMatchObject({
      status: 200,
      data: { id: test.webhook_log, status: 'PENDING', attempt: 1, next_retry_at: null },
    })
    const [log] = await logged(webhook, 'FAILED', 1)
    expect(log).toMatchObject({ id: test.webhook_log, attempt: 2, exhausted_at: null })
    const wait_ms = Date.parse(log.next_retry_at) - Date.parse(log.sent_at)
    expect(wait_ms).toBeLessThan(34_000)
    expect(receiver.received.map(({ headers }) => headers['x-webhook-id'])).toEqual([
      test.id,
      test.id,
    ])
    expect(receiver.received[1]?.raw).toBe(receiver.received[0]?.raw)

    await app.owner`
      update deliveries set status = 'EXHAUSTED', attempt = 9, due_at = null, exhausted_at = now()
       where id = ${test.webhook_log}`
    receiver.answerWith((response) => response.end())
    await shop.post(`/webhook-logs/${test.webhook_log}/resend/`)
    const [last] = await logged(webhook, 'SUCCESS', 1)
    expect(last).toMatchObject({ attempt: 10, exhausted_at: null })
  })

  it('asked for twenty times at once goes out, and never while another try is under way', async () => {
    const receiver = await receive()
    const { id: webhook } = await register(receiver.url)
    const { data: test } = await shop.post(`/merchant-webhooks/${webhook}/test/`)
    await logged(webhook, 'SUCCESS', 1)
    let at_once = 0
    let most = 0
    receiver.answerWith((response) => {
      at_once += 1
      most = Math.max(most, at_once)
      setTimeout(() => {
        at_once -= 1
        response.end()
      }, 30)
    })
    const requests = Array.from({ length: 20 }, () =>
      untilServed(() => shop.post(`/webhook-logs/${test.webhook_log}/resend/`)),
    )
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(Array(20).fill(200))
    await logged(webhook, 'SUCCESS', 1)
    expect(most).toBe(1)
    const { data: log } = await shop.get(`/webhook-logs/${test.webhook_log}/`)
    expect(log.attempt).toBe(receiver.received.length)
    expect(log.attempt).toBeGreaterThan(1)
  })

  /** A ninth try, held by the receiver, which answers as told then and well from then on. */
  async function heldAtItsNinth() {
    const receiver = await receive()
    receiver.answerWith((response) => response.writeHead(500).end())
    const { id: webhook } = await register(receiver.url)
    const { data: test } = await shop.post(`/merchant-webhooks/${webhook}/test/`)
    await logged(webhook, 'FAILED', 1)
    let answer: ((status: number) => void) | undefined
    receiver.answerWith((response, _got, nth) => {
      if (nth !== 2) return response.end()
      answer = (status) => response.writeHead(status).end()
    })
    await app.owner`update deliveries set attempt = 8 where id = ${test.webhook_log}`
    await hurry()
    await eventually(async () => expect(receiver.received).toHaveLength(2))
    const log = `/webhook-logs/${test.webhook_log}/`
    return { receiver, webhook, log, answer: (status: number) => answer?.(status) }
  }

  it('is tried once more though the try under way, its last, fails afterwards', async () => {
    const { receiver, webhook, log, answer } = await heldAtItsNinth()
    const resent = await shop.post(`${log}resend/`)
    expect(resent).toMatchObject({ status: 200, data: { status: 'PENDING' } })
    answer(500)
    await logged(webhook, 'SUCCESS', 1)
    const { data } = await shop.get(log)
    expect(data).toMatchObject({ attempt: 10, http_status: 200, exhausted_at: null })
    expect(data.tries.map(({ http_status }: Json) => http_status)).toEqual(
      expect.arrayContaining([200, 500]),
    )
    expect(receiver.received).toHaveLength(3)
  })

  it('has all its nine tries from there, and none where the try under way succeeds', async () => {
    const failing = await heldAtItsNinth()
    failing.receiver.answerWith((response) => response.writeHead(503).end())
    await shop.post(`${failing.log}resend/`)
    failing.answer(500)
    const [row] = await logged(failing.webhook, 'FAILED', 1)
    expect(row).toMatchObject({ attempt: 10, http_status: 503, exhausted_at: null })
    const wait_ms = Date.parse(row.next_retry_at) - Date.parse(row.sent_at)
    expect(wait_ms).toBeLessThan(34_000)

    const { receiver, webhook, log, answer } = await heldAtItsNinth()
    await shop.post(`${log}resend/`)
    answer(200)
    await logged(webhook, 'SUCCESS', 1)
    expect((await shop.get(log)).data.attempt).toBe(9)
    expect(receiver.received).toHaveLength(2)
  })

  it('by a replay is tried once more, too, though the try under way fails afterwards', async () => {
    const receiver = await receive()
    let answer: ((status: number) => void) | undefined
    receiver.answerWith((response, _got, nth) => {
      if (nth === 1) return response.writeHead(500).end()
      if (nth > 2) return response.end()
      answer = (status) => response.writeHead(status).end()
    })
    const { id: webhook } = await register(receiver.url, { events: ['transaction.success'] })
    await shop.pay({ customer: newPayer() })
    const [log] = await logged(webhook, 'FAILED', 1)
    await app.owner`update deliveries set attempt = 8 where id = ${log.id}`
    await hurry()
    await eventually(async () => expect(receiver.received).toHaveLength(2))
    await replay(webhook)
    await logged(webhook, 'PENDING', 1)
    answer?.(500)
    expect(await logged(webhook, 'SUCCESS', 1)).toMatchObject([{ attempt: 10 }])
    await replayed(webhook)
  })

  it('is refused while its webhook is off, and for good when that was deleted', async () => {
    const receiver = await receive()
    const { id: webhook } = await register(receiver.url)
    const { data: test } = await shop.post(`/merchant-webhooks/${webhook}/test/`)
    await logged(webhook, 'SUCCESS', 1)
    await shop.call('PATCH', `/merchant-webhooks/${webhook}/`, {
      body: '{"is_active":false}',
      headers: { 'content-type': 'application/json' },
    })
    const again = () => shop.post(`/webhook-logs/${test.webhook_log}/resend/`)
    expect(codeOf(await again())).toEqual([409, 'webhook_inactive'])
    expect(codeOf(await replay(webhook))).toEqual([409, 'webhook_inactive'])
    await shop.call('DELETE', `/merchant-webhooks/${webhook}/`)
    expect(codeOf(await again())).toEqual([409, 'webhook_deleted'])
    expect(codeOf(await replay(webhook))).toEqual([404, 'not_found'])
    expect((await shop.get(`/webhook-logs/${test.webhook_log}/`)).data.status).toBe('SUCCESS')
  })
})

const replay = (webhook: string, since: unknown = an_hour_ago()) =>
  shop.post(`/merchant-webhooks/${webhook}/replay/`, { since })

const replayFailed = (webhook: string) =>
  shop.post(`/merchant-webhooks/${webhook}/replay/`, { since: an_hour_ago(), only: 'FAILED' })

const replayed = (webhook: string) =>
  eventually(async () => {
    const { data } = await shop.get(`/merchant-webhooks/${webhook}/replay/`)
    expect(data).toMatchObject({ status: 'DONE', finished_at: expect.any(String) })
    // The webhook itself says the same, also where there is none to be told of.
    expect((await shop.get(`/merchant-webhooks/${webhook}/`)).data.replay).toEqual(data)
    return data
  })

/** Whatever of the merchant's waits for another try is due now. */
async function hurry(): Promise<void> {
  const { merchant_id } = shop
  await app.owner`
    update deliveries set due_at = now() - interval '1 second'
     where merchant_id = ${merchant_id} and due_at is not null`
  await app.owner`update webhook_lanes set due_at = now() - interval '1 s' where merchant_id = ${merchant_id}`
}

describe('one event', () => {
  it('has one id: at every endpoint, try, resend and replay, and in the feed', async () => {
    const [steady, shaky] = [await receive(), await receive()]
    shaky.answerWith((response, { headers }) => {
      const tries = shaky.received.filter(
        (got) => got.headers['x-webhook-id'] === headers['x-webhook-id'],
      )
      response.writeHead(tries.length === 1 ? 500 : 204).end()
    })
    const events = ['transaction.success']
    const first = await register(steady.url, { events })
    const second = await register(shaky.url, { events })
    const { data: payment } = await shop.pay({ customer: newPayer() })
    await logged(second.id, 'FAILED', 1)
    await hurry()
    const [retried] = await logged(second.id, 'SUCCESS', 1)
    const [taken] = await logged(first.id, 'SUCCESS', 1)
    expect((await shop.post(`/webhook-logs/${taken.id}/resend/`)).status).toBe(200)
    await eventually(async () => expect(steady.received).toHaveLength(2))
    await logged(first.id, 'SUCCESS', 1)
    await replay(first.id)
    await replayed(first.id)

    const { data: feed } = await shop.get('/events/?event_type=transaction.success')
    const [event] = feed.results
    expect(event.data.id).toBe(payment.id)
    const all = [...steady.received, ...shaky.received]
    expect(all).toHaveLength(5)
    for (const { headers, body } of all) {
      expect([headers['x-webhook-id'], headers['webhook-id'], body.id]).toEqual(
        Array(3).fill(event.id),
      )
      expect(headers).not.toHaveProperty('x-webhook-event-id')
    }
    // The logs are two things: each has an id of its own, and both name the event.
    expect(new Set([event.id, taken.id, retried.id]).size).toBe(3)
    for (const log of [taken, retried]) {
      expect(log).toMatchObject({ event_id: event.id, payload: { id: event.id } })
    }
  })

  it('that an older version began to tell of under another id keeps that to its last try', async () => {
    const receiver = await receive()
    receiver.answerWith((response) => response.writeHead(500).end())
    const { id: webhook } = await register(receiver.url)
    await shop.post(`/merchant-webhooks/${webhook}/test/`)
    const [log] = await logged(webhook, 'FAILED', 1)
    // As it was written before an event had one id: the log's own was told.
    await app.owner`
      update deliveries
         set request_headers = request_headers || jsonb_build_object('X-Webhook-Id', id)
       where id = ${log.id}`
    receiver.answerWith((response) => response.end())
    await hurry()
    const [done] = await logged(webhook, 'SUCCESS', 1)
    expect(receiver.received.at(-1)?.body.id).toBe(log.id)
    expect(receiver.received.at(-1)?.headers['x-webhook-id']).toBe(log.id)
    expect(done).toMatchObject({ payload: { id: log.id }, event_id: log.event_id })
    const { data: detail } = await shop.get(`/webhook-logs/${log.id}/`)
    const told = { 'X-Webhook-Id': log.id, 'webhook-id': log.id, 'X-Webhook-Event': log.event_type }
    expect(detail.request.headers).toMatchObject(told)
  })
})

describe('a replay', () => {
  it('sends what the webhook hears of since then, once each, also what it never got', async () => {
    const [old, young] = [await receive(), await receive()]
    const first = await register(old.url)
    const paid = await shop.pay({ customer: newPayer() })
    await shop.becomes(paid.data.id, 'SUCCESS')
    const failed = await shop.pay({ customer: newPayer('03') })
    await shop.post(`/merchant-webhooks/${first.id}/test/`)
    await logged(first.id, 'SUCCESS', 5)
    const before = old.received.map(({ headers }) => headers['x-webhook-id'])

    expect((await shop.get(`/merchant-webhooks/${first.id}/replay/`)).status).toBe(404)
    const started = await replay(first.id)
    expect(started).toMatchObject({
      status: 201,
      data: { webhook: first.id, status: 'RUNNING', events_total: 4, events_queued: 0 },
    })
    const done = await replayed(first.id)
    expect(done).toMatchObject({ id: started.data.id, events_queued: 4, events_waiting: 0 })
    // The test was asked for and is no event: five deliveries, four of them sent again.
    expect(old.received).toHaveLength(9)
    const again = old.received.slice(5).map(({ headers }) => headers['x-webhook-id'])
    expect(new Set(again)).toEqual(new Set(before.filter((_, at) => at !== 4)))

    // One that was registered afterwards, and hears of less.
    const second = await register(young.url, { events: ['transaction.failed'] })
    expect(await replay(second.id)).toMatchObject({ status: 201, data: { events_total: 1 } })
    await replayed(second.id)
    expect(young.received.map(({ body }) => [body.event, body.data.id])).toEqual([
      ['transaction.failed', failed.data.id],
    ])
    expect(await replay(second.id, new Date().toISOString())).toMatchObject({
      data: { events_total: 0 },
    })
    await replayed(second.id)
    expect(young.received).toHaveLength(1)
  })

  it('of what failed sends that alone, and nothing that was acknowledged', async () => {
    const receiver = await receive()
    receiver.answerWith((response, { body }) => {
      response.writeHead(body.event === 'transaction.failed' ? 503 : 200)
      response.end()
    })
    const { id: webhook } = await register(receiver.url)
    const paid = await shop.pay({ customer: newPayer() })
    await shop.becomes(paid.data.id, 'SUCCESS')
    const failed = await shop.pay({ customer: newPayer('03') })
    await logged(webhook, 'SUCCESS', 3)
    await logged(webhook, 'FAILED', 1)
    receiver.answerWith((response) => void response.end())
    const before = receiver.received.length
    const started = await replayFailed(webhook)
    expect(started).toMatchObject({ status: 201, data: { only: 'FAILED', events_total: 1 } })
    expect(await replayed(webhook)).toMatchObject({ events_queued: 1, only: 'FAILED' })
    const again = receiver.received.slice(before)
    expect(again.map(({ body }) => [body.event, body.data.id])).toEqual([
      ['transaction.failed', failed.data.id],
    ])
    // It has been acknowledged now; and a replay of all still sends all.
    expect(await replayFailed(webhook)).toMatchObject({ data: { events_total: 0 } })
    await replayed(webhook)
    expect(await replay(webhook)).toMatchObject({ data: { only: null } })
    await replayed(webhook)
    expect(receiver.received.length).toBeGreaterThanOrEqual(before + 5)
  })

  it.each(['SUCCESS', 'failed', '', 5])('of %j alone is refused', async (only) => {
    const { id: webhook } = await register((await receive()).url)
    const since = an_hour_ago()
    const reply = await shop.post(`/merchant-webhooks/${webhook}/replay/`, { since, only })
    expect([reply.status, Object.keys(reply.error)]).toEqual([400, ['only']])
  })

  it('is one at a time for each webhook, however many ask at once', async () => {
    const receiver = await receive()
    // The first is under way until all have been answered.
    let answer = () => {}
    const asked = new Promise<void>((resolve) => {
      answer = resolve
    })
    receiver.answerWith((response) => void asked.then(() => response.end()))
    const { data: paid } = await shop.pay({ customer: newPayer() })
    await shop.becomes(paid.id, 'SUCCESS')
    const { id: webhook } = await register(receiver.url)
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => untilServed(() => replay(webhook))),
    )
    answer()
    const codes = replies.map(codeOf).sort()
    expect(codes.filter(([status]) => status === 201)).toHaveLength(1)
    expect(codes.filter(([, code]) => code === 'replay_in_progress')).toHaveLength(19)
    await replayed(webhook)
    expect((await replay(webhook)).status).toBe(201)
  })

  it.each([
    undefined,
    '',
    'yesterday',
    5,
    '2026-02-30',
    new Date(Date.now() + 3_600_000).toISOString(),
    new Date(Date.now() - 31 * 86_400_000).toISOString(),
  ])('since %s is refused on `since`', async (since) => {
    const { id: webhook } = await register('https://hooks.example.com/x')
    const reply = await shop.post(`/merchant-webhooks/${webhook}/replay/`, { since })
    expect(reply.status).toBe(400)
    expect(Object.keys(reply.error)).toEqual(['since'])
  })

  it('of another merchant’s webhook is refused', async () => {
    const stranger = await app.shop()
    const { data } = await stranger.post('/merchant-webhooks/', {
      url: 'https://hooks.example.com/x',
    })
    expect(codeOf(await replay(data.id))).toEqual([403, 'permission_denied'])
    const look = await shop.get(`/merchant-webhooks/${data.id}/replay/`)
    expect(codeOf(look)).toEqual([403, 'permission_denied'])
  })

  it('and a resend leave a line in the audit log', async () => {
    const owner = await app.member({ merchant_id: shop.merchant_id, second_factor: 'FRESH' })
    const receiver = await receive()
    const { id: webhook } = await register(receiver.url)
    const { data: test } = await shop.post(`/merchant-webhooks/${webhook}/test/`)
    await logged(webhook, 'SUCCESS', 1)
    await shop.post(`/webhook-logs/${test.webhook_log}/resend/`)
    await replay(webhook)
    const { data } = await owner.get('/audit-logs/')
    expect(data.results.slice(0, 2)).toMatchObject([
      {
        action: 'webhook.replayed',
        target: { kind: 'webhook', id: webhook },
        after: { events_total: 0, since: expect.any(String) },
      },
      {
        action: 'webhook_log.resent',
        target: { kind: 'webhook_log', id: test.webhook_log },
        after: { webhook },
      },
    ])
  })
})
