// A merchant's day at a glance: what ended today until now beside the same weekday a week before
// until the same moment, by country and network, and what waits. Nothing is summed over currencies.

import type { Availability, AvailabilityNow } from '../../gateways/availability.ts'
import type { Balance } from '../../ledger/store.ts'
import { listBalances } from '../../ledger/store.ts'
import type { Db } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import type { Hour, HoursOf, Owner } from './hours.ts'
import {
  type EndedLine,
  findOpenThings,
  findTwoDays,
  listPending,
  type OpenThings,
  type PendingLine,
  type TwoDays,
} from './store.ts'

/** Sums in hundredths of one country's currency. */
export type Totals = Readonly<{
  /** Payments that were paid. */
  succeeded: number
  /** Payments that ended; one that failed and was paid after all ended twice. */
  ended: number
  taken: bigint
  /** Payouts that were paid. */
  payouts: number
  paid_out: bigint
  fees: bigint
}>

export type NetworkToday = Pick<Totals, 'succeeded' | 'ended' | 'taken'> &
  Readonly<{
    network: string
    pending: Readonly<{ count: number; amount: bigint; oldest_at: Date | null }>
  }>

export type Point = Readonly<{ at: Date; succeeded: number; taken: bigint; compared: bigint }>

export type CountryToday = Readonly<{
  country: string
  currency: string
  today: Totals
  compared: Totals
  points: readonly Point[]
  networks: readonly NetworkToday[]
  /** How many payments failed today, for whatever reason. */
  failed: number
  /** The commonest first. */
  failures: readonly Readonly<{ code: string; count: number }>[]
}>

export type Overview = Readonly<{
  days: TwoDays
  countries: readonly CountryToday[]
  balances: readonly Balance[]
  pending: readonly PendingLine[]
  open: OpenThings
  interruptions: readonly Availability[]
}>

const balances_max = 100

type Asker = Owner & Readonly<{ allowed_countries: readonly string[] | null }>
type Means = Readonly<{
  hoursOf: HoursOf
  availability: AvailabilityNow
  country: string | undefined
}>

export async function makeOverview(
  db: Db,
  owner: Asker,
  { hoursOf, availability, country }: Means,
): Promise<Overview> {
  const days = await findTwoDays(db, owner.merchant_id)
  assert(days !== undefined, 'a caller has a merchant')
  const { now, from, compared_from } = days
  const elapsed_ms = now.getTime() - from.getTime()
  const compared_to = new Date(compared_from.getTime() + elapsed_ms)
  const page = { search: undefined, limit: balances_max, offset: 0 } as const
  const order = { field: 'country', descending: false } as const
  const [today, before, pending, open, { rows: balances }, networks] = await Promise.all([
    hoursOf(db, owner, { from, to: now }, now),
    hoursOf(db, owner, { from: compared_from, to: compared_to }, now),
    listPending(db, owner),
    findOpenThings(db, owner, country),
    listBalances(db, { ...owner, ...page, order }),
    availability(owner.environment),
  ])
  const isMeant = (line: Readonly<{ country: string }>) =>
    country === undefined || line.country === country
  const places = placesOf([...today, ...before], pending).filter(isMeant)
  const used = new Set(
    [...[...today, ...before].flatMap(({ lines }) => lines), ...pending].map((one) => one.network),
  )
  const own = new Set([days.home, ...[...places, ...balances].map((one) => one.country)])
  return {
    days,
    countries: places.map((place) => countryToday(place, { today, before, pending })),
    balances: balances.filter(isMeant),
    pending: pending.filter(isMeant),
    open,
    interruptions: interruptedOf(networks)
      .filter((one) => isNews(one, used))
      .filter(
        ({ country_code: at }) => own.has(at) && isMeant({ country: at }) && isAllowed(owner, at),
      ),
  }
}

const isAllowed = ({ allowed_countries }: Asker, country: string): boolean =>
  allowed_countries === null || allowed_countries.includes(country)

/** What staff keep off is no news to whoever has not used it: it may never have been on. */
const isNews = ({ source, since, network_code }: Availability, used: ReadonlySet<string>) =>
  source !== 'STAFF' || since !== null || used.has(network_code)

