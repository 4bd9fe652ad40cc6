// How often an operator is asked: within this process by a window that slides, over all processes
// by shares (`pace-leases.ts`). Law: in no second are there more questions than the operator
// allows; a question that finds no place in its time is not sent.

/** Of other processes' rows and our own; times from now in milliseconds, by one clock. */
export type PaceRow = Readonly<{
  process: string
  share: number
  former_share: number
  former_in_ms: number
  lease_in_ms: number
}>

/** A little longer than a second: what left in two of them may arrive in one. */
const windowMs = 1_100
/** For so long after a share is lost, its questions may still be on their way. */
export const onItsWayMs = 2_000
export const leaseMs = 15_000
export const renewMs = 5_000
/** Without a share, it is asked for again after this time. */
const askAgainMs = 500
const pauseMostMs = 60_000
/** For how long half of a share is used after the operator said that it was asked too often. */
const carefulMs = 10_000

const countedOf = ({ share, former_share, former_in_ms, lease_in_ms }: PaceRow): number => {
  if (lease_in_ms + onItsWayMs <= 0) return 0
  return former_in_ms > 0 ? Math.max(share, former_share) : share
}

/**
 * The share of `process`: an equal part of what is allowed, but for a fifth that is kept for
 * whoever comes next, and never more than the others have left.
 */
export function grantOf(rows: readonly PaceRow[], process: string, allowed: number): number {
  const others = rows.filter((row) => row.process !== process)
  const live = [...others.filter(({ lease_in_ms }) => lease_in_ms > 0), { process }]
  const rank = live.filter((row) => row.process < process).length
  const shared = allowed - Math.floor(allowed / 5)
  const fair = Math.floor(shared / live.length) + (rank < shared % live.length ? 1 : 0)
  const left = allowed - others.reduce((sum, row) => sum + countedOf(row), 0)
  return Math.max(0, Math.min(Math.max(fair, 1), left))
}

/** `former_ms`: for so long what it had counts beside its share; null: as it was. */
export type NextPace = Readonly<{ share: number; former_share: number; former_ms: number | null }>

/** What the row of `process` becomes. A lost share counts until nothing of it is under way. */
export function nextPace(rows: readonly PaceRow[], process: string, allowed: number): NextPace {
  const own = rows.find((row) => row.process === process)
  const share = grantOf(rows, process, allowed)
  const had = own === undefined || own.lease_in_ms + onItsWayMs <= 0 ? 0 : own.share
  const former = own !== undefined && own.former_in_ms > 0 ? own.former_share : 0
  if (had <= share) return { share, former_share: former, former_ms: null }
  return { share, former_share: Math.max(had, former), former_ms: onItsWayMs }
}

export type Pacer = Readonly<{
  /** False when it is not its turn by then. By the pacer's clock, milliseconds. */
  take(until: number): Promise<boolean>
  /** The operator was asked too often; `retry_after_s`: for how long it wants to be left alone. */
  slowDown(retry_after_s: number | undefined): void
}>

export type PacerDeps = Readonly<{
  /** A clock that only goes forward, in milliseconds. */
  now: () => number
  sleep: (ms: number) => Promise<void>
  /** Asks for a share, which is good for `leaseMs` from before it was asked for. */
  claim: () => Promise<number>
  /** Told of each claim that failed: without a share nothing is asked, and nobody sees why. */
  onFault: (err: unknown) => void
}>

export function newPacer({ now, sleep, claim, onFault }: PacerDeps): Pacer {
  let share = 0
  let good_until = Number.NEGATIVE_INFINITY
  let renew_at = Number.NEGATIVE_INFINITY
  let paused_until = Number.NEGATIVE_INFINITY
  let careful_until = Number.NEGATIVE_INFINITY
  let under_way: Promise<void> | undefined
  let left: number[] = []

  const renewOnce = (): Promise<void> => {
    const began = now()
    under_way ??= claim()
      .then((granted) => {
        share = granted
        good_until = began + leaseMs
        renew_at = began + (granted === 0 ? askAgainMs : renewMs)
      })
      .catch((err: unknown) => {
        renew_at = began + askAgainMs
        onFault(err)
      })
      .finally(() => {
        under_way = undefined
      })
    return under_way
  }

  /** When the next question may leave; undefined: now. */
  function waitingFor(at: number): number | undefined {
    if (paused_until > at) return paused_until
    if (good_until <= at || share === 0) return at + askAgainMs
    const usable = careful_until > at ? Math.max(1, Math.floor(share / 2)) : share
    left = left.filter((one) => one > at - windowMs)
    const oldest = left.at(-usable)
    return oldest === undefined ? undefined : oldest + windowMs
  }

  return {
    async take(until) {
      for (;;) {
        if (renew_at <= now()) {
          // The old share is good until the new one is there.
          const renewing = renewOnce()
          if (good_until <= now() || share === 0) await renewing
        }
        const at = now()
        const next = waitingFor(at)
        if (next === undefined) {
          left.push(at)
          return true
        }
        if (next >= until) return false
        await sleep(Math.max(next - at, 1))
      }
    },
    slowDown(retry_after_s) {
      const pause_ms = Math.min((retry_after_s ?? 1) * 1000, pauseMostMs)
      paused_until = Math.max(paused_until, now() + pause_ms)
      careful_until = paused_until + carefulMs
    },
  }
}
