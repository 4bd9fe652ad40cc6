// What becomes of what an operator says that it takes: which sums count from now on, and which
// later. Pure. Law: a sum that was taken a moment ago is refused by an operator's word only after
// people had a day to see it coming; a sum that it takes again is taken at once.

import type { AmountRule } from './published.ts'

/** Hundredths of one payment, both included; null: no such limit. */
export type Bounds = Readonly<{ least: bigint | null; most: bigint | null }>

/** What counts, and what will from `at` on. */
export type KeptRule = Bounds & Readonly<{ next: (Bounds & Readonly<{ at: Date }>) | null }>

/** So long staff have before a narrower limit counts. */
export const notice_ms = 24 * 3_600_000

export const unlimited: Bounds = { least: null, most: null }

/** Why what it says of one network cannot be believed; undefined where it can. */
export function faultOfRule({ is_readable, least, most }: AmountRule): string | undefined {
  if (!is_readable) return 'limits that are no sums'
  if (least === null && most === null) return 'no limits'
  return least !== null && most !== null && least > most ? 'least above most' : undefined
}

export const isSame = (a: Bounds, b: Bounds): boolean => a.least === b.least && a.most === b.most

/** Some sum that `than` takes is not taken by `bounds`. */
export const isNarrower = (bounds: Bounds, than: Bounds): boolean =>
  (bounds.least !== null && bounds.least > (than.least ?? 0n)) ||
  (bounds.most !== null && (than.most === null || bounds.most < than.most))

/** Whatever either takes, and what lies between. */
export const hullOf = (a: Bounds, b: Bounds): Bounds => ({
  least: a.least === null || b.least === null ? null : a.least < b.least ? a.least : b.least,
  most: a.most === null || b.most === null ? null : a.most > b.most ? a.most : b.most,
})

/** What counts at a moment: what was due by then does. */
export function countingAt({ next, ...now }: KeptRule, at: Date): KeptRule {
  if (next === null || next.at > at) return { ...now, next }
  return { least: next.least, most: next.most, next: null }
}

export type Publishing = Readonly<{
  published: Bounds
  at: Date
  /** A route of the account is on there: sums outside of what it says may have been taken. */
  is_used: boolean
}>

/** `is_news`: it is narrower than anything that it published before. */
export type Judged = Readonly<{ rule: KeptRule; is_news: boolean }>

/** `was`: what was kept; undefined where it never said anything. */
export function judgeRule(
  was: KeptRule | undefined,
  { published, at, is_used }: Publishing,
): Judged {
  if (!is_used) return { rule: { ...published, next: null }, is_news: false }
  const { next, ...now } = countingAt(was ?? { ...unlimited, next: null }, at)
  const counts = hullOf(now, published)
  if (isSame(counts, published)) return { rule: { ...published, next: null }, is_news: false }
  const is_news = next === null || isNarrower(published, next)
  const from = is_news ? new Date(at.getTime() + notice_ms) : next.at
  return { rule: { ...counts, next: { ...published, at: from } }, is_news }
}

/** Whether a sum that is sent lies outside of what counts. */
export const sideOutside = (sum: bigint, { least, most }: Bounds): 'below' | 'above' | undefined =>
  least !== null && sum < least ? 'below' : most !== null && sum > most ? 'above' : undefined

/** Sums that a route sends may be none that the operator takes. */
export const isOtherStep = (amount_step: bigint, step: bigint | null): boolean =>
  step !== null && amount_step % step !== 0n
