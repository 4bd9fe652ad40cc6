// What came of payment links in a time: sums of what is counted of it, and live what is not yet.

import { readDays } from '../../merchants/time-zones/time-zone.ts'
import type { Db } from '../../platform/db.ts'
import { byHour, type HoursOf, keptHoursOf } from '../overview/hours.ts'
import {
  findLinksProgress,
  listCountedLinks,
  listHoursOfLinks,
  type OfLinks,
} from './links-store.ts'
import {
  dayAfter,
  earliest,
  type HourLine,
  isEmpty,
  latest,
  readDaysBy,
  slotsOfDays,
} from './live-days.ts'
import type { DayLine, Owner } from './store.ts'

/** Links have been counted since they were there; what is not counted yet is read as it is. */
const live_links_days_max = 31

export type LinkMeans = Readonly<{ db: Db; owner: Owner; hoursOfLinks: HoursOf<HourLine> }>

/** One copy a process. */
export const keptHoursOfLinks = (): HoursOf<HourLine> =>
  keptHoursOf(async (...asked) => byHour(await listHoursOfLinks(...asked)))

/** Days of a merchant's calendar: `2026-11-21`. */
type Period = Readonly<{ first: string; last: string; today: string; now: Date }>

type LinksRead = Readonly<{
  /** Of the days that are counted: a line for each link, currency and end. */
  sums: readonly DayLine[]
  /** Of the others, of all links. */
  ended: readonly DayLine[]
  counted: Readonly<{ first: string; last: string }>
  /** False while a history is being counted for the first time: days are missing. */
  is_complete: boolean
}>

export async function readLinks(
  { db, owner, hoursOfLinks }: LinkMeans,
  { first, last, today, now }: Period,
  of: OfLinks,
): Promise<LinksRead> {
  const until_day = (await findLinksProgress(db, owner)) ?? first
  const live_from = latest(until_day, dayAfter(today, 1 - live_links_days_max))
  const counted = { first, last: earliest(last, dayAfter(live_from, -1)) }
  const uncounted = { first: latest(first, until_day), last: counted.last }
  const live = { first: latest(first, live_from), last, now }
  const days = await slotsOfDays(db, owner, live, live_links_days_max)
  const [sums, ended, is_complete] = await Promise.all([
    listCountedLinks(db, owner, { ...counted, starts: [first] }, of),
    readDaysBy(hoursOfLinks, { db, owner, days, now }),
    uncounted.first > uncounted.last || isEmpty(db, owner, uncounted),
  ])
  return { sums, ended, counted, is_complete }
}

/** What was paid by one link in one currency; sums in hundredths. */
export type LinkTaken = Readonly<{
  payment_link: string
  currency: string
  paid: number
  amount: bigint
  net: bigint
}>

/** By links since a day of the merchant's, by when it was paid. */
export async function readLinksTaken(
  means: LinkMeans,
  links: readonly string[],
  first: string,
): Promise<LinkTaken[]> {
  const { db, owner } = means
  const { now, today } = await readDays(db, owner.merchant_id, { first, last: first })
  const { sums, ended } = await readLinks(means, { first, last: today, today, now }, { links })
  const taken = new Map<string, LinkTaken>()
  for (const { payment_link = '', currency, status, count, requested, net } of [
    ...sums,
    ...ended,
  ]) {
    if (status !== 'SUCCESS' || !links.includes(payment_link)) continue
    const name = `${payment_link} ${currency}`
    const before = taken.get(name)
    taken.set(name, {
      ...{ payment_link, currency },
      paid: (before?.paid ?? 0) + count,
      amount: (before?.amount ?? 0n) + requested,
      net: (before?.net ?? 0n) + net,
    })
  }
  return [...taken].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, line]) => line)
}
