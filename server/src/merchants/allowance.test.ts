// Blocks of calls (contract 3.6): whatever the order of draws and answers, no more is served than
// was taken; a burst takes one block; blocks shrink as the minute fills.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Allowance, type Draw } from './allowance.ts'

const limit = 6000

/** The counter row of one merchant's minute. */
function counter() {
  let used = 0
  return {
    take(take: number): { used: number; taken: number } | undefined {
      const taken = used + take <= limit ? take : used < limit ? 1 : 0
      used += taken
      return taken === 0 ? undefined : { used, taken }
    },
    used: () => used,
  }
}

const answer = (allowance: Allowance, draw: Draw, row: ReturnType<typeof counter>): boolean => {
  const counted = draw.block === undefined ? row.take(draw.take) : undefined
  if (counted !== undefined) {
    allowance.keep(draw, { merchant_id: 'm', minute_s: 60, limit, ...counted })
  }
  allowance.end(draw)
  return draw.block !== undefined || counted !== undefined
}

describe('Allowance', () => {
  it('lets one call of a burst take a block and the others themselves', () => {
    const allowance = new Allowance()
    const draws = Array.from({ length: 100 }, () => allowance.draw('key'))
    expect(draws.map(({ take }) => take).toSorted((a, b) => b - a)).toEqual([
      50,
      ...Array(99).fill(1),
    ])
  })

  it('serves two keys of a merchant from one block', () => {
    const allowance = new Allowance()
    const row = counter()
    for (const key of ['a', 'b']) answer(allowance, allowance.draw(key), row)
    const used = row.used()
    answer(allowance, allowance.draw('a'), row)
    answer(allowance, allowance.draw('b'), row)
    expect(row.used()).toBe(used)
  })

  it('keeps the place of a call that was refused before it counted', () => {
    const allowance = new Allowance()
    answer(allowance, allowance.draw('key'), counter())
    for (let n = 0; n < 200; n += 1) {
      const draw = allowance.draw('key')
      expect(draw.block).toBeDefined()
      allowance.giveBack(draw)
      allowance.end(draw)
    }
  })

  it('never serves more than the limit, and loses at most a few calls of it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ at: fc.nat(2), burst: fc.integer({ min: 1, max: 40 }) }), {
          minLength: 1,
          maxLength: 50,
        }),
        (bursts) => {
          const row = counter()
          const processes = [new Allowance(), new Allowance(), new Allowance()]
          let served = 0
          for (let n = 0; n < 2 * limit; ) {
            const { at, burst } = bursts[n % bursts.length] ?? { at: 0, burst: 1 }
            const allowance = processes[at] ?? new Allowance()
            const draws = Array.from({ length: burst }, () => allowance.draw('key'))
            served += draws.filter((draw) => answer(allowance, draw, row)).length
            n += burst
          }
          expect(served).toBeLessThanOrEqual(limit)
          expect(served).toBeGreaterThanOrEqual(limit * 0.95)
        },
      ),
      { numRuns: 50 },
    )
  })

  it('begins a new minute with a full block', () => {
    const allowance = new Allowance()
    const first = allowance.draw('key')
    const late = { merchant_id: 'm', minute_s: 60, used: limit - 10, taken: 1, limit }
    allowance.keep(first, late)
    allowance.end(first)
    const small = allowance.draw('key')
    expect(small.take).toBe(1)
    allowance.keep(small, { ...late, minute_s: 120, used: 1 })
    allowance.end(small)
    expect(allowance.draw('key').take).toBe(50)
  })
})
