// How often an operator is asked and sent anything, and how many calls are under way there at once:
// within this process by windows that slide and a count, over all processes by shares
// (`pace-leases.ts`). Law: there is never more than is allowed; what finds no place in its time is
// not sent.

import type { GatewayFacts } from './gateway.ts'

/** What counts: questions and creates a second, and calls of any kind that are under way. */
const paceKinds = ['asks', 'creates', 'open'] as const
export type PaceKind = (typeof paceKinds)[number]

/** What an account may be sent. Null: as much as there is. */
export type Paces = Readonly<Record<PaceKind, number | null>>

/** What is usual at an operator. */
export type UsualPaces = Pick<
  GatewayFacts,
  'queries_per_second' | 'creates_per_second' | 'open_calls'
>

/** What was agreed on with it for an account; what is null or absent is as usual. */
export type AgreedPaces = Readonly<{
  asks_per_s?: number | null
  creates_per_s?: number | null
  open_calls?: number | null
}>

export const pacesOf = (usual: UsualPaces, agreed: AgreedPaces): Paces => ({
  asks: agreed.asks_per_s ?? usual.queries_per_second,
  creates: agreed.creates_per_s ?? usual.creates_per_second ?? null,
  open: agreed.open_calls ?? usual.open_calls ?? null,
})

/** The same of one process. */
export type Shares = Readonly<Record<PaceKind, number>>

/** A share of one kind: of other processes' rows and our own; times from now, by one clock. */
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
const onItsWayMs = 2_000
export const leaseMs = 15_000
const renewMs = 5_000
/** Without a share, it is asked for again after this time. */
const askAgainMs = 500
const pauseMostMs = 60_000
/** For how long half of a share is used after the operator said that it was asked too often. */
const carefulMs = 10_000

const countedOf = (row: PaceRow, gone_ms: number): number => {
  const { share, former_share, former_in_ms, lease_in_ms } = row
  if (lease_in_ms + gone_ms <= 0) return 0
  return former_in_ms > 0 ? Math.max(share, former_share) : share
}

/**
 * The share of `process`: an equal part of what is allowed, but for a fifth that is kept for
 * whoever comes next, and never more than the others have left. `gone_ms`: for so long after its
 * lease what a process had counts.
 */
function grantOf(
  rows: readonly PaceRow[],
  process: string,
  allowed: number,
  gone_ms = onItsWayMs,
): number {
  const others = rows.filter((row) => row.process !== process)
  const live = [...others.filter(({ lease_in_ms }) => lease_in_ms > 0), { process }]
  const rank = live.filter((row) => row.process < process).length
  const shared = allowed - Math.floor(allowed / 5)
  const fair = Math.floor(shared / live.length) + (rank < shared % live.length ? 1 : 0)
  const left = allowed - others.reduce((sum, row) => sum + countedOf(row, gone_ms), 0)
  return Math.max(0, Math.min(Math.max(fair, 1), left))
}

/** `former_ms`: for so long what it had counts beside its share; null: as it was. */
export type NextPace = Readonly<{ share: number; former_share: number; former_ms: number | null }>

/** What the row of `process` becomes. A lost share counts until nothing of it is under way. */
function nextPace(rows: readonly PaceRow[], process: string, allowed: number): NextPace {
  const own = rows.find((row) => row.process === process)
  const share = grantOf(rows, process, allowed)
  const had = own === undefined || own.lease_in_ms + onItsWayMs <= 0 ? 0 : own.share
  const former = own !== undefined && own.former_in_ms > 0 ? own.former_share : 0
  if (had <= share) return { share, former_share: former, former_ms: null }
  return { share, former_share: Math.max(had, former), former_ms: onItsWayMs }
}

/** Of calls that are under way: what a process may have open counts until it says otherwise. */
export type OpenPace = Readonly<{
  allowed: number
  /** What the process has under way, or may begin before it learns of its new share. */
  may_have: number
  /** How long a call lasts at most. Milliseconds. */
  lasts_ms: number
}>

