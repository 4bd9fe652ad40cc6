// What the operator remembers of its orders. Beyond a number the oldest are let go, and at times
// what is older than anybody may ask about; never one that has something to come, a turn or a
// callback. What they moved stays in the sums. NOT guaranteed: that a journal which is read again
// leaves the very same of the oldest.

import { getHeapStatistics } from 'node:v8'
import { keyOf, type Operator, type Order, type OrderKey } from './order.ts'

/** Hundredths. */
export type Sum = Readonly<{ collected: bigint; paid: bigint }>

/** By operator and currency. */
export type Sums = Readonly<Record<Operator, Map<string, Sum>>>

/** SUCCESSFUL orders only. A refund leaves what was collected; it is no payout. */
function addMoved(sums: Sums, { operator, currency, kind, moved_amount }: Order): void {
  if (moved_amount === undefined) return
  const { collected, paid } = sums[operator].get(currency) ?? { collected: 0n, paid: 0n }
  const change = kind === 'REFUND' ? -moved_amount : moved_amount
  const isPayout = kind === 'PAYOUT'
  sums[operator].set(currency, {
    collected: isPayout ? collected : collected + change,
    paid: isPayout ? paid + change : paid,
  })
}

/** A collection can be given back for 180 days after it was paid (`refund_facts` of its client). */
const kept_ms = 200 * 24 * 3_600_000

/** An order takes about a kilobyte; half of what the process may have is left for all else. */
const most_default = Math.min(500_000, Math.floor(getHeapStatistics().heap_size_limit / 2_000))

/** What a journal has of it. */
export type Snapshot = Readonly<{ forgotten: Sums; orders: readonly Order[] }>

/** Every order that is remembered, as it is now. */
export class OrderMemory {
  /** In the order of their creation. */
  readonly #orders = new Map<string, Order>()
  readonly #keys_of_pages = new Map<string, string>()
  readonly #forgotten: Sums = { a: new Map(), b: new Map() }
  /** Above it the oldest are let go, until there are so many. */
  readonly most: number
  #sweep_at: number

  constructor(most = most_default) {
    this.most = most
    this.#sweep_at = this.#sweepAfter(most)
  }

  find(key: OrderKey): Order | undefined {
    return this.#orders.get(keyOf(key))
  }

  findByPage(page_token: string): Order | undefined {
    return this.#orders.get(this.#keys_of_pages.get(page_token) ?? '')
  }

  all(): IterableIterator<Order> {
    return this.#orders.values()
  }

  take(order: Order): void {
    const key = keyOf(order)
    this.#orders.set(key, order)
    if (order.page_token !== undefined) this.#keys_of_pages.set(order.page_token, key)
    if (this.#orders.size <= this.#sweep_at) return
    // The younger half of what may be kept stays in any case: a payer may still be on its way.
    let left = this.#orders.size - Math.floor(this.most / 2)
    for (const one of this.#orders.values()) {
      if (this.#orders.size <= this.most || left === 0) break
      left -= 1
      if (isOver(one)) this.#forget(one)
    }
    this.#sweep_at = this.#sweepAfter(this.#orders.size)
  }

  /** What was let go before, as a journal has it. */
  addForgotten(operator: Operator, currency: string, sum: Sum): void {
    this.#forgotten[operator].set(currency, sum)
  }

  /** All that it knows now, without what nobody may ask about any more. */
  snapshot(now_ms: number): Snapshot {
    for (const one of this.#orders.values()) {
      if (one.created_at < now_ms - kept_ms && isOver(one)) this.#forget(one)
    }
    this.#sweep_at = this.#sweepAfter(this.most)
    const { a, b } = this.#forgotten
    return { forgotten: { a: new Map(a), b: new Map(b) }, orders: [...this.#orders.values()] }
  }

  /** What the operator holds for its client. */
  sums(): Sums {
    const sums = { a: new Map(this.#forgotten.a), b: new Map(this.#forgotten.b) }
    for (const order of this.#orders.values()) addMoved(sums, order)
    return sums
  }

  /** So that not each order that is new looks at all that are kept. */
  #sweepAfter(size: number): number {
    return size + Math.ceil(this.most / 10)
  }

  #forget(order: Order): void {
    addMoved(this.#forgotten, order)
    this.#orders.delete(keyOf(order))
    if (order.page_token !== undefined) this.#keys_of_pages.delete(order.page_token)
  }
}

/** Nothing of it is still to come by itself. */
const isOver = ({ turns, calls }: Order): boolean => turns.length === 0 && calls.length === 0