/** What does not work as it should, closed before delayed; else in the order of `networks`. */
const interruptedOf = (networks: readonly Availability[]): Availability[] =>
  (['CLOSED', 'DELAYED'] as const).flatMap((status) =>
    networks.filter((one) => one.status === status),
  )

type Place = Readonly<{ country: string; currency: string }>

function placesOf(hours: readonly Hour[], pending: readonly PendingLine[]): Place[] {
  const named = new Map<string, Place>()
  for (const { country, currency } of [...hours.flatMap(({ lines }) => lines), ...pending]) {
    const name = `${country} ${currency}`
    if (!named.has(name)) named.set(name, { country, currency })
  }
  return [...named].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, place]) => place)
}

type Read = Readonly<{
  today: readonly Hour[]
  before: readonly Hour[]
  pending: readonly PendingLine[]
}>

function countryToday(place: Place, read: Read): CountryToday {
  const isHere = (line: Place) => line.country === place.country && line.currency === place.currency
  const linesOf = (hours: readonly Hour[]) => hours.map(({ lines }) => lines.filter(isHere))
  const [today, before] = [linesOf(read.today), linesOf(read.before)]
  const lines = today.flat()
  return {
    ...place,
    today: totalsOf(lines),
    compared: totalsOf(before.flat()),
    points: read.today.map(({ at }, nth) => pointOf(at, today[nth], before[nth])),
    networks: networksOf(lines, read.pending.filter(isHere)),
    failed: countOf(lines.filter(isFailedPayment)),
    failures: failuresOf(lines),
  }
}

function pointOf(
  at: Date,
  lines: readonly EndedLine[] = [],
  before: readonly EndedLine[] = [],
): Point {
  const { succeeded, taken } = totalsOf(lines)
  return { at, succeeded, taken, compared: totalsOf(before).taken }
}

function totalsOf(lines: readonly EndedLine[]): Totals {
  const payins = lines.filter(({ type }) => type === 'PAIEMENT')
  const paid = lines.filter(({ status }) => status === 'SUCCESS')
  const taken = paid.filter(({ type }) => type === 'PAIEMENT')
  const payouts = paid.filter(({ type }) => type === 'RETRAIT')
  return {
    succeeded: countOf(taken),
    ended: countOf(payins),
    taken: sumOf(taken, 'requested'),
    payouts: countOf(payouts),
    paid_out: sumOf(payouts, 'net'),
    fees: sumOf(paid, 'fees'),
  }
}

const countOf = (lines: readonly Readonly<{ count: number }>[]): number =>
  lines.reduce((sum, { count }) => sum + count, 0)

const sumOf = (lines: readonly EndedLine[], figure: 'requested' | 'fees' | 'net'): bigint =>
  lines.reduce((sum, line) => sum + line[figure], 0n)

function networksOf(lines: readonly EndedLine[], pending: readonly PendingLine[]): NetworkToday[] {
  const payins = lines.filter(({ type }) => type === 'PAIEMENT')
  const waiting = pending.filter(({ type }) => type === 'PAIEMENT')
  const names = new Set([...payins, ...waiting].map(({ network }) => network))
  return [...names].sort().map((network) => {
    const { succeeded, ended, taken } = totalsOf(payins.filter((one) => one.network === network))
    const open = waiting.filter((one) => one.network === network)
    const amount = open.reduce((sum, one) => sum + one.amount, 0n)
    const pending_now = { count: countOf(open), amount, oldest_at: oldestOf(open) }
    return { network, succeeded, ended, taken, pending: pending_now }
  })
}

export const oldestOf = (lines: readonly Readonly<{ oldest_at: Date }>[]): Date | null =>
  lines.map(({ oldest_at }) => oldest_at).sort((a, b) => +a - +b)[0] ?? null

const failures_max = 3

const isFailedPayment = ({ type, status }: EndedLine): boolean =>
  type === 'PAIEMENT' && status === 'FAILED'

/** What failed first and succeeded afterwards has no cause any more: it is not among them. */
function failuresOf(lines: readonly EndedLine[]): CountryToday['failures'] {
  const counts = new Map<string, number>()
  for (const { failure_code, count } of lines.filter(isFailedPayment)) {
    if (failure_code === '') continue
    counts.set(failure_code, (counts.get(failure_code) ?? 0) + count)
  }
  return [...counts]
    .map(([code, count]) => ({ code, count }))
    .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
    .slice(0, failures_max)
}
