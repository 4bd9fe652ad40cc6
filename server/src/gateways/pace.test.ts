// However many processes ask an operator, it is never asked more often than it allows. Time is the
// test's own: processes wait in it, come, stand still and die.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { sized } from '../../test/setup/proof-size.ts'
import { type Db, openDb } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { Outbound, SendRequest, SendResult } from '../platform/outbound/outbound.ts'
import { leaseMs, newPacer, nextPace, type Pacer } from './pace.ts'
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

/** The rows of an account, as the table keeps them, in that time. */
function ownLeases(time: OwnTime) {
  const rows = new Map<string, { share: number; former: number; until: number; lease: number }>()
  return (process: string) => async () => {
    const now = time.now()
    const seen = [...rows].map(([name, { share, former, until, lease }]) => ({
      ...{ process: name, share, former_share: former },
      ...{ former_in_ms: until - now, lease_in_ms: lease - now },
    }))
    const next = nextPace(seen, process, allowed)
    const until = next.former_ms === null ? (rows.get(process)?.until ?? 0) : now + next.former_ms
    const kept = { share: next.share, former: next.former_share, until, lease: now + leaseMs }
    rows.set(process, kept)
    return next.share
  }
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

describe('over several processes', () => {
  it('no second has more questions than the operator allows, whoever comes, goes or dies', async () => {
    const life = fc.record({
      from: fc.integer({ min: 0, max: 30_000 }),
      lasts: fc.integer({ min: 1_000, max: 40_000 }),
      every: fc.constantFrom(5, 40, 150, 900),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 7 }), async (lives) => {
        const time = ownTime()
        const leases = ownLeases(time)
        const left: number[] = []
        const lived = lives.map(async ({ from, lasts, every }, at) => {
          const { now, sleep } = time
          await sleep(from)
          const pacer = newPacer({ ...{ now, sleep, onFault }, claim: leases(`process ${at}`) })
          const asks: Promise<void>[] = []
          while (now() < from + lasts) {
            const asked = pacer.take(now() + 3_000).then((may) => void (may && left.push(now())))
            asks.push(asked)
            await sleep(every)
          }
          await Promise.all(asks)
        })
        await time.pass(90_000)
        await Promise.all(lived)
        expect(mostInASecond(left)).toBeLessThanOrEqual(allowed)
        expect(left.length).toBeGreaterThan(0)
      }),
      { numRuns: sized(6, 25) },
    )
  }, 120_000)

  it('four that have much to ask share it: each gets its part, and little is left over', async () => {
    const time = ownTime()
    const { now, sleep } = time
    const leases = ownLeases(time)
    const left = [0, 1, 2, 3].map(() => [] as number[])
    let over = false
    for (const [at, mine] of left.entries()) {
      const pacer = newPacer({ ...{ now, sleep, onFault }, claim: leases(`process ${at}`) })
      const askOn = async () => {
        while (!over) if (await pacer.take(now() + 10_000)) mine.push(now())
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
  newPacer({ now: time.now, sleep: time.sleep, claim, onFault })

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
      while (time.now() < 60_000) if (await pacer.take(time.now() + 5_000)) asked += 1
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
    const first = pacer.take(2_000)
    await time.pass(3_000)
    expect(await first).toBe(false)
    answer = async () => 0
    const second = pacer.take(5_000)
    await time.pass(6_000)
    expect(await second).toBe(false)
    answer = async () => 3
    const third = pacer.take(9_000)
    await time.pass(10_000)
    expect(await third).toBe(true)
    // It stands still for longer than its lease: others may have its share now.
    answer = async () => Promise.reject(new Error('away'))
    await time.pass(10_000 + leaseMs)
    const fourth = pacer.take(time.now() + 1_000)
    await time.pass(time.now() + 2_000)
    expect(await fourth).toBe(false)
  })

  it('an operator that was asked too often is left alone, then asked half as often', async () => {
    const time = ownTime()
    const pacer = one(time, async () => 8)
    const left: number[] = []
    const askOn = async () => {
      while (time.now() < 30_000) if (await pacer.take(time.now() + 60_000)) left.push(time.now())
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
    const pacer = { take, slowDown: (s: number | undefined) => void slowed.push(s) }
    return { sent, slowed, paced: pacedOutbound(plain, pacer, () => 0) }
  }
  const request = { method: 'GET', url: 'http://127.0.0.1:1/', timeout_ms: 100 }

  it('does not send a question that finds no place, and says that it never left', async () => {
    const { sent, paced } = over(async () => false)
    expect(await paced.send(request)).toEqual({ is: 'never_sent', because: 'pace' })
    expect(sent).toEqual([])
    // What moves money waits for nobody.
    await paced.send({ ...request, method: 'POST' })
    expect(sent).toHaveLength(1)
  })

  it('slows down at 429, for as long as the operator says', async () => {
    const headers = { 'retry-after': '7' }
    for (const [result, told] of [
      [answered(429, headers), [7]],
      [answered(429, { 'retry-after': 'Wed, 21 Oct' }), [undefined]],
      [answered(503, headers), []],
    ] as const) {
      const { slowed, paced } = over(async () => true, result)
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

  it('never add up to more than is allowed, whoever asks at the same time', async () => {
    const processes = Array.from({ length: 12 }, () => newId())
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(processes.map((process) => claimPace(db, { gateway_id, process, allowed })))
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
    expect(await claimPace(db, { gateway_id, process, allowed })).toBe(8)
    await db`update gateway_pace set lease_until = now() - interval '2 minutes'
              where process <> ${process}`
    await claimPace(db, { gateway_id, process, allowed })
    expect(await db`select 1 from gateway_pace`).toHaveLength(1)
  })

  it('that one loses count until nothing of it is under way', async () => {
    await db`delete from gateway_pace`
    const [first, second] = [newId(), newId()]
    const claim = (process: string) => claimPace(db, { gateway_id, process, allowed })
    expect(await claim(first)).toBe(8)
    expect(await claim(second)).toBe(2)
    expect(await claim(first)).toBe(4)
    expect(await claim(second)).toBe(2)
    await db`update gateway_pace set former_until = now() - interval '1 second'`
    expect(await claim(second)).toBe(4)
  })
})
