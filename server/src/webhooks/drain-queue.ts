// Drains one endpoint's queue: sends what is due there, few at a time, and records it in batches. A
// try starts only with more lease left than it can take, so no other worker can send the same try
// while this one lives; after its death the tries that it had not recorded are made again.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Keyring } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db.ts'
import { type DueDelivery, isGone, type Receiver, type Try } from './delivery.ts'
import {
  claimQueue,
  continueQueue,
  type DueQueue,
  type Endpoint,
  type LeasedQueue,
  renewQueue,
} from './queue-store.ts'
import { exhaustWaiting } from './registrations/switched-off.ts'
import { type SendDeps, sendTry } from './send-try.ts'
import { type Ending, recordTries } from './try-store.ts'
import { sealedFor } from './webhook.ts'

// How many tries of one endpoint run at once. Fast answers widen its queue, failures and slow
// answers narrow it: a failing endpoint is not hammered, a slow one takes no slots from the others.

export const width_max = 16

const fast_ms = 1_000
const slow_ms = 3_000

export const firstWidth = (is_failing: boolean): number => (is_failing ? 1 : width_max)

export function nextWidth(
  width: number,
  { acknowledged, took_ms }: { acknowledged: boolean; took_ms: number },
): number {
  if (!acknowledged) return 1
  if (took_ms > slow_ms) return Math.max(1, Math.floor(width / 2))
  return took_ms < fast_ms ? Math.min(width_max, width * 2) : width
}

export type DrainDeps = SendDeps &
  Readonly<{
    db: Db
    keyring: Keyring
    /** Longer than a try takes, with time to record it. */
    lease_ms: number
    /** After this time a queue goes to the end of the line behind the others. */
    drain_ms_max: number
  }>

/** What a drain needs of the pool it belongs to. */
export type WorkerPool = Readonly<{
  signal: AbortSignal
  /** A slot for one more try beside the one that each queue always may have. */
  takeSlot(): boolean
  releaseSlot(): void
  /** Called with each answer, or its absence: whether it took long. */
  noteAnswer(is_slow: boolean): void
  /** It has begun to fail, or is slow: where too many such queues are at work, this drain ends. */
  reportFailing(): 'stay' | 'leave'
}>

/**
 * Few of the requested repeats are taken at once, and only when nothing new is due: what becomes
 * due meanwhile waits for one try at most, and they share few of the pool's slots.
 */
const again_max = 4
/** Tries are recorded when the batch is done, and meanwhile at least this often. */
const record_every_ms = 50
/** Left for recording after the longest try. */
const lease_reserve_ms = 1_000

/** Returns when the queue rests, was given back, or belongs to another worker. */
export async function drainQueue(
  deps: DrainDeps,
  queue: DueQueue,
  pool: WorkerPool,
): Promise<void> {
  const began_ms = performance.now()
  const { lease_ms } = deps
  const resends_max = Math.min(again_max, firstWidth(queue.is_failing))
  const leased = await claimQueue(deps.db, { ...queue, lease_ms, again_max: resends_max })
  if (leased === undefined) return
  await new Drain(deps, pool, { leased, began_ms }).run()
}

class Drain {
  readonly #deps: DrainDeps
  readonly #pool: WorkerPool
  readonly #began_ms: number
  #queue: LeasedQueue
  /** By this process's own clock, counted from before the statement that set it. */
  #lease_until_ms: number
  #is_ours = true
  #leaves = false
  /** The endpoint is no longer as we read it: the rest of the batch is read anew with it. */
  #is_changed = false
  #is_failing: boolean
  #width: number
  #running = new Set<Promise<void>>()
  #tries: Try[] = []
  #recorded_ms = 0

  constructor(deps: DrainDeps, pool: WorkerPool, start: { leased: LeasedQueue; began_ms: number }) {
    this.#deps = deps
    this.#pool = pool
    this.#queue = start.leased
    this.#began_ms = start.began_ms
    this.#lease_until_ms = start.began_ms + deps.lease_ms
    this.#is_failing = start.leased.endpoint.is_failing
    this.#width = firstWidth(this.#is_failing)
  }

