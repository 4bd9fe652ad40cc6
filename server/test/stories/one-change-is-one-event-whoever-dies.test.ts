// One change is one event for each merchant that asks for it: when several processes see it at the
// same moment, and when one of them dies in the middle of a statement or between two.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { FeedKey } from '../../src/events/event.ts'
import { listEventsFrom } from '../../src/events/store.ts'
import { openDb } from '../../src/platform/db.ts'
import { placeGroups } from '../../src/platform/places/places.ts'
import { announceChanges, noticeChanges } from '../../src/webhooks/availability/announce-changes.ts'
import { announceTo, listOpenChanges } from '../../src/webhooks/availability/store.ts'
import { openMerchant } from '../setup/open-merchant.ts'
import { WebhookFixture } from '../webhook-fixture.ts'

let fixture: WebhookFixture
beforeEach(async () => {
  fixture = await WebhookFixture.open()
  await noticeChanges({ db: fixture.db })
})
afterEach(() => fixture.close())

const wake = () => undefined
const url = 'https://hooks.example.com/x'

async function asking(): Promise<FeedKey> {
  const { merchant_id } = await openMerchant(fixture.database.owner)
  const feed = { merchant_id, environment: 'SANDBOX' } as const
  await fixture.register(feed, { url, events: ['availability.changed'] })
  return feed
}

const askingMany = async (count: number): Promise<FeedKey[]> => {
  const feeds: FeedKey[] = []
  for (let n = 0; n < count; n += 1) feeds.push(await asking())
  return feeds
}

/** One network in one direction. */
const turn = (isOn: boolean) => fixture.database.owner`
  update routes set is_active = ${isOn}
   where environment = 'SANDBOX' and direction = 'COLLECT'
     and network_id = (select id from networks where code = 'mtn_bj')`

const passTime = () => fixture.database.owner`
  update availability_states set changed_at = now() - interval '601 seconds'
   where changed_at is not null`

async function statusesIn(feed: FeedKey): Promise<unknown[]> {
  const events = await listEventsFrom(fixture.db, feed, { place: 0n, limit: 100 })
  return events.map(({ data }) => ('status' in data ? data.status : data))
}

const eachOnce = async (feeds: readonly FeedKey[], statuses: readonly string[]) => {
  for (const feed of feeds) expect(await statusesIn(feed)).toEqual(statuses)
}

describe('several processes at the same moment', () => {
  it('record one change and make one event of it for each merchant', async () => {
    const feeds = await askingMany(5)
    const processes = Array.from({ length: 4 }, () => ({ db: fixture.openDb(), wake }))
    await turn(false)
    const seen = await Promise.all(processes.map((one) => noticeChanges(one)))
    expect(seen.reduce((all, one) => all + one)).toBe(1)
    await Promise.all(processes.map((one) => announceChanges(one)))
    await eachOnce(feeds, ['CLOSED'])
    await turn(true)
    expect(await noticeChanges({ db: fixture.db })).toBe(0)
    await passTime()
    await Promise.all(
      processes.map(async (one) => {
        await noticeChanges(one)
        await announceChanges(one)
      }),
    )
    await eachOnce(feeds, ['CLOSED', 'OPERATIONAL'])
    expect(await listOpenChanges(fixture.db, 10)).toEqual([])
  })

  it('one that saw it before the others moved it on moves nothing back', async () => {
    await turn(false)
    expect(await noticeChanges({ db: fixture.db })).toBe(1)
    await turn(true)
    // Within ten minutes of the change nothing moves, whatever is seen.
    for (let n = 0; n < 3; n += 1) expect(await noticeChanges({ db: fixture.db })).toBe(0)
    const [state] = await fixture.database.owner`
      select status, change_no from availability_states
       where network_code = 'mtn_bj' and direction = 'COLLECT' and environment = 'SANDBOX'`
    expect(state).toEqual({ status: 'CLOSED', change_no: 1n })
  })
})

describe('a process that dies', () => {
  it('in the middle of a statement leaves neither mark nor event; the next makes one of each', async () => {
    const feeds = await askingMany(3)
    await turn(false)
    await noticeChanges({ db: fixture.db })
    const [change] = await listOpenChanges(fixture.db, 1)
    if (change === undefined) throw new Error('a change')
    const { owner } = fixture.database
    const [last] = feeds
      .map(({ merchant_id }) => merchant_id)
      .toSorted()
      .slice(-1)
    await owner`
      insert into event_feeds (merchant_id, environment) values (${last ?? ''}, 'SANDBOX')`
    await owner.begin(async (tx) => {
      await tx`select 1 from event_feeds where merchant_id = ${last ?? ''} for update`
      const dying = announceChanges({ db: fixture.db, wake }).catch((error: unknown) => error)
      const patient = { timeout: 30_000 }
      // Its marks are written; it waits for the feed of the last merchant.
      await vi.waitFor(async () => {
        const ended = await owner`
          select pg_terminate_backend(pid) from pg_stat_activity
           where query like '%mark_moved%' and wait_event_type = 'Lock'
             and datname = current_database()`
        expect(ended).toHaveLength(1)
      }, patient)
      expect(await dying).toBeInstanceOf(Error)
    })
    expect(await owner`select 1 from availability_marks`).toHaveLength(0)
    await eachOnce(feeds, [])
    await announceChanges({ db: fixture.openDb(), wake })
    await eachOnce(feeds, ['CLOSED'])
  })

  it('between merchants, or before it noted that all are done, leaves the rest to the next', async () => {
    const feeds = await askingMany(3)
    await turn(false)
    await noticeChanges({ db: fixture.db })
    const [change] = await listOpenChanges(fixture.db, 1)
    if (change === undefined) throw new Error('a change')
    const [first] = feeds
    // As far as it came.
    const made = await announceTo(fixture.db, change, [first?.merchant_id ?? ''])
    expect(made).toEqual([first?.merchant_id])
    const stopped = new AbortController()
    stopped.abort()
    await announceChanges({ db: fixture.db, wake }, { signal: stopped.signal })
    expect(await listOpenChanges(fixture.db, 1)).toHaveLength(1)
    await announceChanges({ db: fixture.db, wake })
    await fixture.database.owner`update availability_changes set finished_at = null`
    await announceChanges({ db: fixture.db, wake })
    await eachOnce(feeds, ['CLOSED'])
    expect(await listOpenChanges(fixture.db, 1)).toEqual([])
  })
})

