// The worker: each job in its own loop, woken or polled, and no failure ends it.

import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import { type Db, openDb } from '../db.ts'
import { createWaker } from './notify.ts'
import { type Job, startWorker, workerIsAlive } from './worker.ts'

let database: TestDatabase
let db: Db
const log = pino({ level: 'silent' })

beforeAll(async () => {
  database = await createTestDatabase()
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  db = openDb({ ...database.options, ...name, connections_max: 3, durable: false })
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

const until = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 5 })
const start = (...jobs: Job[]) => startWorker({ db, jobs, log })

/** A job that counts its runs; it rests by default. */
function counting(name: string, settings: Partial<Job> = {}) {
  const job = { name, runs: 0, poll_ms: 60_000, run: async () => 'rest' as const, ...settings }
  const run: Job['run'] = (context) => {
    job.runs += 1
    return settings.run?.(context) ?? Promise.resolve('rest')
  }
  return Object.assign(job, { run })
}

describe('a job', () => {
  it('runs at once, then when its poll time comes', async () => {
    const often = counting('often', { poll_ms: 10 })
    const seldom = counting('seldom')
    const worker = start(often, seldom)
    await until(() => expect(often.runs).toBeGreaterThan(3))
    expect(seldom.runs).toBe(1)
    await worker.stop(1_000)
  })

  it('without a poll time looks less often while nobody wakes it, up to once a second', async () => {
    const runs_ms: number[] = []
    const { poll_ms, ...idle } = counting('idle', {
      run: async () => {
        runs_ms.push(performance.now())
        return 'rest'
      },
    })
    const worker = start(idle)
    await until(() => expect(runs_ms.length).toBeGreaterThan(3))
    const rest_ms = (nth: number) => (runs_ms[nth + 1] ?? 0) - (runs_ms[nth] ?? 0)
    // Timers are never early by more than a millisecond.
    expect([rest_ms(0) > 248, rest_ms(1) > 498, rest_ms(2) > 998]).toEqual([true, true, true])
    const woken_rests_ms: number[] = []
    // The second after each wake-up: as after work. The shortest, as a busy machine lengthens any.
    for (let wakes = 0; wakes < 3; wakes += 1) {
      const woken = runs_ms.length
      worker.wake('idle')
      await until(() => expect(runs_ms.length).toBeGreaterThan(woken + 1))
      woken_rests_ms.push(rest_ms(woken))
    }
    expect(Math.min(...woken_rests_ms)).toBeLessThan(900)
    await worker.stop(1_000)
  })

  it('is told once what it was woken about since its last run began', async () => {
    const about: (readonly string[] | undefined)[] = []
    let release = () => {}
    const job = counting('told', {
      run: ({ subjects }) => {
        about.push(subjects)
        return new Promise((ok) => {
          release = () => ok('rest')
        })
      },
    })
    const worker = start(job)
    await until(() => expect(job.runs).toBe(1))
    for (const name of ['told/a/b', 'told', 'told/c', 'told/a/b']) worker.wake(name)
    release()
    await until(() => expect(job.runs).toBe(2))
    worker.wake('told')
    release()
    await until(() => expect(job.runs).toBe(3))
    expect(about).toEqual([[], ['a/b', 'c'], []])
    release()
    await worker.stop(1_000)
  })

  it('runs when woken, also when it was woken in the middle of a run', async () => {
    let release = () => {}
    const job = counting('held', {
      run: () =>
        new Promise((ok) => {
          release = () => ok('rest')
        }),
    })
    const worker = start(job)
    await until(() => expect(job.runs).toBe(1))
    worker.wake('held')
    worker.wake('nobody')
    release()
    await until(() => expect(job.runs).toBe(2))
    release()
    await sleep(30)
    worker.wake('held')
    await until(() => expect(job.runs).toBe(3))
    release()
    await worker.stop(1_000)
  })

  it('runs again at once while there is more', async () => {
    const job = counting('greedy', { run: async () => (job.runs < 5 ? 'more' : 'rest') })
    const worker = start(job)
    await until(() => expect(job.runs).toBe(5))
    await sleep(30)
    expect(job.runs).toBe(5)
    await worker.stop(1_000)
  })

  it('that is slow delays no other, and one that fails is tried again later, not at once', async () => {
    let release = () => {}
    const slow = counting('slow', {
      run: () =>
        new Promise((ok) => {
          release = () => ok('rest')
        }),
    })
    const broken_ms: number[] = []
    const broken = counting('broken', {
      run: () => {
        broken_ms.push(performance.now())
        return Promise.reject(new Error('broken'))
      },
    })
    const other = counting('other', { poll_ms: 10 })
    const worker = start(slow, broken, other)
    await until(() => expect(other.runs).toBeGreaterThan(5))
    worker.wake('broken')
    await until(() => expect(broken.runs).toBeGreaterThan(1))
    expect(slow.runs).toBe(1)
    const [first_ms = 0, second_ms = 0] = broken_ms
    // Timers are never early by more than a millisecond.
    expect(second_ms - first_ms).toBeGreaterThan(498)
    release()
    await worker.stop(1_000)
  })

  it('is rung by the bell of its process', async () => {
    const waker = createWaker()
    const job = counting('rung')
    const worker = startWorker({ db, jobs: [job], log, wake: waker })
    await until(() => expect(job.runs).toBe(1))
    await sleep(20)
    waker.wake('rung')
    await until(() => expect(job.runs).toBe(2))
    await worker.stop(1_000)
    waker.wake('rung')
    await sleep(20)
    expect(job.runs).toBe(2)
  })
})

describe('stop', () => {
  it('lets work in flight end, and what it left behind', async () => {
    let ended = 0
    const finish = async () => {
      await sleep(50)
      ended += 1
    }
    const run = async () => {
      await finish()
      return 'rest' as const
    }
    const worker = start(counting('working', { run, finish }))
    await sleep(20)
    expect(await worker.stop(2_000)).toEqual({ unfinished: [] })
    expect(ended).toBe(2)
  })

  it('tells the work to end, and names what does not within the time', async () => {
    const obedient = counting('obedient', {
      run: ({ signal }) => new Promise((ok) => signal.addEventListener('abort', () => ok('rest'))),
    })
    let hears = () => {}
    const deaf = counting('deaf', {
      run: () =>
        new Promise((ok) => {
          hears = () => ok('rest')
        }),
    })
    const worker = start(obedient, deaf)
    await until(() => expect([obedient.runs, deaf.runs]).toEqual([1, 1]))
    expect(await worker.stop(100)).toEqual({ unfinished: ['deaf'] })
    hears()
  })
})

describe('the heartbeat', () => {
  it('says that a worker lives until it has stopped or is silent for ten seconds', async () => {
    expect(await workerIsAlive(db)).toBe(false)
    const worker = start()
    await expect.poll(() => workerIsAlive(db)).toBe(true)
    await worker.stop(1_000)
    expect(await workerIsAlive(db)).toBe(false)
    const saveHeartbeatOf = (age: string) => db`
      insert into worker_beats (name, beat_at) values ('other', now() - ${age}::interval)
      on conflict (name) do update set beat_at = excluded.beat_at`
    await saveHeartbeatOf('5 seconds')
    expect(await workerIsAlive(db)).toBe(true)
    await saveHeartbeatOf('11 seconds')
    expect(await workerIsAlive(db)).toBe(false)
  })
})