function nextOpen(
  rows: readonly PaceRow[],
  process: string,
  { allowed, may_have, lasts_ms }: OpenPace,
): Omit<NextPace, 'former_ms'> {
  const share = grantOf(rows, process, allowed, lasts_ms + onItsWayMs)
  return { share, former_share: may_have > share ? may_have : 0 }
}

/** A process's shares of everything; `share` and `former_share` are of questions. */
export type PaceShares = PaceRow &
  Readonly<{
    create_share: number
    former_create_share: number
    open_share: number
    former_open_share: number
  }>

export type Claiming = Readonly<{ process: string; paces: Paces }> & Omit<OpenPace, 'allowed'>

/** What the whole row of `process` becomes; 0 where nothing is limited. */
export function nextRow(rows: readonly PaceShares[], claiming: Claiming) {
  const { process, paces, may_have, lasts_ms } = claiming
  const { open: allowed } = paces
  const rate = (kind: 'asks' | 'creates') => {
    const most = paces[kind]
    return most === null ? unlimited : nextPace(rows.map(shareOf[kind]), process, most)
  }
  const [asks, creates] = [rate('asks'), rate('creates')]
  const open =
    allowed === null
      ? unlimited
      : nextOpen(rows.map(shareOf.open), process, { allowed, may_have, lasts_ms })
  return {
    ...{ share: asks.share, former_share: asks.former_share },
    ...{ create_share: creates.share, former_create_share: creates.former_share },
    ...{ open_share: open.share, former_open_share: open.former_share },
    lost_ms: asks.former_ms ?? creates.former_ms,
  }
}

const unlimited = { share: 0, former_share: 0, former_ms: null } as const

const shareOf: Readonly<Record<PaceKind, (row: PaceShares) => PaceRow>> = {
  asks: (row) => row,
  creates: (row) => ({ ...row, share: row.create_share, former_share: row.former_create_share }),
  // What it may still have under way counts until it says otherwise.
  open: (row) => ({
    ...row,
    ...{ share: row.open_share, former_share: row.former_open_share },
    former_in_ms: Number.POSITIVE_INFINITY,
  }),
}

/** Ends a call: its place is free again. */
export type Release = () => void

/** `other`: a token and the like, which is neither; it is under way like any call. */
export type CallKind = 'ask' | 'create' | 'other'

export type Pacer = Readonly<{
  /** Undefined when it is not its turn by then. By the pacer's clock, milliseconds. */
  take(kind: CallKind, until: number): Promise<Release | undefined>
  /** The operator was asked too often; `retry_after_s`: for how long it wants to be left alone. */
  slowDown(retry_after_s: number | undefined): void
  /** What is allowed from now on; a share that is there is good for as much at most. */
  allow(paces: Paces): void
}>

export type PacerDeps = Readonly<{
  /** A clock that only goes forward, in milliseconds. */
  now: () => number
  sleep: (ms: number) => Promise<void>
  /**
   * Asks for shares, which are good for `leaseMs` from before they were asked for. `may_have`:
   * what is under way, or may begin meanwhile.
   */
  claim: (paces: Paces, may_have: number) => Promise<Shares>
  /** Called for each claim that failed: without a share nothing is asked, and nobody sees why. */
  onFault: (err: unknown) => void
}>

const never = Number.NEGATIVE_INFINITY
const none: Shares = { asks: 0, creates: 0, open: 0 }
const rateOf = { ask: 'asks', create: 'creates', other: undefined } as const

/** What one process holds of an account's shares, and until when. */
function newHolding({ now, claim, onFault }: PacerDeps) {
  let shares = none
  let paces: Paces = { asks: null, creates: null, open: null }
  let good_until = never
  let renew_at = never
  let under_way: Promise<void> | undefined
  const isGood = () => good_until > now()

  async function claimOnce(may_have: number): Promise<void> {
    const [began, wanted] = [now(), paces]
    try {
      shares = await claim(wanted, may_have)
      good_until = began + leaseMs
      const lacks = paceKinds.some((kind) => wanted[kind] !== null && shares[kind] === 0)
      const again_at = began + (lacks ? askAgainMs : renewMs)
      renew_at = wanted === paces ? again_at : never
    } catch (err) {
      // Others may count on less than we had: what was written is not known.
      good_until = never
      renew_at = began + askAgainMs
      onFault(err)
    } finally {
      under_way = undefined
    }
  }

  return {
    isGood,
    limitOf: (kind: PaceKind) => paces[kind],
    shareOf: (kind: PaceKind) => Math.min(shares[kind], paces[kind] ?? 0),
    isDue: () => renew_at <= now(),
    renew(open: number): Promise<void> {
      under_way ??= claimOnce(isGood() ? Math.max(open, shares.open) : open)
      return under_way
    },
    allow(next: Paces): void {
      if (paceKinds.every((kind) => next[kind] === paces[kind])) return
      paces = next
      renew_at = never
    },
  }
}

