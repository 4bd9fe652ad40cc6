// Lanes and feeds that go together: each gets its own, and one that was lost costs the others
// nothing.

import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { WebhookStand } from '../../test/webhook-stand.ts'
import type { FeedKey } from '../events/event.ts'
import { openFeed } from '../events/feed.ts'
import type { Db } from '../platform/db.ts'
import {
  claimLane,
  type Ending,
  keepLane,
  type LaneVisit,
  listDueLanes,
  recordTries,
  sequenceFeeds,
} from './store.ts'

let stand: WebhookStand
let db: Db

beforeAll(async () => {
  stand = await WebhookStand.open()
  db = stand.db
})
afterAll(() => stand.close())

const url = 'https://shop.example.com/hook'
const lease_ms = 9_000
const again_max = 4

/** Feeds with an endpoint each, and so many events in the first, second, … of them. */
async function openFeeds(counts: readonly number[]): Promise<FeedKey[]> {
  const feeds = counts.map(() => stand.newFeed())
  for (const [at, feed] of feeds.entries()) {
    await openFeed(db, feed)
    await stand.register(feed, { url })
    await stand.announce(feed, counts[at])
  }
  return feeds
}

/** Lanes of those feeds in our hands, in their order, claimed at the same moment. */
async function claimAll(feeds: readonly FeedKey[]): Promise<LaneVisit[]> {
  const lanes = await listDueLanes(db, { healthy: 100, failing: 100 })
  const own = feeds.flatMap((feed) =>
    lanes.filter(({ merchant_id }) => merchant_id === feed.merchant_id),
  )
  const visits = await Promise.all(
    own.map((lane) => claimLane(db, { ...lane, lease_ms, again_max })),
  )
  return visits.flatMap((visit) => visit ?? [])
}

