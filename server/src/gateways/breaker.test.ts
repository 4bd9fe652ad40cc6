// A dead route is left and tried again by one payment at a time; one that fails half of the time is
// ill, and does not go and come. Time is the test's own.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Breaker, mayProbe, noteCall, restAfter, rowNeeded, soundBreaker } from './breaker.ts'

const fail = (breaker: Breaker, times: number, now = 0): Breaker => {
  let next = breaker
  for (let i = 0; i < times; i += 1) next = noteCall(next, 'timeout', now)
  return next
}
const work = (breaker: Breaker, now = 0) => noteCall(breaker, undefined, now)
const isBroken = ({ broken_since }: Breaker) => broken_since !== null

/** Numbers of chance from a seed, the same each time: 0 to 1. */
function chances(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

describe('a route that works and then dies', () => {
  it('is left after five failures in a row, from any history of few failures', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 99 }), { maxLength: 300 }), (history) => {
        let breaker = soundBreaker
        for (const [at, one] of history.entries()) {
          breaker = noteCall(breaker, one < 5 ? 'timeout' : undefined, at * 1000)
        }
        fc.pre(!isBroken(breaker))
        const began = history.length * 1000
        breaker = work(breaker, began)
        fc.pre(breaker.share >= 0.9)
        expect(isBroken(fail(breaker, 4, began))).toBe(false)
        expect(isBroken(fail(breaker, 5, began))).toBe(true)
      }),
    )
  })

  it('is left at once again when the payment that tries it fails, each time for longer', () => {
    let breaker = fail(soundBreaker, 5, 0)
    const rests: number[] = []
    for (let i = 0; i < 6; i += 1) {
      const { open_until, turned_at } = breaker
      rests.push((open_until - turned_at) / 1000)
      expect(mayProbe(breaker, open_until - 1)).toBe(false)
      expect(mayProbe(breaker, open_until)).toBe(true)
      breaker = fail(breaker, 1, open_until)
    }
    expect(rests).toEqual([30, 60, 120, 240, 240, 240])
    expect(restAfter(1_000)).toBe(240_000)
  })

  it('says since when, how often and why', () => {
    const breaker = fail(fail(soundBreaker, 5, 1_000), 1, 31_000)
    expect(breaker).toMatchObject({ broken_since: 1_000, openings: 2, open_until: 91_000 })
    expect(breaker.reason).toBe('6 failures in a row, the last: timeout')
  })

  it('is not left for longer by what was under way when it was left', () => {
    const breaker = fail(fail(soundBreaker, 5, 0), 7, 10_000)
    expect(breaker.open_until).toBe(30_000)
  })

  it('is well with the first call that works; the same trouble soon after rests longer', () => {
    const well = work(fail(soundBreaker, 5, 0), 30_000)
    expect(isBroken(well)).toBe(false)
    const soon = fail(well, 5, 60_000)
    expect(soon.open_until - soon.turned_at).toBe(60_000)
    const later = fail(well, 5, 30_000 + 600_000)
    expect(later.open_until - later.turned_at).toBe(30_000)
  })
})

describe('one payment at a time', () => {
  it('tries it: while one does, no other may', () => {
    const due = fail(soundBreaker, 5, 0)
    expect(mayProbe(due, 30_000)).toBe(true)
    const trying = { ...due, probing_until: 60_000 }
    expect(mayProbe(trying, 59_999)).toBe(false)
    expect(mayProbe(trying, 60_000)).toBe(true)
    expect(mayProbe(soundBreaker, 60_000)).toBe(false)
  })
})

describe('a route that fails half of the time', () => {
  it('needs so many in a row that chance does not make them', () => {
    expect([1, 0.99, 0.95, 0.9].map(rowNeeded)).toEqual([5, 5, 5, 5])
    expect([0.8, 0.5, 0.2, 0].map(rowNeeded)).toEqual([8, 17, 20, 20])
  })

  it('changes its state once in ten minutes at most, over hours of chance', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const chance = chances(seed)
      let breaker = soundBreaker
      let changes = 0
      // Ten hours, a payment a second.
      for (let now = 0; now < 36_000_000; now += 1_000) {
        const isLeft = isBroken(breaker)
        if (isLeft && !mayProbe(breaker, now)) continue
        breaker = noteCall(breaker, chance() < 0.5 ? 'timeout' : undefined, now)
        if (isBroken(breaker) !== isLeft) changes += 1
      }
      expect(changes, `seed ${seed}`).toBeLessThanOrEqual(60)
    }
  })
})
