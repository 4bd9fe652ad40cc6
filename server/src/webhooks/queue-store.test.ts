// Queues and feeds that go together: each gets its own, and one that was lost costs the others
// nothing.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { WebhookFixture } from '../../test/webhook-fixture.ts'
import type { FeedKey } from '../events/event.ts'
import { openFeed } from '../events/feed.ts'
import type { Db } from '../platform/db.ts'
import { claimQueue, continueQueue, type LeasedQueue, listDueQueues } from './queue-store.ts'
import { deliverFeeds, insertMark, numberFeeds } from './sequence-store.ts'
import { type Ending, recordTries } from './try-store.ts'

let fixture: WebhookFixture
let db: Db

beforeAll(async () => {
  fixture = await WebhookFixture.open()
  db = fixture.db
})
afterAll(() => fixture.close())

const url = 'https://shop.example.com/hook'
const lease_ms = 9_000
const again_max = 4

/** Feeds with an endpoint each, and so many events in the first, second, … of them. */
async function openFeeds(counts: readonly number[]): Promise<FeedKey[]> {
  const feeds = counts.map(() => fixture.newFeed())
  for (const [at, feed] of feeds.entries()) {
    await openFeed(db, feed)
    await fixture.register(feed, { url })
    await fixture.announce(feed, counts[at])
  }
  return feeds
}

/** Numbers what these feeds have, and makes the deliveries. */
async function sequenceFeeds(feeds: readonly FeedKey[]) {
  for (const feed of feeds) await insertMark(db, feed)
  await numberFeeds(db, feeds, 100)
  return deliverFeeds(db, feeds, 100)
}

/** Queues of those feeds under our lease, in their order, claimed at the same moment. */
async function claimAll(feeds: readonly FeedKey[]): Promise<LeasedQueue[]> {
  const room = { limit: 100, environments: ['SANDBOX', 'LIVE'] } as const
  const queues = await listDueQueues(db, { healthy: room, failing: room })
  const due = feeds.flatMap((feed) =>
    queues.filter(({ merchant_id }) => merchant_id === feed.merchant_id),
  )
  const leased = await Promise.all(
    due.map((queue) => claimQueue(db, { ...queue, lease_ms, again_max })),
  )
  return leased.flatMap((queue) => queue ?? [])
}

const triesOf = ({ due, endpoint }: LeasedQueue, http_status: number) =>
  due.map(({ id, attempt, schedule_from }) => ({
    id,
    attempt: attempt + 1,
    schedule_from,
    status: http_status === 200 ? ('SUCCESS' as const) : ('FAILED' as const),
    http_status,
    response_body: '',
    after_ms: http_status === 200 ? null : 60_000,
    url: endpoint.url,
    request_headers: null,
    response_headers: null,
    began_ms: performance.now(),
    took_ms: 1,
  }))

/** The endpoint as it was read. */
const readOf = ({ endpoint: { url, updated_at } }: LeasedQueue) => ({ url, updated_at })

const record = (queue: LeasedQueue, ending: Ending, http_status = 200) =>
  recordTries(db, queue.lease, {
    tries: triesOf(queue, http_status),
    lease_ms,
    marks: queue.marks,
    ending,
    ...readOf(queue),
  })

const queueOf = async ({ lease }: LeasedQueue) => {
  const [row] = await db<{ due_in_s: number | null; is_leased: boolean }[]>`
    select extract(epoch from due_at - now())::float8 as due_in_s,
           leased_until is not null as is_leased
      from webhook_lanes where merchant_id = ${lease.merchant_id}
       and webhook_id = ${lease.webhook_id}`
  return row
}

it('feeds are numbered together, each from 1, and one without a row is not answered for', async () => {
  const feeds = await openFeeds([3, 0, 120])
  const unopened = fixture.newFeed()
  await fixture.announce(unopened, 2)
  for (const feed of feeds) await insertMark(db, feed)
  expect(await numberFeeds(db, [...feeds, unopened], 100)).toHaveLength(3)
  const done = await deliverFeeds(db, [...feeds, unopened], 100)
  const found = feeds.map(({ merchant_id }) => done.find((one) => one.merchant_id === merchant_id))
  expect(found).toMatchObject([
    { events: 3, deliveries: 3 },
    { events: 0, deliveries: 0 },
    { events: 100, deliveries: 100 },
  ])
  expect(done).toHaveLength(3)
  const rows = await db<{ first: bigint; last: bigint; numbered: bigint }[]>`
    select min(seq) as first, max(seq) as last, count(distinct seq) as numbered
      from events where merchant_id = any(${feeds.map(({ merchant_id }) => merchant_id)})
       and seq is not null
     group by merchant_id order by 2`
  expect(rows).toEqual([
    { first: 1n, last: 3n, numbered: 3n },
    { first: 1n, last: 100n, numbered: 100n },
  ])
})

