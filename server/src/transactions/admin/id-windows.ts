// A list over all merchants has no index of its own, because every payment would pay for it. Ids
// contain the time, so the list is read in windows of time, each wider than the last, until a page
// is full.

import type { Cursor } from '../../platform/http/pages.ts'
import { timeOfId } from '../../platform/ids.ts'

export const id_least = '00000000-0000-0000-0000-000000000000'
export const id_most = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The lowest id of a moment. */
export function idFloor(time_ms: number): string {
  if (time_ms <= 0) return id_least
  if (time_ms >= 2 ** 48) return id_most
  const hex = Math.floor(time_ms).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** The bounds of the rows' ids; as text, ids sort in the order in which they were made. */
export type Limits = Readonly<{ least: string; most: string }>

const slack_ms = 10 * 60_000

type Moments = Readonly<{
  created_at__gte: string | undefined
  created_at__lte: string | undefined
  reference: string | undefined
}>

/**
 * The bounds on ids that the filters imply. `created_at` is the database's time and the date in a
 * reference is a process's, so each bound is only required to be near.
 */
export function limitsOf({ created_at__gte, created_at__lte, reference }: Moments): Limits {
  const [, year, month, day] = /^TXN-(\d{4})(\d\d)(\d\d)-/.exec(reference ?? '') ?? []
  const midnight = year === undefined ? Number.NaN : Date.parse(`${year}-${month}-${day}`)
  const from = [created_at__gte === undefined ? Number.NaN : Date.parse(created_at__gte), midnight]
  const to = [
    created_at__lte === undefined ? Number.NaN : Date.parse(created_at__lte),
    midnight + 24 * 3_600_000,
  ]
  const known = (moments: number[]) => moments.filter((moment) => !Number.isNaN(moment))
  return {
    least: idFloor(Math.max(0, ...known(from)) - slack_ms),
    most: idFloor(Math.min(2 ** 48, ...known(to)) + slack_ms),
  }
}

/** From `least` to `most`; the bound on the side where the window begins is already taken in. */
export type IdWindow = Limits & Readonly<{ is_last: boolean }>

export type Walk = Readonly<{
  /** `next`: from the newest down. `prev`: from the cursor up. */
  dir: Cursor['dir']
  /** Where the walk has come to; everything up to there has been shown. */
  at: string
  limits: Limits
}>

/** Where a page begins. */
export function walkFrom(cursor: Cursor | undefined, limits: Limits): Walk {
  if (cursor === undefined) return { dir: 'next', at: limits.most, limits }
  const { dir, id } = cursor
  const within = dir === 'next' ? lesser(id, limits.most) : greater(id, limits.least)
  return { dir, at: within, limits }
}

/** The next window of the walk, `span_ms` wide; at the top, nothing is newer than now. */
export function windowOf(walk: Walk, span_ms: number, now_ms: number): IdWindow {
  const { dir, at, limits } = walk
  if (dir === 'next') {
    const from_ms = Math.min(timeOfId(at), now_ms)
    const least = greater(idFloor(from_ms - span_ms), limits.least)
    return { least, most: at, is_last: least <= limits.least }
  }
  const to_ms = timeOfId(at) + span_ms
  const most = to_ms > now_ms ? limits.most : lesser(idFloor(to_ms), limits.most)
  return { least: at, most, is_last: most >= limits.most }
}

/** Where the walk is once a window has been read. */
export const beyond = (walk: Walk, { least, most }: IdWindow): Walk => ({
  ...walk,
  at: walk.dir === 'next' ? least : most,
})

const lesser = (a: string, b: string) => (a < b ? a : b)
const greater = (a: string, b: string) => (a > b ? a : b)
