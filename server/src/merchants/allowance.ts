// Calls of a minute that this process has claimed ahead, for merchants with a high limit (contract
// 3.6). Claimed calls are counted, so processes together never pass the limit; what one claims and
// does not use is lost to the others, so there is one block at a time and blocks shrink as the
// minute fills.

import type { Db } from '../platform/db.ts'
import { Refusal } from '../platform/errors.ts'
import type { Rate } from '../platform/http/route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { deleteOldWindows } from './call-count-store.ts'

/**
 * Above this many calls a minute they are claimed in blocks; up to it each is counted by itself.
 */
export const block_from = 3000
const block_max = 50
/** At most this part of what is left of the minute is claimed at once. */
const parts_of_the_rest = 60
const keys_max = 50_000

/** What is known of a merchant's minute. `left`: claimed ahead, not used yet. */
type Block = { minute_s: number; left: number; used: number; limit: number }

/** What one call is about to use: a place in a block, or so many of the counter. */
export type Draw = Readonly<{
  key: string
  block: Block | undefined
  take: number
  fetches: boolean
}>

/** The counter's answer to a call that went to it. */
export type Counted = Readonly<{
  merchant_id: string
  minute_s: number
  used: number
  taken: number
  limit: number
}>

export class Allowance {
  /** A key never changes its merchant, so this is never wrong. */
  readonly #merchants = new Map<string, string>()
  readonly #held = new Map<string, Block>()
  readonly #asking = new Set<string>()

  /** Every draw ends with `giveBack`, or with its call answered; then with `end`. */
  draw(key: string): Draw {
    const block = this.#held.get(this.#merchants.get(key) ?? '')
    if (block !== undefined && block.left > 0) {
      block.left -= 1
      return { key, block, take: 1, fetches: false }
    }
    // While one call fetches a block the others count themselves: a burst takes one, not many.
    const fetches = !this.#asking.has(key)
    if (fetches) this.#asking.add(key)
    return { key, block: undefined, take: fetches ? blockAfter(block) : 1, fetches }
  }

  /** The call was refused before it counted. */
  giveBack({ block }: Draw): void {
    if (block !== undefined) block.left += 1
  }

  end({ key, fetches }: Draw): void {
    if (fetches) this.#asking.delete(key)
  }

  /** Keeps what the call did not use itself, and what it learnt of the minute. */
  keep({ key }: Draw, { merchant_id, minute_s, used, taken, limit }: Counted): void {
    if (limit <= block_from) return
    if (this.#merchants.size >= keys_max) this.#merchants.clear()
    this.#merchants.set(key, merchant_id)
    const old = this.#held.get(merchant_id)
    if (old === undefined || old.minute_s < minute_s) {
      this.#forgetBefore(minute_s)
      this.#held.set(merchant_id, { minute_s, left: taken - 1, used, limit })
    } else if (old.minute_s === minute_s) {
      old.left += taken - 1
      old.used = Math.max(old.used, used)
      old.limit = limit
    }
  }

  #forgetBefore(minute_s: number): void {
    for (const [merchant_id, block] of this.#held) {
      if (block.minute_s < minute_s) this.#held.delete(merchant_id)
    }
  }
}

function blockAfter(block: Block | undefined): number {
  if (block === undefined) return block_max
  const part = Math.floor((block.limit - block.used) / parts_of_the_rest)
  return Math.max(1, Math.min(block_max, part))
}

// The refusal of a caller whose minute is used up: a 429 still shows their limits.

export class RateLimited extends Refusal {
  readonly rate: Rate

  constructor(rate: Rate) {
    super(accessErrors.rate_limited, { retry_after_s: rate.reset_s })
    this.rate = rate
  }
}

// Counters of minutes long gone, removed in one small statement.

export function dropOldWindows(db: Db): Promise<number> {
  return deleteOldWindows(db)
}