it('lanes that are claimed together get what is due to each of them', async () => {
  const feeds = await openFeeds([1, 4, 2])
  await sequenceFeeds(feeds)
  const leased = await claimAll(feeds)
  expect(leased.map(({ due }) => due.length)).toEqual([1, 4, 2])
  for (const [at, queue] of leased.entries()) {
    expect(queue.lease.merchant_id).toBe(feeds[at]?.merchant_id)
    const numbers = queue.due.map(({ data }) => JSON.parse(data ?? '{}').n)
    expect(numbers.toSorted()).toEqual([...queue.due.keys()])
  }
  expect(await claimAll(feeds)).toEqual([])
})

it('tries are recorded together, and each lane ends as its visit wished', async () => {
  const feeds = await openFeeds([2, 2, 2, 2])
  await sequenceFeeds(feeds)
  const [rests, fails, stays, queues] = await claimAll(feeds)
  if (!rests || !fails || !stays || !queues) throw new Error('four lanes')
  const recorded = await Promise.all([
    record(rests, 'rest'),
    record(fails, 'rest', 500),
    record(stays, 'keep'),
    record(queues, 'requeue'),
  ])
  expect(recorded.map((one) => one?.is_ours)).toEqual([false, false, true, false])
  expect(await queueOf(rests)).toEqual({ due_in_s: null, is_leased: false })
  const failed = await queueOf(fails)
  expect(failed?.due_in_s).toBeGreaterThan(50)
  expect(failed?.is_leased).toBe(false)
  expect(await queueOf(stays)).toMatchObject({ is_leased: true })
  const queued = await queueOf(queues)
  expect(queued?.due_in_s).toBeLessThanOrEqual(0)
  expect(queued?.is_leased).toBe(false)
  expect(await fixture.endpoint(fails.lease.webhook_id)).toMatchObject({
    failing_since: expect.any(Date),
    is_active: true,
  })
  expect(await fixture.endpoint(rests.lease.webhook_id)).toMatchObject({ failing_since: null })
  const statuses = await Promise.all(feeds.map(async (feed) => fixture.deliveries(feed)))
  expect(statuses.map((rows) => rows.map(({ status }) => status))).toEqual([
    ['SUCCESS', 'SUCCESS'],
    ['FAILED', 'FAILED'],
    ['SUCCESS', 'SUCCESS'],
    ['SUCCESS', 'SUCCESS'],
  ])
})

it('a lane that a rival has taken over records nothing, and the others record theirs', async () => {
  const feeds = await openFeeds([1, 1, 1])
  await sequenceFeeds(feeds)
  const [first, lost, last] = await claimAll(feeds)
  if (!first || !lost || !last) throw new Error('three lanes')
  await db`update webhook_lanes set leased_until = now() - interval '1 second'
            where webhook_id = ${lost.lease.webhook_id}`
  const rival = await claimQueue(db, { ...lost.lease, lease_ms, again_max })
  expect(rival?.due).toHaveLength(1)
  const recorded = await Promise.all([first, lost, last].map((queue) => record(queue, 'rest', 410)))
  expect(recorded.map((one) => one?.is_ours)).toEqual([false, undefined, false])
  const rows = await Promise.all(feeds.map(async (feed) => fixture.deliveries(feed)))
  expect(rows.flat().map(({ attempt }) => attempt)).toEqual([1, 0, 1])
  const endpoints = await Promise.all(
    [first, lost, last].map(({ lease }) => fixture.endpoint(lease.webhook_id)),
  )
  expect(endpoints.map((one) => one?.is_active)).toEqual([false, true, false])
  expect(await continueQueue(db, { ...lost.lease, lease_ms, again_max })).toBeUndefined()
  expect(await continueQueue(db, { ...rivalLease(rival), lease_ms, again_max })).toMatchObject({
    due: [{}],
  })
})

function rivalLease(queue: LeasedQueue | undefined): LeasedQueue['lease'] {
  if (queue === undefined) throw new Error('the rival has no lane')
  return queue.lease
}

it('a lane does not rest while something came meanwhile', async () => {
  const [feed] = await openFeeds([1])
  if (feed === undefined) throw new Error('a feed')
  await sequenceFeeds([feed])
  const [queue] = await claimAll([feed])
  if (queue === undefined) throw new Error('a lane')
  await fixture.announce(feed, 1)
  await sequenceFeeds([feed])
  expect(await record(queue, 'rest')).toMatchObject({ is_ours: true })
  expect(await continueQueue(db, { ...queue.lease, lease_ms, again_max })).toMatchObject({
    due: [{ attempt: 0 }],
  })
})

const keptOf = (feed: FeedKey) => db<{ attempt: number; response_body: string }[]>`
  select attempt, response_body from delivery_tries
   where merchant_id = ${feed.merchant_id} order by delivery_id, attempt`

