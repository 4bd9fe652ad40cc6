// The pull feed (contract 6.5): the events that webhooks tell of, oldest first, to be followed for
// ever without a gap or a double, however commits and numbers overtake each other.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { type Receiver, startReceiver } from '../setup/webhook-receiver.ts'

let app: TestApp
let shop: Shop
let receiver: Receiver

beforeAll(async () => {
  app = await startApp()
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver?.close()
  await app?.stop()
})
beforeEach(async () => {
  shop = await heldToPublished(await app.shop({ live: true }))
})

const pathOf = (link: string) => link.slice(link.indexOf('/events/'))
const page = async (path: string): Promise<Json> => {
  const reply = await shop.get(path)
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.data
}
const sequences = ({ results }: Json): number[] => results.map(({ sequence }: Json) => sequence)

const numbered = (count: number) =>
  eventually(async () => expect((await page('/events/?page_size=200')).results).toHaveLength(count))

it('has the events as webhooks tell them, under the id and the number that they bear', async () => {
  await shop.post('/merchant-webhooks/', { url: receiver.url })
  const { data: payment } = await shop.pay({ customer: newPayer() })
  await numbered(2)
  const { results } = await page('/events/')
  expect(results).toMatchObject([
    { event: 'transaction.created', sequence: 1, environment: 'SANDBOX' },
    { event: 'transaction.success', sequence: 2, data: { id: payment.id, status: 'SUCCESS' } },
  ])
  await eventually(async () => expect(receiver.received).toHaveLength(2))
  for (const { headers, body } of receiver.received) {
    const event = results.find(({ id }: Json) => id === headers['x-webhook-id'])
    expect(event).toEqual({
      id: headers['x-webhook-id'],
      event: body.event,
      created_at: body.created_at,
      environment: body.environment,
      sequence: Number(headers['x-webhook-sequence']),
      data: body.data,
    })
  }
})

it('goes page after page, forth and back, and its end is where one goes on', async () => {
  for (let i = 0; i < 3; i += 1) await shop.pay({ customer: newPayer('03') })
  await numbered(6)
  const first = await page('/events/?page_size=4')
  expect(sequences(first)).toEqual([1, 2, 3, 4])
  expect(first.previous).toBeNull()
  const second = await page(pathOf(first.next))
  expect(sequences(second)).toEqual([5, 6])
  expect(second.next).toBeNull()
  expect(sequences(await page(pathOf(second.previous)))).toEqual([1, 2, 3, 4])
  const empty = await page(pathOf(second.follow))
  expect([empty.results, empty.next]).toEqual([[], null])
  await shop.pay({ customer: newPayer('03') })
  await numbered(8)
  // From the first page too, the end of what it showed is where its `follow` leads.
  expect(sequences(await page(pathOf(first.follow)))).toEqual([5, 6, 7, 8])
  expect(sequences(await page(pathOf(empty.follow)))).toEqual([7, 8])
})

it('is empty for a newcomer, who can follow it from there', async () => {
  const none = await page('/events/')
  expect(none).toMatchObject({ results: [], next: null, previous: null })
  await shop.pay({ customer: newPayer('03') })
  await numbered(2)
  expect(sequences(await page(pathOf(none.follow)))).toEqual([1, 2])
})

it('shows of one kind only, or since a moment only, and is followed past the others', async () => {
  await shop.pay({ customer: newPayer('03') })
  await numbered(2)
  await sleep(20)
  const since = new Date().toISOString()
  expect((await page(`/events/?since=${since}`)).results).toEqual([])
  await shop.pay({ customer: newPayer('03') })
  await numbered(4)
  expect(sequences(await page(`/events/?since=${since}`))).toEqual([3, 4])
  const long_ago = new Date(Date.now() - 3 * 86_400_000).toISOString()
  expect(sequences(await page(`/events/?since=${long_ago}&page_size=3`))).toEqual([1, 2, 3])
  const failed = await page('/events/?event_type=transaction.failed')
  expect(sequences(failed)).toEqual([2, 4])
  const none = await page('/events/?event_type=settlement.failed')
  expect(none.results).toEqual([])
  expect((await page(pathOf(none.follow))).results).toEqual([])
})

