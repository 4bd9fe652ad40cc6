// One visit to one lane: what is due there is sent, few at a time, and recorded in batches. A try
// starts only with more lease left than it can take, so no other worker can send the same try while
// this one lives; after its death the tries that it had not recorded are made again.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Keyring } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db.ts'
import { type DueDelivery, isGone, type Receiver, type Try } from './delivery.ts'
import { firstWidth, nextWidth } from './lane-width.ts'
import { type SendDeps, sendTry } from './send-try.ts'
import {
  claimLane,
  type DueLane,
  type Ending,
  type Endpoint,
  keepLane,
  type LaneVisit,
  recordTries,
  renewLane,
} from './store.ts'
import { exhaustWaiting } from './switched-off/exhaust-waiting.ts'
import { sealedFor } from './webhook.ts'

export type VisitDeps = SendDeps &
  Readonly<{
    db: Db
    keyring: Keyring
    /** Longer than a try takes, with time to record it. */
    lease_ms: number
    /** After this a lane queues again behind the others. */
    visit_ms_max: number
  }>

/** What a visit asks of the crew it belongs to. */
export type Crew = Readonly<{
  signal: AbortSignal
  /** Room for one more try beside the one that each lane always may have. */
  takeRoom(): boolean
  giveRoom(): void
  /** The endpoint has begun to fail: too many such lanes at work, and this visit ends. */
  turnsFailing(): 'stay' | 'leave'
}>

/**
 * Of those that were asked for again few are taken at once, and only when nothing new is due: what
 * becomes due meanwhile waits for one try at most, and they share little of the crew's room.
 */
const again_max = 4
/** Tries are recorded when the batch is done, and meanwhile at least this often. */
const record_every_ms = 50
/** Left for recording after the longest try. */
const lease_reserve_ms = 1_000

/** Returns when the lane rests, was given back, or is another worker's. */
export async function visitLane(deps: VisitDeps, lane: DueLane, crew: Crew): Promise<void> {
  const began_ms = performance.now()
  const { lease_ms } = deps
  const again = Math.min(again_max, firstWidth(lane.is_failing))
  const visit = await claimLane(deps.db, { ...lane, lease_ms, again_max: again })
  if (visit === undefined) return
  await new Visit(deps, crew, { visit, began_ms }).run()
}

class Visit {
  readonly #deps: VisitDeps
  readonly #crew: Crew
  readonly #began_ms: number
  #visit: LaneVisit
  /** By this process's own clock, counted from before the statement that set it. */
  #lease_until_ms: number
  #is_ours = true
  #leaves = false
  #is_failing: boolean
  #width: number
  #running = new Set<Promise<void>>()
  #tries: Try[] = []
  #recorded_ms = 0

  constructor(deps: VisitDeps, crew: Crew, start: { visit: LaneVisit; began_ms: number }) {
    this.#deps = deps
    this.#crew = crew
    this.#visit = start.visit
    this.#began_ms = start.began_ms
    this.#lease_until_ms = start.began_ms + deps.lease_ms
    this.#is_failing = start.visit.endpoint.is_failing
    this.#width = firstWidth(this.#is_failing)
  }

