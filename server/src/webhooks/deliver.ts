// The pool that drains the endpoints' queues. Queues do not wait for each other: each has its own
// place, and a slot for one try at any time, so one endpoint's behaviour costs the others nothing.

import type { Job, JobContext } from '../platform/jobs/worker.ts'
import { type DrainDeps, drainQueue, type WorkerPool } from './drain-queue.ts'
import { type DueQueue, listDueQueues, type Room } from './queue-store.ts'
import { SlowEndpoints } from './slow-endpoints.ts'

type Timing = Readonly<{ try_timeout_ms: number; lease_ms: number; drain_ms_max: number }>

type Clockwork = Timing & Pick<DrainDeps, 'random' | 'now_ms'>

/** `clockwork` is for tests; the usual one is right. */
export type DeliverDeps = Omit<DrainDeps, keyof Clockwork> &
  Readonly<{ clockwork?: Partial<Clockwork> }>

/** A try has 15 s (contract 6.6); its queue is ours for 9, renewed while the try is under way. */
const usual: Clockwork = {
  try_timeout_ms: 15_000,
  lease_ms: 9_000,
  drain_ms_max: 30_000,
  random: Math.random,
  now_ms: Date.now,
}

const in_flight_max = 256
const queues_max = 200
const failing_queues_max = 100
/** Tries beside the first of each queue; of them, too, those of SANDBOX have half at most. */
const spare_max = in_flight_max - queues_max

type Drained = Pick<DueQueue, 'environment' | 'is_failing'>

const isFailing = ({ is_failing }: Drained) => is_failing
const isSandbox = ({ environment }: Drained) => environment === 'SANDBOX'

/**
 * The others always find a place: endpoints that fail, or are slow, may take only so many; and of
 * both kinds those of SANDBOX half at most, which anybody may fill. One merchant's endpoints
 * (`webhooks_max` in each environment) are fewer than that.
 */
const places: readonly Readonly<{ most: number; has: (one: Drained) => boolean }>[] = [
  { most: queues_max, has: () => true },
  { most: failing_queues_max, has: isFailing },
  { most: queues_max / 2, has: isSandbox },
  { most: failing_queues_max / 2, has: (one) => isFailing(one) && isSandbox(one) },
]

/** How many more such queues may be drained beside those; below zero: so many too many are. */
function roomBeside(drained: readonly Drained[], such: Drained): number {
  const theirs = places.filter(({ has }) => has(such))
  return Math.min(...theirs.map(({ most, has }) => most - drained.filter(has).length))
}

/** `deliver-webhooks`: finds queues with due deliveries and drains each in the background. */
export function deliverWebhooks({ clockwork, ...rest }: DeliverDeps): Job {
  const deps: DrainDeps = { ...rest, ...usual, ...clockwork }
  const drains = new Map<string, Drained & { is_failing: boolean; over: Promise<void> }>()
  const slow = new SlowEndpoints()
  const spare = { LIVE: 0, SANDBOX: 0 }

  const roomFor = (such: Drained) => roomBeside([...drains.values()], such)
  /** With no room for SANDBOX it is not looked for: it would hide what is LIVE behind it. */
  const roomOf = (is_failing: boolean): Room => {
    const has_sandbox = roomFor({ environment: 'SANDBOX', is_failing }) > 0
    return {
      limit: Math.max(0, roomFor({ environment: 'LIVE', is_failing })),
      environments: has_sandbox ? ['LIVE', 'SANDBOX'] : ['LIVE'],
    }
  }

  const hasSlot = (environment: DueQueue['environment']) =>
    spare.LIVE + spare.SANDBOX < spare_max &&
    (environment === 'LIVE' || spare.SANDBOX < spare_max / 2)

  const drain = (queue: DueQueue, signal: AbortSignal) => {
    const { environment, is_failing } = queue
    const pool: WorkerPool = {
      signal,
      takeSlot() {
        const has_slot = hasSlot(environment)
        if (has_slot) spare[environment] += 1
        return has_slot
      },
      releaseSlot() {
        spare[environment] -= 1
      },
      noteAnswer: (is_slow) => slow.note(queue.webhook_id, is_slow),
      reportFailing() {
        mine.is_failing = true
        return roomFor(mine) < 0 ? 'leave' : 'stay'
      },
    }
    const work = drainQueue(deps, queue, pool)
      .catch((error: unknown) => {
        const { webhook_id } = queue
        deps.log.error({ err: error, webhook_id }, 'queue left; its lease ends by itself')
      })
      .finally(() => drains.delete(queue.webhook_id))
    const mine = { environment, is_failing, over: work }
    drains.set(queue.webhook_id, mine)
  }

  return {
    name: 'deliver-webhooks',
    async run({ signal }: JobContext) {
      const works = [...drains.values()].map(({ over }) => over)
      if (drains.size >= queues_max) await Promise.race(works)
      const rooms = { healthy: roomOf(false), failing: roomOf(true) }
      let is_left = false
      for (const queue of await listDueQueues(deps.db, rooms, slow.ids())) {
        if (drains.has(queue.webhook_id)) continue
        if (roomFor(queue) > 0) drain(queue, signal)
        else is_left = true
      }
      // With every place taken the next run waits for one; a queue that was left is found then.
      return drains.size >= queues_max || is_left ? 'more' : 'rest'
    },
    async finish() {
      await Promise.all([...drains.values()].map(({ over }) => over))
    },
  }
}