it('is whole since a moment before there were ids, and is followed from there', async () => {
  await shop.pay({ customer: newPayer('03') })
  await numbered(2)
  for (const since of ['1970-01-01', '1969-07-20', '1970-01-01T00:01:00Z']) {
    const whole = await page(`/events/?since=${since}`)
    expect(sequences(whole), since).toEqual([1, 2])
    expect((await page(pathOf(whole.follow))).results, since).toEqual([])
  }
})

it('has since a moment what a process wrote whose clock was minutes late', async () => {
  const { merchant_id } = shop
  const since = new Date(Date.now() - 1_000).toISOString()
  await app.owner`
    insert into event_feeds (merchant_id, environment, last_seq) values (${merchant_id}, 'SANDBOX', 1)
    on conflict (merchant_id, environment) do update set last_seq = 1`
  await app.owner`
    insert into events (merchant_id, id, environment, type, plain, seq)
    values (${merchant_id}, uuid_floor(now() - interval '5 minutes'), 'SANDBOX',
      'transaction.created', '{}', 1)`
  await shop.pay({ customer: newPayer('03') })
  await numbered(3)
  expect(sequences(await page(`/events/?since=${since}`))).toEqual([1, 2, 3])
})

it('misses nothing and doubles nothing while events commit out of order', async () => {
  const { merchant_id } = shop
  const slow = app.owner.begin(async (tx) => {
    await tx`
      insert into events (merchant_id, id, environment, type, plain)
      values (${merchant_id}, uuid_floor(now() - interval '1 minute'), 'SANDBOX',
        'transaction.created', '{"late": true}')`
    await sleep(1_500)
  })
  const seen: number[] = []
  let path = '/events/?page_size=5'
  let isLate = false
  const follow = async () => {
    const { results, next, follow: end } = await page(path)
    seen.push(...sequences({ results }))
    isLate ||= results.some(({ data }: Json) => data.late === true)
    path = pathOf(next ?? end)
  }
  const paying = Array.from({ length: 20 }, async (_, at) => {
    await sleep(at * 100)
    await shop.pay({ customer: newPayer('03') })
  })
  await eventually(async () => {
    await follow()
    expect(seen).toHaveLength(41)
  }, 30_000)
  await Promise.all([slow, ...paying])
  expect(isLate).toBe(true)
  expect(seen).toEqual(Array.from({ length: 41 }, (_, at) => at + 1))
})

it('is each merchant’s and environment’s own, and refuses what is no place in it', async () => {
  for (let i = 0; i < 2; i += 1) await shop.pay({ customer: newPayer('03') })
  await numbered(4)
  const { merchant_id } = shop
  const live = await app.shop({ merchant_id, environment: 'LIVE' })
  for (const other of [live, await app.shop()]) {
    expect((await other.get('/events/')).data.results).toEqual([])
  }
  const { follow } = await page('/events/')
  const own = new URL(follow).searchParams.get('cursor') ?? ''
  const foreign = new URL((await shop.get('/transactions/?page_size=1')).data.next)
  const fieldsOf = async (query: string) => {
    const { status, error } = await shop.get(query)
    return [status, Object.keys(error ?? {}).sort()]
  }
  expect(await fieldsOf(`/events/?cursor=${own}A`)).toEqual([400, ['cursor']])
  expect(await fieldsOf(`/transactions/?cursor=${own}`)).toEqual([400, ['cursor']])
  const cursor = foreign.searchParams.get('cursor')
  expect(await fieldsOf(`/transactions/?cursor=${cursor}`)).toEqual([200, []])
  expect(await fieldsOf(`/events/?cursor=${cursor}`)).toEqual([400, ['cursor']])
  expect(await fieldsOf('/events/?since=x&event_type=y&page_size=0')).toEqual([
    400,
    ['event_type', 'page_size', 'since'],
  ])
})
