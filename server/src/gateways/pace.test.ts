// However many processes ask an operator, it is never asked more often than it allows. Time is the
// test's own: processes wait in it, come, stand still and die.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { sized } from '../../test/setup/proof-size.ts'
import { type Db, openDb } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { Outbound, SendRequest, SendResult } from '../platform/outbound/outbound.ts'
import { leaseMs, newPacer, nextRow, type Pacer, type PacerDeps, type Paces } from './pace.ts'
import { claimPace, pacedOutbound } from './pace-leases.ts'

const allowed = 10
const onFault = () => undefined

/** A time in which whoever sleeps is woken in order, as soon as nobody has anything else to do. */
function ownTime() {
  let now = 0
  const sleepers: { at: number; wake: () => void }[] = []
  return {
    now: () => now,
    sleep: (ms: number) => new Promise<void>((wake) => void sleepers.push({ at: now + ms, wake })),
    async pass(until: number) {
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve))
        sleepers.sort((a, b) => a.at - b.at)
        const [next] = sleepers
        if (next === undefined || next.at > until) break
        sleepers.shift()
        now = next.at
        next.wake()
      }
      now = until
    },
  }
}
type OwnTime = ReturnType<typeof ownTime>

const paces: Paces = { asks: allowed, creates: 6, open: 5 }
const asksOnly: Paces = { asks: allowed, creates: null, open: null }
/** How long a call lasts at most. */
const lasts_ms = 3_000

/** The rows of an account, as the table keeps them, in that time. */
function ownLeases(time: OwnTime) {
  type Kept = Omit<ReturnType<typeof nextRow>, 'lost_ms'> & { until: number; lease: number }
  const rows = new Map<string, Kept>()
  return (process: string) => async (wanted: Paces, may_have: number) => {
    const now = time.now()
    const seen = [...rows].map(([name, { until, lease, ...row }]) => ({
      ...{ process: name, ...row },
      ...{ former_in_ms: until - now, lease_in_ms: lease - now },
    }))
    const { lost_ms, ...next } = nextRow(seen, { process, paces: wanted, may_have, lasts_ms })
    const until = lost_ms === null ? (rows.get(process)?.until ?? 0) : now + lost_ms
    rows.set(process, { ...next, until, lease: now + leaseMs })
    return { asks: next.share, creates: next.create_share, open: next.open_share }
  }
}

/** A pacer of that time, told what is allowed. */
function pacerIn(time: OwnTime, claim: PacerDeps['claim'], of: Paces = asksOnly): Pacer {
  const pacer = newPacer({ now: time.now, sleep: time.sleep, claim, onFault })
  pacer.allow(of)
  return pacer
}

/** The most that left in any second. */
function mostInASecond(left: readonly number[]): number {
  const sorted = left.toSorted((a, b) => a - b)
  let [most, first] = [0, 0]
  for (const [at, one] of sorted.entries()) {
    while ((sorted[first] ?? one) <= one - 1000) first += 1
    most = Math.max(most, at - first + 1)
  }
  return most
}

/** What one process does: questions and creates in turn, each of them under way for a while. */
const life = fc.record({
  from: fc.integer({ min: 0, max: 30_000 }),
  lasts: fc.integer({ min: 1_000, max: 40_000 }),
  every: fc.constantFrom(5, 40, 150, 900),
  calls_last: fc.constantFrom(1, 300, lasts_ms),
})

type Life = Readonly<{ from: number; lasts: number; every: number; calls_last: number }>
type Seen = { ask: number[]; create: number[]; open: number; most_open: number }

async function live(time: OwnTime, pacer: Pacer, life: Life, seen: Seen): Promise<void> {
  const { now, sleep } = time
  const call = async (kind: 'ask' | 'create') => {
    const release = await pacer.take(kind, now() + 3_000)
    if (release === undefined) return
    seen[kind].push(now())
    seen.open += 1
    seen.most_open = Math.max(seen.most_open, seen.open)
    await sleep(life.calls_last)
    seen.open -= 1
    release()
  }
  await sleep(life.from)
  const calls: Promise<void>[] = []
  for (let at = 0; now() < life.from + life.lasts; at += 1) {
    calls.push(call(at % 2 === 0 ? 'ask' : 'create'))
    await sleep(life.every)
  }
  await Promise.all(calls)
}