  async run(): Promise<void> {
    const heartbeat = setInterval(() => void this.#keepLease(), this.#deps.lease_ms / 3)
    try {
      await this.#drainAll()
    } finally {
      clearInterval(heartbeat)
    }
  }

  async #drainAll(): Promise<void> {
    for (;;) {
      const { endpoint, due } = this.#queue
      const is_off = endpoint.is_deleted || !endpoint.is_active
      if (is_off) await exhaustWaiting(this.#deps.db, this.#queue.lease, () => this.#hasLease())
      if (!is_off) await this.#sendAll(due, openReceiver(this.#deps, this.#queue))
      if (!this.#is_ours) return
      const is_ours = await this.#record(is_off ? 'off' : this.#mustEnd() ? 'requeue' : 'rest')
      if (!is_ours || !(await this.#fetchNext())) return
    }
  }

  async #sendAll(due: readonly DueDelivery[], receiver: Receiver) {
    this.#recorded_ms = performance.now()
    for (const delivery of due) {
      while (this.#running.size >= this.#width) await this.#step()
      if (!this.#goesOn() || !(await this.#hasLease())) break
      const has_slot = await this.#takeSlot()
      if (this.#goesOn()) this.#start(delivery, receiver, has_slot)
      else if (has_slot) this.#pool.releaseSlot()
    }
    while (this.#running.size > 0) await this.#step()
  }

  /** The first try of a queue always has a slot; more of them share the pool's spare ones. */
  async #takeSlot(): Promise<boolean> {
    while (this.#running.size > 0) {
      if (this.#pool.takeSlot()) return true
      await this.#step()
    }
    return false
  }

  #start(delivery: DueDelivery, receiver: Receiver, has_slot: boolean) {
    const running: Promise<void> = sendTry(this.#deps, receiver, delivery).then((one) => {
      if (has_slot) this.#pool.releaseSlot()
      this.#running.delete(running)
      this.#note(one)
    })
    this.#running.add(running)
  }

  #note(one: Try) {
    const acknowledged = one.status === 'SUCCESS'
    this.#tries.push(one)
    this.#width = nextWidth(this.#width, { acknowledged, took_ms: one.took_ms })
    if (isGone(one)) this.#leaves = true
    const is_slow = one.took_ms > slow_ms
    this.#pool.noteAnswer(is_slow)
    if ((acknowledged && !is_slow) || this.#is_failing) return
    this.#is_failing = true
    if (this.#pool.reportFailing() === 'leave') this.#leaves = true
  }

  /** Waits until a try has ended, or until those that have ended should be recorded. */
  async #step() {
    const due_in_ms = () => this.#recorded_ms + record_every_ms - performance.now()
    const waits = this.#tries.length === 0 ? [] : [sleep(Math.max(1, due_in_ms()))]
    await Promise.race([...this.#running, ...waits])
    if (this.#tries.length > 0 && due_in_ms() <= 0) await this.#record('keep')
  }

  /** Whether the rest of the batch is sent. */
  #goesOn(): boolean {
    return !this.#mustEnd() && !this.#is_changed
  }

  #mustEnd(): boolean {
    const is_late = performance.now() - this.#began_ms > this.#deps.drain_ms_max
    return is_late || this.#leaves || !this.#is_ours || this.#pool.signal.aborted
  }

  /** A try may last longer than the lease: it is renewed under way. */
  async #keepLease(): Promise<void> {
    const has_most = this.#lease_until_ms - performance.now() > (this.#deps.lease_ms * 2) / 3
    if (has_most || !this.#is_ours) return
    // Without the database the lease runs out, and the next statement shows it.
    await this.#renew().catch(() => undefined)
  }

  async #hasLease(): Promise<boolean> {
    return this.#lease_until_ms - performance.now() > lease_reserve_ms || this.#renew()
  }

  async #renew(): Promise<boolean> {
    const now_ms = performance.now()
    const { db, lease_ms } = this.#deps
    this.#is_ours = await renewQueue(db, this.#queue.lease, lease_ms)
    this.#lease_until_ms = now_ms + lease_ms
    return this.#is_ours
  }

  /** True when the queue is still ours afterwards. */
  async #record(ending: Ending): Promise<boolean> {
    const tries = this.#tries
    this.#tries = []
    const { lease_ms, db } = this.#deps
    const { lease, marks, endpoint } = this.#queue
    const { url, updated_at } = endpoint
    const now_ms = performance.now()
    const recording = { tries, lease_ms, marks, ending, url, updated_at }
    const recorded = await recordTries(db, lease, recording)
    this.#is_ours = recorded !== undefined
    this.#is_changed = recorded?.is_changed ?? false
    this.#lease_until_ms = now_ms + lease_ms
    this.#recorded_ms = performance.now()
    return recorded?.is_ours ?? false
  }

  async #fetchNext(): Promise<boolean> {
    const { lease_ms, db } = this.#deps
    const now_ms = performance.now()
    const resends_max = Math.min(again_max, this.#width)
    const next = await continueQueue(db, { ...this.#queue.lease, lease_ms, again_max: resends_max })
    if (next === undefined) return false
    this.#queue = next
    this.#is_changed = false
    this.#lease_until_ms = now_ms + lease_ms
    return true
  }
}

function openReceiver({ keyring }: DrainDeps, { lease, endpoint }: LeasedQueue): Receiver {
  const open = (sealed: Endpoint['sealed_secret']) =>
    keyring.unseal(sealed, sealedFor(lease.webhook_id))
  const { url, environment, sealed_secret, sealed_next_secret } = endpoint
  const receiver = { url, environment, secret: open(sealed_secret) }
  return sealed_next_secret === null
    ? receiver
    : { ...receiver, next_secret: open(sealed_next_secret) }
}
