// A merchant's statements on two workers, each a database of its own, and the guard in front of
// each of them. On one PostgreSQL nothing of it is used.

import { randomUUID } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { atGroup } from '../src/app/connect.ts'
import { type Db, inTransaction, isDatabaseAway, openDb, type Sql } from '../src/platform/db.ts'
import { aloneAtHome } from '../src/platform/places/alone-at-home.ts'
import { type Group, listGroups } from '../src/platform/places/map-store.ts'
import { placePools } from '../src/platform/places/place-pools.ts'
import { control, eachGroup, eachOrLast, homeOf, oneOfAll } from '../src/platform/places/places.ts'
import { uuidHash } from '../src/platform/places/uuid-hash.ts'
import { createTestDatabase, type TestDatabase } from './setup/database.ts'
import { type Groups, placeOnGroups } from './setup/place-on-groups.ts'

let database: TestDatabase
let groups: Groups
let db: Db
let plain: Db
let end: () => Promise<void>

const options = {
  connections_max: 3,
  durable: true,
  application_name: 'places',
  role: 'pirogue_app',
} as const

beforeAll(async () => {
  database = await createTestDatabase()
  groups = await placeOnGroups(database)
  plain = openDb({ ...database.options, ...options })
  db = openDb({ ...database.options, ...options })
  const pool = {
    control: db,
    open: (group: Group) =>
      openDb({ ...atGroup(database.options, group), ...options, lock_timeout_ms: 200 }),
  }
  end = await placePools({ readMap: () => listGroups(db), onAway: () => undefined }, [pool])
})
afterAll(async () => {
  await end()
  // Of a connection that died the driver waits for what it was asked last.
  await Promise.all([db.end({ timeout: 1 }), plain.end()])
  await groups.drop()
  await database.drop()
})

type PlacedOptions = Readonly<{
  connections_max?: number
  statement_timeout_ms?: number
  looks?: Db
  wait_ms?: number
}>

/** A pool of its own where some group is elsewhere than the map says, by how often it was read. */
async function placedOn(
  where: (group: Group, reads: number) => Group,
  { looks, wait_ms = 0, ...how }: PlacedOptions = {},
) {
  const own = openDb({ ...database.options, ...options })
  const open = (group: Group) => openDb({ ...atGroup(database.options, group), ...options, ...how })
  const pools = [own, ...(looks === undefined ? [] : [looks])].map((one) => ({
    control: one,
    open,
  }))
  const away: unknown[] = []
  let reads = 0
  const readMap = async () => {
    reads += 1
    return (await listGroups(plain)).map((group) => where(group, reads))
  }
  const deps = { readMap, onAway: (error: unknown) => away.push(error), wait_ms }
  const close = await placePools(looks === undefined ? deps : { ...deps, looks }, pools)
  afterwards.push(async () => {
    await close()
    await own.end({ timeout: 1 })
  })
  return { db: own, away }
}

const afterwards: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(afterwards.splice(0).map((end) => end()))
})

const merchantOf = (half: number): string => {
  for (;;) {
    const id = randomUUID()
    if (uuidHash(id) < 0 === (half === 0)) return id
  }
}

const feedOf = (merchant_id: string) => homeOf(db, merchant_id)<{ one: number }[]>`
  select 1 as one from event_feeds where merchant_id = ${merchant_id}`
const openFeedOf = (merchant_id: string) => homeOf(db, merchant_id)`
  insert into event_feeds (merchant_id, environment) values (${merchant_id}, 'LIVE')`

describe('the hash of a merchant', () => {
  it('is the one PostgreSQL places by', async () => {
    const ids = Array.from({ length: 200 }, () => randomUUID())
    const rows = await plain<{ id: string; hash: number }[]>`
      select id, uuid_hash(id) as hash from unnest(${ids}::uuid[]) as id`
    expect(rows.map(({ id }) => uuidHash(id))).toEqual(rows.map(({ hash }) => hash))
  })
})

