// When a route is left because it is dead, and how it is tried again. Pure. Law: five failures in a
// row leave a route that usually works; one that fails half of the time is ill, not dead, and is
// judged by its share (`success-share.ts`), so it does not go and come every minute. Broken, it is
// tried again by one payment at a time, never by a payout.

export type Breaker = Readonly<{
  /** Failures since the last call that worked. */
  failures: number
  /** Share of calls that work, 0 to 1, as of the last that did; it follows the last hundred. */
  share: number
  /** The same as it would be now. */
  share_now: number
  /** Null: it is well. Milliseconds since 1970, as all times here. */
  broken_since: number | null
  /** Left out until then; from then on it is to be tried. */
  open_until: number
  /** How often in a row it was found broken: each rest is twice as long. */
  openings: number
  reason: string
  /** A payment is trying it; after this time another may. */
  probing_until: number
  /** When it last turned broken or well; an opening soon after is the same trouble. */
  turned_at: number
}>

export const soundBreaker: Breaker = {
  ...{ failures: 0, share: 0.95, share_now: 0.95 },
  ...{ broken_since: null, open_until: 0, openings: 0, reason: '', probing_until: 0 },
  turned_at: Number.NEGATIVE_INFINITY,
}

const rowLeast = 5
const rowMost = 20
/** A row of failures that chance makes so rarely is no chance. */
const chance = 1e-5
const memory = 100
const restMs = 30_000
/** Four minutes, so that a network that works again is shown within five. */
const restMostMs = 240_000
const sameTroubleMs = 600_000
export const probeMs = 30_000

/** How many failures in a row leave a route that works in this share of calls. */
export function rowNeeded(share: number): number {
  const failing = Math.min(Math.max(1 - share, 1e-9), 1 - 1e-9)
  const needed = Math.ceil(Math.log(chance) / Math.log(failing))
  return Math.min(Math.max(needed, rowLeast), rowMost)
}

export const restAfter = (openings: number): number =>
  Math.min(restMs * 2 ** Math.max(openings - 1, 0), restMostMs)

/** What a call makes of it; `failed`: why, or undefined where it worked. */
export function noteCall(breaker: Breaker, failed: string | undefined, now: number): Breaker {
  const share_now =
    breaker.share_now + ((failed === undefined ? 1 : 0) - breaker.share_now) / memory
  if (failed === undefined) return worked({ ...breaker, share_now }, now)
  const failures = breaker.failures + 1
  const next = { ...breaker, failures, share_now }
  if (breaker.broken_since === null) {
    return failures < rowNeeded(breaker.share) ? next : opened(next, failed, now)
  }
  // What was under way when it was left says nothing new; a trial that failed does.
  return now < breaker.open_until ? next : opened(next, failed, now)
}

function worked(breaker: Breaker, now: number): Breaker {
  const well = { ...breaker, failures: 0, share: breaker.share_now, probing_until: 0 }
  if (breaker.broken_since === null) return well
  return { ...well, broken_since: null, open_until: 0, reason: '', turned_at: now }
}

function opened(breaker: Breaker, failed: string, now: number): Breaker {
  const { broken_since, turned_at } = breaker
  const isSame = broken_since !== null || now - turned_at < sameTroubleMs
  const openings = isSame ? breaker.openings + 1 : 1
  return {
    ...breaker,
    ...{ openings, broken_since: broken_since ?? now, open_until: now + restAfter(openings) },
    ...{ probing_until: 0, turned_at: now },
    reason: `${breaker.failures} failures in a row, the last: ${failed}`,
  }
}

/** Whether it is time to try it again, and nobody is about to. */
export const mayProbe = ({ broken_since, open_until, probing_until }: Breaker, now: number) =>
  broken_since !== null && open_until <= now && probing_until <= now