  async run(): Promise<void> {
    const beat = setInterval(() => void this.#beat(), this.#deps.lease_ms / 3)
    try {
      await this.#visitOn()
    } finally {
      clearInterval(beat)
    }
  }

  async #visitOn(): Promise<void> {
    for (;;) {
      const { endpoint, due } = this.#visit
      const is_off = endpoint.is_deleted || !endpoint.is_active
      if (is_off) await exhaustWaiting(this.#deps.db, this.#visit.lane, () => this.#hasLease())
      if (!is_off) await this.#sendAll(due, openReceiver(this.#deps, this.#visit))
      if (!this.#is_ours) return
      const is_held = await this.#record(is_off ? 'off' : this.#mustEnd() ? 'requeue' : 'rest')
      if (!is_held || !(await this.#fetchNext())) return
    }
  }

  async #sendAll(due: readonly DueDelivery[], receiver: Receiver) {
    this.#recorded_ms = performance.now()
    for (const delivery of due) {
      while (this.#running.size >= this.#width) await this.#step()
      if (this.#mustEnd() || !(await this.#hasLease())) break
      await this.#start(delivery, receiver)
    }
    while (this.#running.size > 0) await this.#step()
  }

  /** The first try of a lane always has room; more of them share what the crew has to spare. */
  async #start(delivery: DueDelivery, receiver: Receiver) {
    let has_room = false
    while (this.#running.size > 0 && !has_room) {
      has_room = this.#crew.takeRoom()
      if (!has_room) await this.#step()
    }
    const running: Promise<void> = sendTry(this.#deps, receiver, delivery).then((one) => {
      if (has_room) this.#crew.giveRoom()
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
    if (acknowledged || this.#is_failing) return
    this.#is_failing = true
    if (this.#crew.turnsFailing() === 'leave') this.#leaves = true
  }

  /** Waits until a try has ended, or until those that have ended should be recorded. */
  async #step() {
    const due_in_ms = () => this.#recorded_ms + record_every_ms - performance.now()
    const waits = this.#tries.length === 0 ? [] : [sleep(Math.max(1, due_in_ms()))]
    await Promise.race([...this.#running, ...waits])
    if (this.#tries.length > 0 && due_in_ms() <= 0) await this.#record('keep')
  }

  #mustEnd(): boolean {
    const is_late = performance.now() - this.#began_ms > this.#deps.visit_ms_max
    return is_late || this.#leaves || !this.#is_ours || this.#crew.signal.aborted
  }

  /** A try may last longer than the lease: it is renewed under way. */
  async #beat(): Promise<void> {
    const has_most = this.#lease_until_ms - performance.now() > (this.#deps.lease_ms * 2) / 3
    if (has_most || !this.#is_ours) return
    // Without the database the lease runs out, and the next statement says so.
    await this.#renew().catch(() => undefined)
  }

  async #hasLease(): Promise<boolean> {
    return this.#lease_until_ms - performance.now() > lease_reserve_ms || this.#renew()
  }

  async #renew(): Promise<boolean> {
    const now_ms = performance.now()
    const { db, lease_ms } = this.#deps
    this.#is_ours = await renewLane(db, this.#visit.lane, lease_ms)
    this.#lease_until_ms = now_ms + lease_ms
    return this.#is_ours
  }

  /** True when we still hold the lane afterwards. */
  async #record(ending: Ending): Promise<boolean> {
    const tries = this.#tries
    this.#tries = []
    const { lease_ms, db } = this.#deps
    const { lane, marks } = this.#visit
    const now_ms = performance.now()
    const settled = await recordTries(db, lane, { tries, lease_ms, marks, ending })
    this.#is_ours = settled !== undefined
    this.#lease_until_ms = now_ms + lease_ms
    this.#recorded_ms = performance.now()
    return settled?.is_held ?? false
  }

  async #fetchNext(): Promise<boolean> {
    const { lease_ms, db } = this.#deps
    const now_ms = performance.now()
    const again = Math.min(again_max, this.#width)
    const next = await keepLane(db, { ...this.#visit.lane, lease_ms, again_max: again })
    if (next === undefined) return false
    this.#visit = next
    this.#lease_until_ms = now_ms + lease_ms
    return true
  }
}

function openReceiver({ keyring }: VisitDeps, { lane, endpoint }: LaneVisit): Receiver {
  const open = (sealed: Endpoint['sealed_secret']) =>
    keyring.unseal(sealed, sealedFor(lane.webhook_id))
  const { url, environment, sealed_secret, sealed_next_secret } = endpoint
  const receiver = { url, environment, secret: open(sealed_secret) }
  return sealed_next_secret === null
    ? receiver
    : { ...receiver, next_secret: open(sealed_next_secret) }
}
