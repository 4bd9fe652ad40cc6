// Without these, staff could set a price that charges half a franc, or two prices for one amount.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { smallestUnit } from '../../money/currency.ts'
import { formatAmount } from '../../money/format.ts'
import { overlaps } from '../tier.ts'
import { checkTiers, readTiers } from './read-tiers.ts'

const tier = (changes: object = {}) => ({
  min_amount: '200',
  max_amount: '1000',
  percent: '3.25',
  fee_charge_mode: 'ADD_ON',
  ...changes,
})
const fieldsOf = (tiers: Readonly<Record<string, unknown>>[], currency?: string) => {
  const reading = readTiers(tiers, currency)
  return reading.is === 'invalid' ? Object.keys(reading.fields) : []
}

describe('the tiers of a rule', () => {
  it('are read to the hundredth and to the millionth, what is left out being none', () => {
    expect(readTiers([tier({ percent: '0.0001', fixed: '1.05' })], 'GHS')).toEqual({
      is: 'tiers',
      tiers: [
        {
          min_amount: 20_000n,
          max_amount: 100_000n,
          percent_ppm: 1n,
          fixed: 105n,
          floor_amount: null,
          cap_amount: null,
          fee_charge_mode: 'ADD_ON',
        },
      ],
    })
  })

  it('come back by their bounds, in whatever order they were sent', () => {
    const low = tier({ max_amount: '999' })
    const high = tier({ min_amount: '1000', max_amount: '5000' })
    expect(readTiers([high, low])).toEqual(readTiers([low, high]))
  })

  it('may have zero for a price, a floor or a cap, and for no bound', () => {
    const free = { percent: '0', fixed: '0', floor_amount: '0.00', cap_amount: '0' }
    expect(fieldsOf([tier(free)], 'XOF')).toEqual([])
    expect(fieldsOf([tier({ min_amount: '0' })], 'XOF')).toEqual(['tiers.0.min_amount'])
  })

  it('are whole units of the currency, where there is one to ask', () => {
    const half = tier({ min_amount: '200.50', fixed: '0.5' })
    expect(fieldsOf([half])).toEqual([])
    expect(fieldsOf([half], 'GHS')).toEqual([])
    expect(fieldsOf([half], 'XOF')).toEqual(['tiers.0.min_amount', 'tiers.0.fixed'])
  })

  it('are told of by their place in what was sent, all at once', () => {
    const wrong = [
      tier({ min_amount: '2000', max_amount: '1999' }),
      tier({ percent: 'x', floor_amount: '2', cap_amount: '1' }),
      tier(),
      tier({ min_amount: '1000' }),
    ]
    expect(fieldsOf(wrong)).toEqual([
      'tiers.0.min_amount',
      'tiers.1.percent',
      'tiers.1.floor_amount',
      'tiers.3.min_amount',
    ])
  })

  it('once read never overlap, and each stands in order', () => {
    const bound = fc.bigInt(1n, 60n).map((francs) => formatAmount(francs * 100n))
    const some = fc.array(fc.record({ min_amount: bound, max_amount: bound }), {
      minLength: 1,
      maxLength: 6,
    })
    fc.assert(
      fc.property(some, (bounds) => {
        const reading = readTiers(bounds.map(tier), 'XOF')
        if (reading.is === 'invalid') return
        expect(overlaps(reading.tiers)).toBe(false)
        for (const { min_amount, max_amount } of reading.tiers) {
          expect(min_amount <= max_amount).toBe(true)
          expect(min_amount % smallestUnit('XOF')).toBe(0n)
        }
      }),
    )
  })

  it('that are no list of objects are left to the schema', () => {
    for (const tiers of [undefined, 'x', [1], [null], [[]]])
      expect(checkTiers({ tiers })).toEqual({})
    expect(Object.keys(checkTiers({ tiers: [{}] }))).toContain('tiers.0.percent')
  })
})
