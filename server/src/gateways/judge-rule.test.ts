// Tables of what an operator may say and what counts then: a wider limit at once, a narrower one a
// day later, and nothing that cannot be meant.

import { describe, expect, it } from 'vitest'
import {
  type Bounds,
  countingAt,
  faultOfRule,
  hullOf,
  isNarrower,
  isOtherStep,
  judgeRule,
  type KeptRule,
  notice_ms,
  sideOutside,
  unlimited,
} from './judge-rule.ts'
import type { AmountRule } from './published.ts'

const at = new Date('2026-11-29T08:00:00Z')
const later = (hours: number) => new Date(at.getTime() + hours * 3_600_000)
const from = (least: bigint | null, most: bigint | null): Bounds => ({ least, most })
const kept = (now: Bounds, next: Bounds | null = null, hours = 10): KeptRule => ({
  ...now,
  next: next === null ? null : { ...next, at: later(hours) },
})
const judge = (was: KeptRule | undefined, published: Bounds, is_used = true) =>
  judgeRule(was, { published, at, is_used })

describe('bounds', () => {
  it.each<[Bounds, Bounds, boolean]>([
    [from(1n, 9n), from(1n, 9n), false],
    [from(1n, 10n), from(1n, 9n), false],
    [from(null, null), from(1n, 9n), false],
    [from(2n, 9n), from(1n, 9n), true],
    [from(1n, 8n), from(1n, 9n), true],
    [from(2n, 99n), from(1n, 9n), true],
    [from(1n, null), unlimited, true],
    [from(null, 9n), unlimited, true],
  ])('%o is narrower than %o: %s', (bounds, than, narrower) => {
    expect(isNarrower(bounds, than)).toBe(narrower)
  })

  it('together take whatever either takes', () => {
    expect(hullOf(from(2n, 8n), from(4n, 9n))).toEqual(from(2n, 9n))
    expect(hullOf(from(null, 8n), from(4n, null))).toEqual(unlimited)
  })

  it('of either side keep what lies outside', () => {
    const bounds = from(100n, 900n)
    expect([99n, 100n, 900n, 901n].map((sum) => sideOutside(sum, bounds))).toEqual([
      ...['below', undefined, undefined, 'above'],
    ])
    expect(sideOutside(1n, unlimited)).toBe(undefined)
  })
})

describe('what an operator says', () => {
  it('for the first time counts a day later where a route is on, at once where none is', () => {
    expect(judge(undefined, from(1n, 9n))).toEqual({
      rule: { ...unlimited, next: { ...from(1n, 9n), at: later(24) } },
      is_news: true,
    })
    expect(judge(undefined, from(1n, 9n), false)).toEqual({
      rule: kept(from(1n, 9n)),
      is_news: false,
    })
    expect(notice_ms).toBe(24 * 3_600_000)
  })

  const now = from(10n, 90n)
  it.each<[string, KeptRule, Bounds, KeptRule, boolean]>([
    ['the same: nothing', kept(now), now, kept(now), false],
    ['wider: at once', kept(now), from(5n, 99n), kept(from(5n, 99n)), false],
    ['no limit any more: at once', kept(now), from(null, 90n), kept(from(null, 90n)), false],
    ['less at most: later', kept(now), from(10n, 80n), kept(now, from(10n, 80n), 24), true],
    ['more at least: later', kept(now), from(20n, 90n), kept(now, from(20n, 90n), 24), true],
    [
      'wider and narrower: each in its time',
      kept(now),
      from(5n, 80n),
      kept(from(5n, 90n), from(5n, 80n), 24),
      true,
    ],
    [
      'the same again while it waits: at the hour that was published',
      kept(now, from(10n, 80n)),
      from(10n, 80n),
      kept(now, from(10n, 80n)),
      false,
    ],
    [
      'less narrow while it waits: at the hour that was published',
      kept(now, from(10n, 80n)),
      from(10n, 85n),
      kept(now, from(10n, 85n)),
      false,
    ],
    [
      'narrower yet while it waits: a day from now',
      kept(now, from(10n, 80n)),
      from(10n, 70n),
      kept(now, from(10n, 70n), 24),
      true,
    ],
    ['taken back while it waits', kept(now, from(10n, 80n)), now, kept(now), false],
    [
      'narrower than what was due meanwhile',
      kept(now, from(10n, 80n), -1),
      from(10n, 70n),
      kept(from(10n, 80n), from(10n, 70n), 24),
      true,
    ],
  ])('%s', (_, was, published, rule, is_news) => {
    expect(judge(was, published)).toEqual({ rule, is_news })
  })

  it('counts from its hour on and not before', () => {
    const waits = kept(now, from(10n, 80n))
    expect(countingAt(waits, later(9))).toEqual(waits)
    expect(countingAt(waits, later(10))).toEqual(kept(from(10n, 80n)))
  })

  it('is not believed where it cannot be meant', () => {
    const rule: AmountRule = {
      ...{ network_code: 'mtn_bj', direction: 'COLLECT', currency: 'XOF', step: 100n },
      ...{ least: 1n, most: 9n, is_readable: true },
    }
    expect(faultOfRule(rule)).toBe(undefined)
    expect(faultOfRule({ ...rule, least: 9n })).toBe(undefined)
    expect(faultOfRule({ ...rule, least: 10n })).toBe('least above most')
    expect(faultOfRule({ ...rule, least: null, most: null })).toBe('no limits')
    expect(faultOfRule({ ...rule, least: null })).toBe(undefined)
    expect(faultOfRule({ ...rule, is_readable: false })).toBe('limits that are no sums')
  })

  it('of steps is compared with the route’s', () => {
    expect([500n, 100n, 1n].map((ours) => isOtherStep(ours, 100n))).toEqual([false, false, true])
    expect(isOtherStep(1n, null)).toBe(false)
  })
})
