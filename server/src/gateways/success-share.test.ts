// How well a route does beside how well it usually does; its place changes once in ten minutes at
// most. Time is the test's own.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  changeEveryMs,
  judgeAtOnce,
  judgePlace,
  type Place,
  shareOf,
  type Usual,
  usualShare,
} from './success-share.ts'

const usual: Usual = { good: 9_500, bad: 500, expired: 1_000 }
const tally = (good: number, bad: number, more = {}) => ({
  ...{ good, bad, expired: 0, unknown: 0 },
  ...more,
})
const first: Place = { demoted: false, streak: 0, changed_at: null }
const minutes = (count: number) => count * 60_000

describe('the share of payments that succeed', () => {
  it('is what it usually is while fewer than twenty say anything', () => {
    expect(shareOf(tally(0, 19), usual)).toEqual({ share: 0.95, usual: 0.95, seen: 19 })
    expect(shareOf(tally(0, 20), usual).share).toBeCloseTo(9.5 / 30)
    expect(usualShare({ good: 10, bad: 9, expired: 500 })).toBe(0.9)
    expect(usualShare({ good: 10, bad: 10, expired: 500 })).toBe(0.5)
  })

  it('counts what is unknown for long as failed', () => {
    expect(shareOf(tally(30, 0, { unknown: 10 }), usual).share).toBeCloseTo(39.5 / 50)
  })

  it('counts prompts that nobody answered only where there are unusually many', () => {
    const some = shareOf(tally(80, 0, { expired: 20 }), usual)
    expect(some.share).toBeCloseTo(89.5 / 90)
    const many = shareOf(tally(70, 0, { expired: 30 }), usual)
    expect(many.share).toBeCloseTo(79.5 / 110)
    // A fifth of all that was tried, whatever became of the rest.
    const fifth = shareOf(tally(60, 20, { expired: 20 }), usual)
    expect(fifth.seen).toBe(80)
    expect(shareOf(tally(60, 0, { unknown: 20, expired: 20 }), usual).seen).toBe(80)
    // Usual is a tenth of all of before, so that a quarter is the most that is not counted.
    const before = { good: 5_000, bad: 4_000, expired: 1_000 }
    expect(shareOf(tally(74, 0, { expired: 26 }), before).seen).toBe(100)
    expect(shareOf(tally(76, 0, { expired: 24 }), before).seen).toBe(76)
    const never_used = { good: 0, bad: 0, expired: 0 }
    expect(shareOf(tally(70, 0, { expired: 30 }), never_used).seen).toBe(100)
  })

  it('is between nothing and all, whatever was counted', () => {
    const count = fc.integer({ min: 0, max: 1_000_000 })
    const figures = fc.record({ good: count, bad: count, expired: count, unknown: count })
    fc.assert(
      fc.property(figures, figures, (recent, before) => {
        const { share, usual: usually } = shareOf(recent, before)
        expect(share).toBeGreaterThanOrEqual(0)
        expect(share).toBeLessThanOrEqual(1)
        expect(usually).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('a route’s place', () => {
  const ill = shareOf(tally(50, 50), usual)
  const well = shareOf(tally(95, 5), usual)
  const between = shareOf(tally(86, 14), usual)

  it('is lost by two looks in a row and won back by three', () => {
    let place = judgePlace(first, ill, 0)
    expect(place).toEqual({ demoted: false, streak: 1, changed_at: null })
    expect(judgePlace(place, between, 1)).toMatchObject({ demoted: false, streak: 0 })
    place = judgePlace(place, ill, minutes(5))
    expect(place).toEqual({ demoted: true, streak: 0, changed_at: minutes(5) })
    for (const at of [10, 15]) place = judgePlace(place, well, minutes(at))
    expect(place.demoted).toBe(true)
    expect(judgePlace(place, between, minutes(20))).toMatchObject({ demoted: true, streak: 0 })
    expect(judgePlace(place, well, minutes(20)).demoted).toBe(false)
  })

  it('is not lost within ten minutes of its last change', () => {
    const lately = { demoted: false, streak: 1, changed_at: minutes(100) }
    expect(judgePlace(lately, ill, minutes(105))).toEqual({ ...lately, streak: 2 })
    expect(judgePlace(lately, ill, minutes(110)).demoted).toBe(true)
  })

  it('is lost at once when half of the last minute fails', () => {
    expect(judgeAtOnce(first, tally(10, 9), 0)).toBe(first)
    expect(judgeAtOnce(first, tally(11, 10), 0)).toBe(first)
    expect(judgeAtOnce(first, tally(10, 10), 0).demoted).toBe(true)
    const lately = { ...first, changed_at: 0 }
    expect(judgeAtOnce(lately, tally(0, 99), changeEveryMs - 1)).toBe(lately)
    expect(judgeAtOnce(lately, tally(0, 99), changeEveryMs).demoted).toBe(true)
  })

  it('changes once in ten minutes at most, whatever is seen and whenever', () => {
    const look = fc.record({
      after_ms: fc.integer({ min: 1, max: minutes(6) }),
      good: fc.integer({ min: 0, max: 100 }),
      bad: fc.integer({ min: 0, max: 100 }),
    })
    fc.assert(
      fc.property(fc.array(look, { maxLength: 200 }), (looks) => {
        let place = first
        let now = 0
        let changed = Number.NEGATIVE_INFINITY
        for (const { after_ms, good, bad } of looks) {
          now += after_ms
          const was = place.demoted
          const at_once = judgeAtOnce(place, tally(good, bad), now)
          place =
            at_once === place ? judgePlace(place, shareOf(tally(good, bad), usual), now) : at_once
          if (place.demoted === was) continue
          expect(now - changed).toBeGreaterThanOrEqual(changeEveryMs)
          changed = now
        }
      }),
    )
  })
})