describe('on one PostgreSQL', () => {
  it('everything is where it was', async () => {
    expect(homeOf(plain, randomUUID())).toBe(plain)
    expect(control(plain)).toBe(plain)
    expect(await eachGroup(plain, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
  })
})

describe('on shard groups', () => {
  it('a merchant’s rows are in their group, and in no other place', async () => {
    const [low, high] = [merchantOf(0), merchantOf(1)]
    await openFeedOf(low)
    await openFeedOf(high)
    expect(await feedOf(low)).toHaveLength(1)
    const counts = await Promise.all(
      [low, high].map(async (merchant_id) => {
        const places = [...groups.workers, database]
        const rows = await Promise.all(
          places.map(
            ({ owner }) => owner`select 1 from event_feeds where merchant_id = ${merchant_id}`,
          ),
        )
        return rows.map(({ length }) => length)
      }),
    )
    expect(counts).toEqual([
      [1, 0, 0],
      [0, 1, 0],
    ])
    const all = await eachGroup(
      db,
      (sql) => sql<{ merchant_id: string }[]>`select merchant_id from event_feeds`,
    )
    expect(all.map(({ merchant_id }) => merchant_id).sort()).toEqual([low, high].sort())
  })

  it('an error is the statement’s own, and nothing of it is left', async () => {
    const merchant_id = merchantOf(0)
    await openFeedOf(merchant_id)
    await expect(openFeedOf(merchant_id)).rejects.toMatchObject({ code: '23505' })
    expect(await feedOf(merchant_id)).toHaveLength(1)
  })

  it('a transaction is of one group, and refuses another', async () => {
    const [low, high] = [merchantOf(0), merchantOf(1)]
    await inTransaction(homeOf(db, low), async (tx) => {
      expect(homeOf(tx, low)).toBe(tx)
      expect(() => homeOf(tx, high)).toThrow('one shard group')
      await tx`insert into event_feeds (merchant_id, environment) values (${low}, 'SANDBOX')`
    })
    expect(await feedOf(low)).toHaveLength(1)
  })

  it('control is reached from a place', () => {
    expect(control(homeOf(db, merchantOf(0)))).toBe(db)
  })

  /** A feed of the merchant, and an e-mail at control. */
  const writeBoth = (merchant_id: string, work: () => Promise<void>) =>
    inTransaction(homeOf(db, merchant_id), async (tx) => {
      const at = control(tx)
      await at`insert into mail_outbox (id, sealed) values (${merchant_id}, '')`
      await tx`insert into event_feeds (merchant_id, environment) values (${merchant_id}, 'LIVE')`
      expect(await at`select 1 from mail_outbox where id = ${merchant_id}`).toHaveLength(1)
      await work()
    })
  const mailOf = (id: string) => database.owner`select 1 from mail_outbox where id = ${id}`

  it('a transaction of a group writes at control too, seen by nobody before it is over', async () => {
    const id = merchantOf(0)
    await writeBoth(id, async () => {
      expect(await mailOf(id)).toHaveLength(0)
    })
    expect(await mailOf(id)).toHaveLength(1)
    expect(await feedOf(id)).toHaveLength(1)
  })

  it('and neither where it fails, or where control refuses', async () => {
    const id = merchantOf(0)
    const fails = () => Promise.reject(new Error('refused'))
    await expect(writeBoth(id, fails)).rejects.toThrow('refused')
    expect(await mailOf(id)).toHaveLength(0)
    expect(await feedOf(id)).toHaveLength(0)
    await database.owner`insert into mail_outbox (id, sealed) values (${id}, '')`
    await expect(writeBoth(id, async () => undefined)).rejects.toMatchObject({ code: '23505' })
    expect(await feedOf(id)).toHaveLength(0)
  })

  it('control is not there, so what was sent to the wrong place fails', async () => {
    const wrong = homeOf(db, merchantOf(0))`select 1 from api_keys`
    await expect(wrong).rejects.toMatchObject({ code: '42P01' })
  })
})

describe('a transaction of a group and of control', () => {
  const pidOf = async (sql: Sql) => {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
    return row?.pid ?? 0
  }
  const end = (pid: number) => database.owner`select pg_terminate_backend(${pid})`

  /** Holds a row at each, until the connections to end are ended. */
  const dying = (merchant_id: string, which: readonly ('group' | 'control')[]) =>
    inTransaction(homeOf(db, merchant_id), async (tx) => {
      const at = control(tx)
      await tx`select 1 from event_feeds where merchant_id = ${merchant_id} for update`
      await at`select 1 from mail_outbox where id = ${merchant_id} for update`
      const pids = { group: await pidOf(tx), control: await pidOf(at) }
      const waiting = which.map((one) => (one === 'group' ? tx : at)`select pg_sleep(9)`.execute())
      const answers = Promise.allSettled(waiting)
      await sleep(100)
      await Promise.all(which.map((one) => end(pids[one])))
      for (const answer of await answers) if (answer.status === 'rejected') throw answer.reason
    })

  const isFree = async (merchant_id: string) => {
    const { owner } = await groups.workerOf(merchant_id)
    const rows = await Promise.all([
      owner`select 1 from event_feeds where merchant_id = ${merchant_id} for update nowait`,
      database.owner`select 1 from mail_outbox where id = ${merchant_id} for update nowait`,
    ])
    return rows.map(({ length }) => length)
  }

  it.each([
    ['control', ['control']],
    ['the group', ['group']],
    ['the group and control', ['group', 'control']],
    ['control and the group', ['control', 'group']],
  ] as const)('holds nothing once %s went away, and harms nobody', async (_, which) => {
    const merchant_id = merchantOf(0)
    await openFeedOf(merchant_id)
    await database.owner`insert into mail_outbox (id, sealed) values (${merchant_id}, '')`
    const thrown: unknown[] = []
    const note = (error: unknown) => thrown.push(error)
    process.on('uncaughtException', note)
    try {
      const began = performance.now()
      await expect(dying(merchant_id, which)).rejects.toSatisfy(isDatabaseAway)
      expect(performance.now() - began).toBeLessThan(8_000)
      const free = () => isFree(merchant_id).catch(() => [])
      // What was cut off would have ended by itself after nine seconds.
      const timeout = 8_500 - (performance.now() - began)
      await expect.poll(free, { timeout }).toEqual([1, 1])
      // The driver may tell the next one on that connection the same; the one after is well.
      const next = () => feedOf(merchant_id)
      expect(await next().catch(next)).toHaveLength(1)
      const other = () => control(db)`select 1 as one`
      expect(await other().catch(other)).toHaveLength(1)
      expect(thrown).toEqual([])
    } finally {
      process.off('uncaughtException', note)
    }
  })
})

describe('a move', () => {
  const holdGuard = (worker: TestDatabase) => worker.owner.reserve()

  it('is waited for: the statement is written once it is over', async () => {
    const merchant_id = merchantOf(0)
    const [worker] = groups.workers
    if (worker === undefined) throw new Error('no worker')
    const mover = await holdGuard(worker)
    await mover`begin`
    await mover`select 1 from guard_lock for update`
    let is_over = false
    const writing = openFeedOf(merchant_id).then(() => is_over)
    await waitedFor(worker)
    is_over = true
    await mover`rollback`
    mover.release()
    expect(await writing).toBe(true)
    expect(await feedOf(merchant_id)).toHaveLength(1)
  })

  it('is waited for by a pool whose statements may not take as long', async () => {
    const merchant_id = merchantOf(0)
    const [worker] = groups.workers
    if (worker === undefined) throw new Error('no worker')
    const pool = await placedOn((group) => group, { statement_timeout_ms: 500, wait_ms: 15_000 })
    const mover = await holdGuard(worker)
    await mover`begin`
    await mover`select 1 from guard_lock for update`
    const reading = homeOf(pool.db, merchant_id)`select 1 as one`.execute()
    await Promise.race([reading, sleep(1_000)])
    await mover`rollback`
    mover.release()
    expect(await reading).toHaveLength(1)
  })

  it('holds off until a transaction that has begun is over', async () => {
    const merchant_id = merchantOf(0)
    const [worker] = groups.workers
    if (worker === undefined) throw new Error('no worker')
    const mover = await holdGuard(worker)
    await inTransaction(homeOf(db, merchant_id), async (tx) => {
      await tx`insert into event_feeds (merchant_id, environment) values (${merchant_id}, 'LIVE')`
      const locked = mover`select 1 from guard_lock for update nowait`.execute()
      await expect(locked).rejects.toMatchObject({ code: '55P03' })
    })
    expect(await mover`select 1 from guard_lock for update nowait`).toHaveLength(1)
    mover.release()
  })

  it('is followed: what finds the group gone is written where it is now', async () => {
    const merchant_id = merchantOf(1)
    const [to, from] = groups.workers
    if (to === undefined || from === undefined) throw new Error('no workers')
    await openFeedOf(merchant_id)
    await from.owner`delete from guard_lock`
    await database.owner`update shard_groups set database = ${to.name} where no = 1`
    await openFeedOf(merchant_id)
    const there = await to.owner`select 1 from event_feeds where merchant_id = ${merchant_id}`
    expect(there).toHaveLength(1)
    await from.owner`insert into guard_lock values (true)`
    await database.owner`update shard_groups set database = ${from.name} where no = 1`
    await to.owner`delete from guard_lock`
    expect(await feedOf(merchant_id)).toHaveLength(1)
    await to.owner`insert into guard_lock values (true)`
  })

  it('is followed away from a server that is gone, by the statement after the one that met it', async () => {
    const merchant_id = merchantOf(1)
    await openFeedOf(merchant_id)
    const pool = await placedOn((group, reads) =>
      group.no === 1 && reads === 1 ? { ...group, port: 1 } : group,
    )
    const find = () => homeOf(pool.db, merchant_id)`
      select 1 from event_feeds where merchant_id = ${merchant_id}`
    await expect(find()).rejects.toSatisfy(isDatabaseAway)
    await expect.poll(find).toHaveLength(1)
  })

  it('is followed by a connection of its own too, which reads one moment and holds moves off', async () => {
    const merchant_id = merchantOf(1)
    const [to, from] = groups.workers
    if (to === undefined || from === undefined) throw new Error('no workers')
    await openFeedOf(merchant_id)
    const opened: string[] = []
    const open = (group?: Group) => {
      if (group === undefined) throw new Error('it is of a group')
      opened.push(group.database)
      const at = { ...atGroup(database.options, group), ...options, connections_max: 1 }
      const alone = openDb(at)
      // It moves while it is looked for.
      if (opened.length === 2) void from.owner`insert into guard_lock values (true)`.execute()
      return { db: alone, close: () => alone.end({ timeout: 0 }) }
    }
    await from.owner`delete from guard_lock`
    const { db: alone, close } = await aloneAtHome({ control: plain, open }, merchant_id)
    expect(new Set(opened)).toEqual(new Set([from.name]))
    expect(opened.length).toBeGreaterThan(1)
    const count = async () => (await alone`select 1 from event_feeds`).length
    const before = await count()
    await openFeedOf(merchantOf(1))
    expect(await count()).toBe(before)
    const locked = from.owner`select 1 from guard_lock for update nowait`
    await expect(locked).rejects.toMatchObject({ code: '55P03' })
    await close()
  })

  async function waitedFor({ owner }: TestDatabase): Promise<void> {
    for (;;) {
      const rows = await owner`
        select 1 from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`
      if (rows.length > 0) return
      await sleep(5)
    }
  }
})

describe('a group that cannot be read', () => {
  const all = (at: Db) => eachGroup(at, (sql) => sql`select merchant_id from event_feeds`)
  const took = async (look: () => Promise<unknown>) => {
    const began = performance.now()
    await look()
    return performance.now() - began
  }
  const wherePort = (port: number) => (group: Group) =>
    group.no === 1 ? { ...group, host: '127.0.0.1', port } : group

  it('is left out of a look over all, and told', async () => {
    const merchant_id = merchantOf(0)
    await openFeedOf(merchant_id)
    const pool = await placedOn(wherePort(1))
    expect(await all(pool.db)).toContainEqual({ merchant_id })
    expect(pool.away).toHaveLength(1)
  })

  it('nor is it waited for where its server takes connections and never answers', async () => {
    const merchant_id = merchantOf(0)
    await openFeedOf(merchant_id)
    const pool = await placedOn(wherePort(await openSilent()))
    const looks = async () => expect(await all(pool.db)).toContainEqual({ merchant_id })
    expect(await took(looks)).toBeLessThan(8_000)
    // It is known by then, and told once.
    expect(await took(looks)).toBeLessThan(3_500)
    expect(pool.away).toHaveLength(1)
    const feed = (id: string) =>
      oneOfAll(pool.db, (at) => at`select 1 from event_feeds where merchant_id = ${id}`)
    const find = async () => expect(await feed(merchant_id)).toBeDefined()
    expect(await took(find)).toBeLessThan(3_500)
    await expect(feed(randomUUID())).rejects.toSatisfy(isDatabaseAway)
  })

  it.each([
    ['is moved', 'begin; select 1 from guard_lock for update'],
    ['is not where the map has it', 'update guard_lock set is_here = false'],
  ])('nor while it %s', async (_, held) => {
    const merchant_id = merchantOf(0)
    await openFeedOf(merchant_id)
    const [, worker] = groups.workers
    if (worker === undefined) throw new Error('no worker')
    const pool = await placedOn((group) => group, { wait_ms: 15_000 })
    const looks = async () => expect(await all(pool.db)).toContainEqual({ merchant_id })
    const mover = await worker.owner.reserve()
    afterwards.push(async () => {
      await mover.unsafe('rollback; update guard_lock set is_here = true')
      mover.release()
    })
    await mover.unsafe(held)
    expect(await took(looks)).toBeLessThan(8_000)
    expect(await took(looks)).toBeLessThan(3_500)
    expect(pool.away).toHaveLength(1)
  })

  it('is waited for where it is slow and not silent', async () => {
    const merchant_id = merchantOf(0)
    await openFeedOf(merchant_id)
    const slow = await eachGroup(
      db,
      (at) => at`
      select merchant_id, pg_sleep(2.5) from event_feeds where merchant_id = ${merchant_id}`,
    )
    expect(slow).toHaveLength(1)
  })

  it('is waited for, too, where all connections of its pool are busy', async () => {
    const merchant_id = merchantOf(0)
    await openFeedOf(merchant_id)
    const pool = await placedOn((group) => group, { connections_max: 1 })
    const slow = await eachGroup(
      pool.db,
      (at) => at`
      select merchant_id, pg_sleep(5) from event_feeds where merchant_id = ${merchant_id}`,
    )
    expect([slow.length, pool.away]).toEqual([1, []])
  })

  it('counts with what it last said, or as unknown where it has said nothing', async () => {
    const counted = (at: Db) =>
      eachOrLast(
        at,
        'feeds',
        (sql) => sql<{ of: string }[]>`
        select current_database() as of from event_feeds limit 1`,
      )
    await Promise.all([openFeedOf(merchantOf(0)), openFeedOf(merchantOf(1))])
    const [, worker] = groups.workers
    if (worker === undefined) throw new Error('no worker')
    const pool = await placedOn((group) => group)
    const before = await counted(pool.db)
    expect(before?.map(({ of }) => of)).toEqual(groups.workers.map(({ name }) => name))
    await worker.owner`update guard_lock set is_here = false`
    try {
      expect(await counted(pool.db)).toEqual(before)
      expect(await counted((await placedOn((group) => group)).db)).toBeUndefined()
    } finally {
      await worker.owner`update guard_lock set is_here = true`
    }
  })

  /** A server of which nothing is ever heard. */
  async function openSilent(): Promise<number> {
    const sockets: Socket[] = []
    const server = createServer((socket) => sockets.push(socket.resume()))
    afterwards.push(async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }
})

describe('a transaction that looks into another group', () => {
  it('is rolled back at once where that one is away', async () => {
    const where = (group: Group) => (group.no === 1 ? { ...group, port: 1 } : group)
    const pool = await placedOn(where, { connections_max: 1 })
    const at = homeOf(pool.db, merchantOf(0))
    const looking = inTransaction(at, async (tx) => {
      await tx`select 1`
      return oneOfAll(
        tx,
        (one) => one`select 1 from event_feeds where merchant_id = ${randomUUID()}`,
      )
    })
    await expect(looking).rejects.toSatisfy(isDatabaseAway)
    const began = performance.now()
    expect(await at`select 1 as one`).toHaveLength(1)
    expect(performance.now() - began).toBeLessThan(3_000)
  })
})

describe('two transactions that look into each other’s group', () => {
  it('wait for no connection of the other', async () => {
    const looks = openDb({ ...database.options, ...options })
    const pool = await placedOn((group) => group, { connections_max: 1, looks })
    afterwards.push(() => looks.end({ timeout: 1 }))
    let begun = 0
    const both = [merchantOf(0), merchantOf(1)].map((merchant_id) =>
      inTransaction(homeOf(pool.db, merchant_id), async (tx) => {
        begun += 1
        while (begun < 2) await sleep(5)
        return oneOfAll(
          tx,
          (at) => at`
          select 1 from event_feeds where merchant_id = ${randomUUID()}`,
        )
      }),
    )
    const began = performance.now()
    expect(await Promise.all(both)).toEqual([undefined, undefined])
    expect(performance.now() - began).toBeLessThan(3_000)
  })
})