describe('over several processes', () => {
  it('no second has more questions or creates than are allowed, and no moment more calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 7 }), async (lives) => {
        const time = ownTime()
        const leases = ownLeases(time)
        const seen: Seen = { ask: [], create: [], open: 0, most_open: 0 }
        const lived = lives.map((one, at) =>
          live(time, pacerIn(time, leases(`process ${at}`), paces), one, seen),
        )
        await time.pass(90_000)
        await Promise.all(lived)
        expect(mostInASecond(seen.ask)).toBeLessThanOrEqual(allowed)
        expect(mostInASecond(seen.create)).toBeLessThanOrEqual(paces.creates ?? 0)
        expect(seen.most_open).toBeLessThanOrEqual(paces.open ?? 0)
        expect(seen.ask.length).toBeGreaterThan(0)
        expect(seen.create.length).toBeGreaterThan(0)
        expect(seen.open).toBe(0)
      }),
      { numRuns: sized(4, 25) },
    )
  }, 300_000)

  it('what is changed while they send counts in each from its next calls on', async () => {
    const time = ownTime()
    const { now, sleep } = time
    const leases = ownLeases(time)
    const pacers = [0, 1, 2].map((at) => pacerIn(time, leases(`process ${at}`), paces))
    const left: number[] = []
    let over = false
    for (const pacer of pacers) {
      void (async () => {
        while (!over) {
          const release = await pacer.take('create', now() + 2_000)
          if (release !== undefined) left.push(now())
          release?.()
          await sleep(20)
        }
      })()
    }
    const within = (from: number, to: number) => left.filter((at) => at > from && at <= to)
    await time.pass(20_000)
    for (const pacer of pacers) pacer.allow({ ...paces, creates: 3 })
    await time.pass(40_000)
    for (const pacer of pacers) pacer.allow({ ...paces, creates: 60 })
    await time.pass(60_000)
    over = true
    await time.pass(70_000)
    expect(mostInASecond(within(0, 20_000))).toBeLessThanOrEqual(6)
    // What was given before the change lasts as long as a share does.
    expect(mostInASecond(within(26_000, 40_000))).toBeLessThanOrEqual(3)
    expect(within(26_000, 40_000).length).toBeGreaterThan(20)
    expect(mostInASecond(within(40_000, 60_000))).toBeLessThanOrEqual(60)
    expect(within(45_000, 60_000).length).toBeGreaterThan(300)
  })

  it('four that have much to ask share it: each gets its part, and little is left over', async () => {
    const time = ownTime()
    const { now } = time
    const leases = ownLeases(time)
    const left = [0, 1, 2, 3].map(() => [] as number[])
    let over = false
    for (const [at, mine] of left.entries()) {
      const pacer = pacerIn(time, leases(`process ${at}`))
      const askOn = async () => {
        while (!over) if (await pacer.take('ask', now() + 10_000)) mine.push(now())
      }
      for (let i = 0; i < 5; i += 1) void askOn()
    }
    await time.pass(60_000)
    over = true
    await time.pass(80_000)
    const late = left.map((mine) => mine.filter((one) => one > 20_000 && one <= 60_000).length)
    expect(mostInASecond(left.flat())).toBeLessThanOrEqual(allowed)
    for (const one of late) expect(one).toBeGreaterThanOrEqual(60)
    expect(late.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(280)
  })
})

const one = (time: OwnTime, claim: () => Promise<number>): Pacer =>
  pacerIn(time, async () => ({ asks: await claim(), creates: 0, open: 0 }))