type Needs = Readonly<{ rate: 'asks' | 'creates' | undefined; place: boolean }>

export function newPacer(deps: PacerDeps): Pacer {
  const { now, sleep } = deps
  const holding = newHolding(deps)
  const left: Record<'asks' | 'creates', number[]> = { asks: [], creates: [] }
  const places = newPlaces(sleep)
  let paused_until = never
  let careful_until = never

  const needsOf = (kind: CallKind): Needs => {
    const rate = rateOf[kind]
    return {
      rate: rate !== undefined && holding.limitOf(rate) !== null ? rate : undefined,
      place: holding.limitOf('open') !== null,
    }
  }

  const lacks = ({ rate, place }: Needs): boolean =>
    !holding.isGood() ||
    (rate !== undefined && holding.shareOf(rate) === 0) ||
    (place && holding.shareOf('open') === 0)

  /** When the next one of this kind may leave; undefined: now. */
  function rateAt(kind: 'asks' | 'creates', at: number): number | undefined {
    if (paused_until > at) return paused_until
    const share = holding.shareOf(kind)
    const usable = careful_until > at ? Math.max(1, Math.floor(share / 2)) : share
    left[kind] = left[kind].filter((one) => one > at - windowMs)
    const oldest = left[kind].at(-usable)
    return oldest === undefined ? undefined : oldest + windowMs
  }

  async function renewed(needs: Needs): Promise<void> {
    if (!holding.isDue() || (needs.rate === undefined && !needs.place)) return
    // The old share is good until the new one is there.
    const renewing = holding.renew(places.open())
    if (lacks(needs)) await renewing
  }

  return {
    async take(kind, until) {
      for (;;) {
        await renewed(needsOf(kind))
        const needs = needsOf(kind)
        const at = now()
        const limited = needs.rate !== undefined || needs.place
        const rate_at = needs.rate === undefined ? undefined : rateAt(needs.rate, at)
        const next = limited && lacks(needs) ? at + askAgainMs : rate_at
        const isFull = needs.place && places.open() >= holding.shareOf('open')
        if (next === undefined && !isFull) {
          if (needs.rate !== undefined) left[needs.rate].push(at)
          return places.occupy()
        }
        if ((next ?? at) >= until) return undefined
        if (next !== undefined) await sleep(Math.max(next - at, 1))
        else await places.freed(Math.min(askAgainMs, until - at))
      }
    },
    slowDown(retry_after_s) {
      const pause_ms = Math.min((retry_after_s ?? 1) * 1000, pauseMostMs)
      paused_until = Math.max(paused_until, now() + pause_ms)
      careful_until = paused_until + carefulMs
    },
    allow: holding.allow,
  }
}

/** Calls of this process that are under way, and who waits for the end of one, in turn. */
function newPlaces(sleep: PacerDeps['sleep']) {
  const waiting: Release[] = []
  let open = 0
  return {
    open: () => open,
    occupy(): Release {
      open += 1
      return once(() => {
        open -= 1
        waiting.shift()?.()
      })
    },
    async freed(at_most_ms: number): Promise<void> {
      let wake: Release = () => undefined
      const free = new Promise<void>((resolve) => {
        wake = resolve
      })
      waiting.push(wake)
      await Promise.race([sleep(at_most_ms), free])
      const at = waiting.indexOf(wake)
      if (at >= 0) waiting.splice(at, 1)
    },
  }
}

function once(work: Release): Release {
  let done = false
  return () => {
    if (!done) work()
    done = true
  }
}