const triesOf = ({ due, endpoint }: LaneVisit, http_status: number) =>
  due.map(({ id, attempt }) => ({
    id,
    attempt: attempt + 1,
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

const record = (visit: LaneVisit, ending: Ending, http_status = 200) =>
  recordTries(db, visit.lane, {
    tries: triesOf(visit, http_status),
    lease_ms,
    marks: visit.marks,
    ending,
  })

const laneOf = async ({ lane }: LaneVisit) => {
  const [row] = await db<{ due_in_s: number | null; is_leased: boolean }[]>`
    select extract(epoch from due_at - now())::float8 as due_in_s,
           leased_until is not null as is_leased
      from webhook_lanes where merchant_id = ${lane.merchant_id}
       and webhook_id = ${lane.webhook_id}`
  return row
}

it('feeds are numbered together, each from 1, and one without a row is not answered for', async () => {
  const feeds = await openFeeds([3, 0, 120])
  const unopened = stand.newFeed()
  await stand.announce(unopened, 2)
  const done = await sequenceFeeds(db, [...feeds, unopened], 100)
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
  await sequenceFeeds(db, feeds, 100)
  const visits = await claimAll(feeds)
  expect(visits.map(({ due }) => due.length)).toEqual([1, 4, 2])
  for (const [at, visit] of visits.entries()) {
    expect(visit.lane.merchant_id).toBe(feeds[at]?.merchant_id)
    const numbers = visit.due.map(({ data }) => JSON.parse(data ?? '{}').n)
    expect(numbers.toSorted()).toEqual([...visit.due.keys()])
  }
  expect(await claimAll(feeds)).toEqual([])
})

it('tries are recorded together, and each lane ends as its visit wished', async () => {
  const feeds = await openFeeds([2, 2, 2, 2])
  await sequenceFeeds(db, feeds, 100)
  const [rests, fails, stays, queues] = await claimAll(feeds)
  if (!rests || !fails || !stays || !queues) throw new Error('four lanes')
  const settled = await Promise.all([
    record(rests, 'rest'),
    record(fails, 'rest', 500),
    record(stays, 'keep'),
    record(queues, 'requeue'),
  ])
  expect(settled.map((one) => one?.is_held)).toEqual([false, false, true, false])
  expect(await laneOf(rests)).toEqual({ due_in_s: null, is_leased: false })
  const failed = await laneOf(fails)
  expect(failed?.due_in_s).toBeGreaterThan(50)
  expect(failed?.is_leased).toBe(false)
  expect(await laneOf(stays)).toMatchObject({ is_leased: true })
  const queued = await laneOf(queues)
  expect(queued?.due_in_s).toBeLessThanOrEqual(0)
  expect(queued?.is_leased).toBe(false)
  expect(await stand.endpoint(fails.lane.webhook_id)).toMatchObject({
    failing_since: expect.any(Date),
    is_active: true,
  })
  expect(await stand.endpoint(rests.lane.webhook_id)).toMatchObject({ failing_since: null })
  const statuses = await Promise.all(feeds.map(async (feed) => stand.deliveries(feed)))
  expect(statuses.map((rows) => rows.map(({ status }) => status))).toEqual([
    ['SUCCESS', 'SUCCESS'],
    ['FAILED', 'FAILED'],
    ['SUCCESS', 'SUCCESS'],
    ['SUCCESS', 'SUCCESS'],
  ])
})

it('a lane that a rival has taken over records nothing, and the others record theirs', async () => {
  const feeds = await openFeeds([1, 1, 1])
  await sequenceFeeds(db, feeds, 100)
  const [first, lost, last] = await claimAll(feeds)
  if (!first || !lost || !last) throw new Error('three lanes')
  await db`update webhook_lanes set leased_until = now() - interval '1 second'
            where webhook_id = ${lost.lane.webhook_id}`
  const rival = await claimLane(db, { ...lost.lane, lease_ms, again_max })
  expect(rival?.due).toHaveLength(1)
  const settled = await Promise.all([first, lost, last].map((visit) => record(visit, 'rest', 410)))
  expect(settled.map((one) => one?.is_held)).toEqual([false, undefined, false])
  const rows = await Promise.all(feeds.map(async (feed) => stand.deliveries(feed)))
  expect(rows.flat().map(({ attempt }) => attempt)).toEqual([1, 0, 1])
  const endpoints = await Promise.all(
    [first, lost, last].map(({ lane }) => stand.endpoint(lane.webhook_id)),
  )
  expect(endpoints.map((one) => one?.is_active)).toEqual([false, true, false])
  expect(await keepLane(db, { ...lost.lane, lease_ms, again_max })).toBeUndefined()
  expect(await keepLane(db, { ...rivalLane(rival), lease_ms, again_max })).toMatchObject({
    due: [{}],
  })
})

function rivalLane(visit: LaneVisit | undefined): LaneVisit['lane'] {
  if (visit === undefined) throw new Error('the rival has no lane')
  return visit.lane
}

it('a lane does not rest while something came meanwhile', async () => {
  const [feed] = await openFeeds([1])
  if (feed === undefined) throw new Error('a feed')
  await sequenceFeeds(db, [feed], 100)
  const [visit] = await claimAll([feed])
  if (visit === undefined) throw new Error('a lane')
  await stand.announce(feed, 1)
  await sequenceFeeds(db, [feed], 100)
  expect(await record(visit, 'rest')).toMatchObject({ is_held: true })
  expect(await keepLane(db, { ...visit.lane, lease_ms, again_max })).toMatchObject({
    due: [{ attempt: 0 }],
  })
})

const keptOf = (feed: FeedKey) => db<{ attempt: number; response_body: string }[]>`
  select attempt, response_body from delivery_tries
   where merchant_id = ${feed.merchant_id} order by delivery_id, attempt`

/** A lane whose deliveries were each tried once, in our hands again. */
async function triedOnce(count: number, said: string) {
  const [feed] = await openFeeds([count])
  if (feed === undefined) throw new Error('a feed')
  await sequenceFeeds(db, [feed], 100)
  const [first] = await claimAll([feed])
  if (first === undefined) throw new Error('a lane')
  const tries = triesOf(first, 500).map((one) => ({ ...one, after_ms: 0, response_body: said }))
  await recordTries(db, first.lane, { tries, lease_ms, marks: first.marks, ending: 'requeue' })
  const [visit] = await claimAll([feed])
  if (visit === undefined) throw new Error('the lane again')
  return { feed, visit }
}

it('a later try moves the earlier one aside; a first one has nothing to move', async () => {
  const { feed, visit } = await triedOnce(3, 'busy')
  expect(await keptOf(feed)).toEqual([])
  expect(visit.due).toHaveLength(3)
  await record(visit, 'keep', 500)
  const busy = { attempt: 1, response_body: 'busy' }
  expect(await keptOf(feed)).toEqual([busy, busy, busy])
  // Recorded once more, as by a statement whose answer was lost, nothing moves.
  await record(visit, 'rest', 500)
  expect(await keptOf(feed)).toHaveLength(3)
  expect((await stand.deliveries(feed)).map(({ attempt }) => attempt)).toEqual([2, 2, 2])
})

it('a try whose lane is a rival’s by now moves nothing, and the rival’s moves it once', async () => {
  const { feed, visit } = await triedOnce(2, 'busy')
  await db`update webhook_lanes set leased_until = now() - interval '1 second'
            where webhook_id = ${visit.lane.webhook_id}`
  const rival = await claimLane(db, { ...visit.lane, lease_ms, again_max })
  expect(await record(visit, 'rest')).toBeUndefined()
  expect(await keptOf(feed)).toEqual([])
  if (rival === undefined) throw new Error('the rival has no lane')
  const both = await Promise.all([record(rival, 'rest'), record(visit, 'rest')])
  expect(both.map((one) => one?.is_held)).toEqual([false, undefined])
  expect(await keptOf(feed)).toHaveLength(2)
  expect((await stand.deliveries(feed)).map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS'])
})

it('an answer that is being erased is not copied aside', async () => {
  const { feed, visit } = await triedOnce(2, 'Awa Diop')
  let recording: Promise<unknown> = Promise.resolve()
  await stand.openDb().begin(async (tx) => {
    await tx`update deliveries set response_body = '' where merchant_id = ${feed.merchant_id}`
    recording = record(visit, 'rest')
    await vi.waitFor(async () => {
      const [row] = await db<{ waiting: number }[]>`
        select count(*)::int as waiting from pg_locks where not granted`
      expect(row?.waiting).toBeGreaterThan(0)
    })
  })
  await recording
  const erased = { attempt: 1, response_body: '' }
  expect(await keptOf(feed)).toEqual([erased, erased])
  expect((await stand.deliveries(feed)).map(({ attempt }) => attempt)).toEqual([2, 2])
})
