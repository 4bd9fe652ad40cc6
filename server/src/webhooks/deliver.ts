// The pool that drains the endpoints' queues. Queues do not wait for each other: each has its own
// place, and a slot for one try at any time, so one endpoint's behaviour costs the others nothing.

import type { Job, JobContext } from '../platform/jobs/worker.ts'
import { type DrainDeps, drainQueue, type WorkerPool } from './drain-queue.ts'
import { type DueQueue, listDueQueues } from './queue-store.ts'
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
/** The others always find a place: endpoints that fail, or are slow, may take only so many. */
const failing_queues_max = 100

/** `deliver-webhooks`: finds queues with due deliveries and drains each in the background. */
export function deliverWebhooks({ clockwork, ...rest }: DeliverDeps): Job {
  const deps: DrainDeps = { ...rest, ...usual, ...clockwork }
  const drains = new Map<string, { queue: DueQueue; is_failing: boolean; over: Promise<void> }>()
  const slow = new SlowEndpoints()
  let slots = in_flight_max - queues_max

  const failing = () => [...drains.values()].filter((drain) => drain.is_failing).length

  const drain = (queue: DueQueue, signal: AbortSignal) => {
    const pool: WorkerPool = {
      signal,
      takeSlot: () => slots > 0 && slots-- > 0,
      releaseSlot: () => void slots++,
      noteAnswer: (is_slow) => slow.note(queue.webhook_id, is_slow),
      reportFailing() {
        mine.is_failing = true
        return failing() > failing_queues_max ? 'leave' : 'stay'
      },
    }
    const work = drainQueue(deps, queue, pool)
      .catch((error: unknown) => {
        const { webhook_id } = queue
        deps.log.error({ err: error, webhook_id }, 'queue left; its lease ends by itself')
      })
      .finally(() => drains.delete(queue.webhook_id))
    const mine = { queue, is_failing: queue.is_failing, over: work }
    drains.set(queue.webhook_id, mine)
  }

  return {
    name: 'deliver-webhooks',
    async run({ signal }: JobContext) {
      const works = [...drains.values()].map(({ over }) => over)
      if (drains.size >= queues_max) await Promise.race(works)
      const limits = {
        healthy: queues_max - drains.size,
        failing: Math.max(0, Math.min(failing_queues_max - failing(), queues_max - drains.size)),
      }
      const queues = await listDueQueues(deps.db, limits, slow.ids())
      for (const queue of queues) {
        if (drains.size < queues_max && !drains.has(queue.webhook_id)) drain(queue, signal)
      }
      // With every place taken the next run waits for one; a queue that was left is found then.
      return drains.size >= queues_max ? 'more' : 'rest'
    },
    async finish() {
      await Promise.all([...drains.values()].map(({ over }) => over))
    },
  }
}