describe('a shard group that is away', () => {
  it('keeps no other waiting, and has what it missed once it is back', async () => {
    const [here, there] = await askingMany(2)
    if (here === undefined || there === undefined) throw new Error('two merchants')
    const { db: near, database } = fixture
    const control = fixture.openDb()
    const how = { application_name: 'away', connections_max: 1, durable: true }
    const away = openDb({ ...database.options, ...how, port: 1 })
    let far = away
    placeGroups(control, {
      of: () => near,
      all: () => [far, near],
      others: () => [],
      control: () => control,
      onAway: () => undefined,
    })
    await turn(false)
    await noticeChanges({ db: control })
    const faults: string[] = []
    const onFault = (about: string) => faults.push(about)
    await announceChanges({ db: control, wake }, { onFault })
    await eachOnce([here, there], ['CLOSED'])
    expect(faults).toEqual(['a shard group'])
    expect(await listOpenChanges(control, 1)).toHaveLength(1)
    await turn(true)
    await passTime()
    await noticeChanges({ db: control })
    await announceChanges({ db: control, wake }, { onFault })
    await eachOnce([here, there], ['CLOSED', 'OPERATIONAL'])
    far = near
    await announceChanges({ db: control, wake })
    await eachOnce([here, there], ['CLOSED', 'OPERATIONAL'])
    expect(await listOpenChanges(control, 1)).toEqual([])
    await away.end({ timeout: 0 })
  })

  it('keeps no other waiting however much it misses', async () => {
    const [here] = await askingMany(1)
    if (here === undefined) throw new Error('a merchant')
    const { db: near, database } = fixture
    const control = fixture.openDb()
    const how = { application_name: 'away', connections_max: 1, durable: true }
    const away = openDb({ ...database.options, ...how, port: 1 })
    placeGroups(control, {
      of: () => near,
      all: () => [away, near],
      others: () => [],
      control: () => control,
      onAway: () => undefined,
    })
    // As if so many networks had changed since it is away.
    await database.owner`
      insert into availability_changes (id, environment, country_code, network_code, direction,
        change_no, status, previous_status, since, source, message_en, message_fr, created_at)
      select gen_random_uuid(), 'LIVE', 'BJ', 'some_' || n, 'COLLECT', 1, 'CLOSED', 'OPERATIONAL',
             now(), 'STAFF', 'Closed.', 'Fermé.', now() - interval '1 hour'
        from generate_series(1, 120) as n`
    await turn(false)
    await noticeChanges({ db: control })
    const faults: string[] = []
    const onFault = (about: string) => faults.push(about)
    await announceChanges({ db: control, wake }, { onFault })
    await eachOnce([here], ['CLOSED'])
    expect(faults).toEqual(['a shard group'])
    expect(await listOpenChanges(control, 200)).toHaveLength(121)
    // Who asks for it only now is not sent what happened before.
    await database.owner`
      update availability_changes set created_at = created_at - interval '2 minutes'`
    const late = await asking()
    await turn(true)
    await passTime()
    await noticeChanges({ db: control })
    await announceChanges({ db: control, wake }, { onFault })
    await eachOnce([here], ['CLOSED', 'OPERATIONAL'])
    await eachOnce([late], ['OPERATIONAL'])
    await away.end({ timeout: 0 })
  })
})

describe('a change', () => {
  it('of long ago is dropped once everybody has been sent it', async () => {
    await turn(false)
    await noticeChanges({ db: fixture.db })
    await announceChanges({ db: fixture.db, wake })
    await fixture.database.owner`
      update availability_changes set finished_at = now() - interval '31 days'`
    await turn(true)
    await passTime()
    await noticeChanges({ db: fixture.db })
    await announceChanges({ db: fixture.db, wake })
    const left = await fixture.database.owner`select status from availability_changes`
    expect([...left]).toEqual([{ status: 'OPERATIONAL' }])
  })

  it('wakes the feeds of those whose event was made, and of nobody else', async () => {
    const feed = await asking()
    await openMerchant(fixture.database.owner)
    await turn(false)
    await noticeChanges({ db: fixture.db })
    const woken: string[] = []
    await announceChanges({ db: fixture.db, wake: (name) => woken.push(name) })
    await announceChanges({ db: fixture.db, wake: (name) => woken.push(name) })
    expect(woken).toEqual([`sequence-events/${feed.merchant_id}/SANDBOX`])
  })
})