/** A queue whose deliveries were each tried once, under our lease again. */
async function triedOnce(count: number, response: string) {
  const [feed] = await openFeeds([count])
  if (feed === undefined) throw new Error('a feed')
  await sequenceFeeds([feed])
  const [first] = await claimAll([feed])
  if (first === undefined) throw new Error('a lane')
  const tries = triesOf(first, 500).map((one) => ({ ...one, after_ms: 0, response_body: response }))
  const { lease, marks } = first
  await recordTries(db, lease, { tries, lease_ms, marks, ending: 'requeue', ...readOf(first) })
  const [queue] = await claimAll([feed])
  if (queue === undefined) throw new Error('the lane again')
  return { feed, queue }
}

it('a later try moves the earlier one aside; a first one has nothing to move', async () => {
  const { feed, queue } = await triedOnce(3, 'busy')
  expect(await keptOf(feed)).toEqual([])
  expect(queue.due).toHaveLength(3)
  await record(queue, 'keep', 500)
  const busy = { attempt: 1, response_body: 'busy' }
  expect(await keptOf(feed)).toEqual([busy, busy, busy])
  // Recorded once more, as by a statement whose answer was lost, nothing moves.
  await record(queue, 'rest', 500)
  expect(await keptOf(feed)).toHaveLength(3)
  expect((await fixture.deliveries(feed)).map(({ attempt }) => attempt)).toEqual([2, 2, 2])
})

it('a lane does not rest while what it tried has been requested again', async () => {
  const { feed, queue } = await triedOnce(2, 'busy')
  // Without a mark: as where the claim waited for the request, and read the deliveries before it.
  await db`
    update deliveries
       set status = 'PENDING', due_at = now() - interval '1 second', schedule_from = attempt
     where merchant_id = ${feed.merchant_id} and id = ${String(queue.due[0]?.id)}`
  expect(await record(queue, 'rest', 500)).toMatchObject({ is_ours: true })
  const statuses = (await fixture.deliveries(feed)).map(({ status, attempt }) => [status, attempt])
  expect(statuses.sort()).toEqual([
    ['FAILED', 2],
    ['PENDING', 2],
  ])
  expect(await continueQueue(db, { ...queue.lease, lease_ms, again_max })).toMatchObject({
    due: [{ attempt: 2, schedule_from: 2 }],
  })
})

it('whoever records is told that the endpoint has changed, not that something came', async () => {
  const feeds = await openFeeds([1, 1])
  await sequenceFeeds(feeds)
  const [changed, busy] = await claimAll(feeds)
  if (!changed || !busy) throw new Error('two lanes')
  await db`update webhook_lanes set marks = marks + 1`
  await db`update webhooks set updated_at = now() where id = ${changed.lease.webhook_id}`
  const recorded = await Promise.all([changed, busy].map((queue) => record(queue, 'keep', 410)))
  expect(recorded.map((one) => one?.is_changed)).toEqual([true, false])
  const endpoints = await Promise.all(
    [changed, busy].map(({ lease }) => fixture.endpoint(lease.webhook_id)),
  )
  expect(endpoints.map((one) => one?.is_active)).toEqual([true, false])
})

it('a try whose lane is a rival’s by now moves nothing, and the rival’s moves it once', async () => {
  const { feed, queue } = await triedOnce(2, 'busy')
  await db`update webhook_lanes set leased_until = now() - interval '1 second'
            where webhook_id = ${queue.lease.webhook_id}`
  const rival = await claimQueue(db, { ...queue.lease, lease_ms, again_max })
  expect(await record(queue, 'rest')).toBeUndefined()
  expect(await keptOf(feed)).toEqual([])
  if (rival === undefined) throw new Error('the rival has no lane')
  const both = await Promise.all([record(rival, 'rest'), record(queue, 'rest')])
  expect(both.map((one) => one?.is_ours)).toEqual([false, undefined])
  expect(await keptOf(feed)).toHaveLength(2)
  expect((await fixture.deliveries(feed)).map(({ status }) => status)).toEqual([
    'SUCCESS',
    'SUCCESS',
  ])
})

it('an answer that is being erased is not copied aside', async () => {
  const { feed, queue } = await triedOnce(2, 'Awa Diop')
  let recording: Promise<unknown> = Promise.resolve()
  await fixture.openDb().begin(async (tx) => {
    await tx`update deliveries set response_body = '' where merchant_id = ${feed.merchant_id}`
    recording = record(queue, 'rest')
    await expect.poll(() => fixture.waiting()).toBe(1)
  })
  await recording
  const erased = { attempt: 1, response_body: '' }
  expect(await keptOf(feed)).toEqual([erased, erased])
  expect((await fixture.deliveries(feed)).map(({ attempt }) => attempt)).toEqual([2, 2])
})