describe('in one process', () => {
  it('a share is asked for every five seconds, however many questions there are', async () => {
    const time = ownTime()
    let claims = 0
    const pacer = one(time, async () => {
      claims += 1
      return 8
    })
    let asked = 0
    const askOn = async () => {
      while (time.now() < 60_000) if (await pacer.take('ask', time.now() + 5_000)) asked += 1
    }
    const asking = askOn()
    await time.pass(70_000)
    await asking
    expect(asked).toBeGreaterThan(400)
    expect(claims).toBeLessThanOrEqual(13)
  })

  it('without a share, or a database to ask for one, nothing leaves; with one again, it does', async () => {
    const time = ownTime()
    let answer: () => Promise<number> = async () => Promise.reject(new Error('away'))
    const pacer = one(time, () => answer())
    const first = pacer.take('ask', 2_000)
    await time.pass(3_000)
    expect(await first).toBeUndefined()
    answer = async () => 0
    const second = pacer.take('ask', 5_000)
    await time.pass(6_000)
    expect(await second).toBeUndefined()
    answer = async () => 3
    const third = pacer.take('ask', 9_000)
    await time.pass(10_000)
    expect(await third).toBeDefined()
    // It stands still for longer than its lease: others may have its share now.
    answer = async () => Promise.reject(new Error('away'))
    await time.pass(10_000 + leaseMs)
    const fourth = pacer.take('ask', time.now() + 1_000)
    await time.pass(time.now() + 2_000)
    expect(await fourth).toBeUndefined()
  })

  it('an operator that was asked too often is left alone, then asked half as often', async () => {
    const time = ownTime()
    const pacer = one(time, async () => 8)
    const left: number[] = []
    const askOn = async () => {
      while (time.now() < 30_000)
        if (await pacer.take('ask', time.now() + 60_000)) left.push(time.now())
    }
    const asking = askOn()
    await time.pass(1_000)
    pacer.slowDown(5)
    await time.pass(31_000)
    await asking
    expect(left.filter((at) => at > 1_000 && at < 6_000)).toEqual([])
    const within = (from: number, to: number) => left.filter((at) => at >= from && at < to).length
    expect(within(6_000, 16_000)).toBeLessThanOrEqual(40)
    expect(within(18_000, 28_000)).toBeGreaterThan(60)
  })
})

describe('the client that keeps to it', () => {
  const answered = (status: number, headers: Record<string, string> = {}): SendResult => ({
    ...{ is: 'answered', status, headers, body: '', took_ms: 1 },
  })
  const over = (take: Pacer['take'], result = answered(200)) => {
    const sent: SendRequest[] = []
    const slowed: (number | undefined)[] = []
    const plain: Outbound = {
      send: async (request) => {
        sent.push(request)
        return result
      },
      close: async () => undefined,
    }
    const slowDown = (s: number | undefined) => void slowed.push(s)
    const pacer = { take, slowDown, allow: () => undefined }
    const refused: string[] = []
    const by = { pacer, now: () => 0, onNoPlace: (kind: string) => void refused.push(kind) }
    return { sent, slowed, refused, paced: pacedOutbound(plain, by) }
  }
  const request = { method: 'GET', url: 'http://127.0.0.1:1/', timeout_ms: 100 }

  it('does not send what finds no place, and says that it never left', async () => {
    const asked: [string, number][] = []
    const { sent, refused, paced } = over(async (kind, until) => {
      asked.push([kind, until])
      return undefined
    })
    const long = { ...request, timeout_ms: 8_000 }
    const each = [request, long, { ...long, method: 'POST' }, { ...long, pace: 'other' as const }]
    for (const one of each) {
      expect(await paced.send(one)).toEqual({ is: 'never_sent', because: 'pace' })
    }
    expect(sent).toEqual([])
    // A question waits for as long as it has time; whoever creates, briefly.
    expect(asked).toEqual([
      ['ask', 100],
      ['ask', 8_000],
      ['create', 2_000],
      ['other', 2_000],
    ])
    expect(refused).toEqual(['ask', 'ask', 'create', 'other'])
  })

  it('frees the place of a call however it ends', async () => {
    let open = 0
    const taking: Pacer['take'] = async () => {
      open += 1
      return () => {
        open -= 1
      }
    }
    const { paced } = over(taking)
    await paced.send(request)
    expect(open).toBe(0)
    const failing: Outbound = {
      send: async () => Promise.reject(new Error('a bug')),
      close: async () => undefined,
    }
    const pacer = { take: taking, slowDown: () => undefined, allow: () => undefined }
    const broken = pacedOutbound(failing, { pacer, now: () => 0 })
    await expect(broken.send(request)).rejects.toThrow('a bug')
    expect(open).toBe(0)
  })

  it('slows down at 429, for as long as the operator says', async () => {
    const headers = { 'retry-after': '7' }
    for (const [result, told] of [
      [answered(429, headers), [7]],
      [answered(429, { 'retry-after': 'Wed, 21 Oct' }), [undefined]],
      [answered(503, headers), []],
    ] as const) {
      const { slowed, paced } = over(async () => () => undefined, result)
      await paced.send(request)
      expect(slowed).toEqual(told)
    }
  })
})

