// Without these a list over all merchants would skip a payment between two windows, show one twice,
// or walk for ever.

import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { idFromHash, timeOfId } from '../../platform/ids.ts'
import {
  beyond,
  id_least,
  id_most,
  idFloor,
  limitsOf,
  type Walk,
  walkFrom,
  windowOf,
} from './id-windows.ts'

const now_ms = Date.parse('2026-11-21T08:00:00Z')
const idAt = (time_ms: number, of = '') =>
  idFromHash(time_ms, createHash('sha256').update(`${time_ms} ${of}`).digest())
const none = { created_at__gte: undefined, created_at__lte: undefined, reference: undefined }

describe('the least id of a moment', () => {
  it('is not above any id of it, and above all of the one before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 47 }), (time_ms) => {
        expect(timeOfId(idFloor(time_ms))).toBe(time_ms)
        expect(idFloor(time_ms) <= idAt(time_ms)).toBe(true)
        expect(idFloor(time_ms) > idAt(time_ms - 1)).toBe(true)
      }),
    )
  })

  it('has ends', () => {
    expect([idFloor(0), idFloor(-5), idFloor(2 ** 48)]).toEqual([id_least, id_least, id_most])
  })
})

describe('what the filters say of the ids', () => {
  it('is nothing without them', () => {
    expect(limitsOf(none)).toEqual({ least: id_least, most: id_most })
  })

  it('is near the bounds in time, with ten minutes for clocks that differ', () => {
    const limits = limitsOf({
      ...none,
      created_at__gte: '2026-11-21T08:00:00.000000Z',
      created_at__lte: '2026-11-21T09:00:00.000000Z',
    })
    expect(new Date(timeOfId(limits.least)).toISOString()).toBe('2026-11-21T07:50:00.000Z')
    expect(new Date(timeOfId(limits.most)).toISOString()).toBe('2026-11-21T09:10:00.000Z')
  })

  it('is the day of a reference; of one that has none, nothing', () => {
    const limits = limitsOf({ ...none, reference: 'TXN-20261121-7K2MPQ4RWX' })
    expect(new Date(timeOfId(limits.least)).toISOString()).toBe('2026-11-20T23:50:00.000Z')
    expect(new Date(timeOfId(limits.most)).toISOString()).toBe('2026-11-22T00:10:00.000Z')
    for (const reference of ['ORDER-1', 'TXN-20269999-X', 'TXN-1']) {
      expect(limitsOf({ ...none, reference })).toEqual({ least: id_least, most: id_most })
    }
  })

  it('is both together', () => {
    const limits = limitsOf({
      created_at__gte: '2026-11-21T08:00:00.000000Z',
      created_at__lte: undefined,
      reference: 'TXN-20261121-7K2MPQ4RWX',
    })
    expect(new Date(timeOfId(limits.least)).toISOString()).toBe('2026-11-21T07:50:00.000Z')
  })
})

describe('a walk', () => {
  const inWindow = (walk: Walk, { least, most }: { least: string; most: string }) =>
    walk.dir === 'next'
      ? (id: string) => id >= least && id < most
      : (id: string) => id > least && id <= most

  const moments = fc.array(fc.integer({ min: 1, max: now_ms + 60_000 }), { maxLength: 40 })
  const spans = fc.array(fc.integer({ min: 1_000, max: 10 ** 11 }), {
    minLength: 60,
    maxLength: 60,
  })

  it.each(['next', 'prev'] as const)('%s meets each id beyond its cursor once', (dir) => {
    fc.assert(
      fc.property(moments, spans, fc.integer({ min: 1, max: now_ms }), (times, widths, at) => {
        const ids = [...new Set(times.map((time) => idAt(time)))]
        const cursor = { dir, created_at: '', id: idAt(at, 'cursor') }
        let walk = walkFrom(cursor, limitsOf(none))
        const met: string[] = []
        for (const width of widths) {
          // Ever wider, as when every window is quick.
          const window = windowOf(walk, width * 8 ** Math.min(met.length + 1, 6), now_ms)
          met.push(...ids.filter(inWindow(walk, window)))
          walk = beyond(walk, window)
          if (window.is_last) break
        }
        const wanted = ids.filter((id) => (dir === 'next' ? id < cursor.id : id > cursor.id))
        const reached = wanted.filter((id) => (dir === 'next' ? id >= walk.at : id <= walk.at))
        expect(met.toSorted()).toEqual(reached.toSorted())
      }),
    )
  })

  it('without a cursor begins at the top, and takes in what a faster clock has made', () => {
    const walk = walkFrom(undefined, limitsOf(none))
    const window = windowOf(walk, 10_000, now_ms)
    expect(inWindow(walk, window)(idAt(now_ms + 60_000))).toBe(true)
    expect(window).toMatchObject({ least: idFloor(now_ms - 10_000), is_last: false })
  })

  it('ends at the limits, also when nothing is left between them', () => {
    const limits = limitsOf({ ...none, created_at__gte: '2026-11-21T07:00:00Z' })
    const wide = windowOf(walkFrom(undefined, limits), 86_400_000, now_ms)
    expect(wide).toEqual({ least: limits.least, most: id_most, is_last: true })
    const future = limitsOf({ ...none, created_at__gte: '2027-01-01T00:00:00Z' })
    expect(windowOf(walkFrom(undefined, future), 1_000, now_ms).is_last).toBe(true)
    const up = { dir: 'prev', created_at: '', id: idAt(now_ms - 500) } as const
    expect(windowOf(walkFrom(up, limits), 1_000, now_ms)).toMatchObject({
      most: id_most,
      is_last: true,
    })
  })
})