describe('shares in the database', () => {
  let database: TestDatabase
  let db: Db
  let gateway_id: string
  beforeAll(async () => {
    database = await createTestDatabase()
    const role = 'pirogue_app' as const
    const options = { connections_max: 8, durable: true, application_name: 'pace' }
    db = openDb({ ...database.options, role, ...options })
    const [row] = await db<{ id: string }[]>`select id from gateways limit 1`
    gateway_id = row?.id ?? ''
  })
  afterAll(async () => {
    await db?.end()
    await database?.drop()
  })

  const claimAll = (process: string, may_have = 0) =>
    claimPace(db, { gateway_id, process, paces, may_have, lasts_ms })
  const claim = async (process: string) => (await claimAll(process)).asks

  it('never add up to more than is allowed, whoever asks at the same time', async () => {
    const processes = Array.from({ length: 12 }, () => newId())
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(processes.map((process) => claim(process)))
      const [sum] = await db<{ all: number }[]>`
        select sum(case when former_until > now() then greatest(share, former_share)
                        else share end)::int as all
          from gateway_pace where gateway_id = ${gateway_id}`
      expect(sum?.all).toBeLessThanOrEqual(allowed)
      expect(sum?.all).toBeGreaterThan(0)
    }
  })

  it('of processes that are gone are given to others, and their rows removed', async () => {
    const process = newId()
    await db`update gateway_pace set lease_until = now() - interval '3 seconds',
                                     former_until = '-infinity'`
    expect(await claim(process)).toBe(8)
    await db`update gateway_pace set lease_until = now() - interval '11 minutes'
              where process <> ${process}`
    await claim(process)
    expect(await db`select 1 from gateway_pace`).toHaveLength(1)
  })

  it('that one loses count until nothing of it is under way', async () => {
    await db`delete from gateway_pace`
    const [first, second] = [newId(), newId()]
    expect(await claim(first)).toBe(8)
    expect(await claim(second)).toBe(2)
    expect(await claim(first)).toBe(4)
    expect(await claim(second)).toBe(2)
    await db`update gateway_pace set former_until = now() - interval '1 second'`
    expect(await claim(second)).toBe(4)
  })

  it('of calls under way count for as long as whoever has them says so', async () => {
    await db`delete from gateway_pace`
    const [first, second, third] = [newId(), newId(), newId()]
    const openOf = async (process: string, may_have: number) =>
      (await claimAll(process, may_have)).open
    expect(await openOf(first, 0)).toBe(4)
    expect(await openOf(second, 0)).toBe(1)
    // It has four under way, and lost half of its share: they count.
    expect(await openOf(first, 4)).toBe(2)
    expect(await openOf(third, 0)).toBe(0)
    expect(await openOf(first, 2)).toBe(2)
    expect(await openOf(third, 0)).toBe(1)
    // One that is gone may have left calls that the operator still works on.
    await db`update gateway_pace set lease_until = now() - interval '3 seconds'
              where process = ${first}`
    expect(await openOf(second, 1)).toBe(2)
    await db`update gateway_pace set lease_until = now() - interval '6 seconds'
              where process = ${first}`
    expect(await openOf(second, 2)).toBe(2)
    expect(await openOf(newId(), 0)).toBe(1)
  })
})
