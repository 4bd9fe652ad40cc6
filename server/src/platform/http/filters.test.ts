// Query and path parameters, one by one (contract 1.6, 3.5).

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Invalid } from '../errors.ts'
import {
  currencyFilter,
  dateFilter,
  enumFilter,
  orderingFilter,
  orderings,
  uuidFilter,
  uuidParam,
} from './filters.ts'

const id = '01981f3a-0000-7000-8000-00000000000a'

describe('an absent or empty parameter', () => {
  it.each([{}, { x: '', currency: '', ordering: '' }])('filters nothing: %j', (query) => {
    expect(enumFilter(query, 'x', ['A'])).toBeUndefined()
    expect(dateFilter(query, 'x')).toBeUndefined()
    expect(uuidFilter(query, 'x')).toBeUndefined()
    expect(currencyFilter(query)).toBeUndefined()
    expect(orderingFilter(query, ['a'], [{ field: 'a', descending: true }])).toEqual([
      { field: 'a', descending: true },
    ])
  })
})

describe('a parameter that cannot be read', () => {
  it.each([
    ['an enumeration', () => enumFilter({ x: 'a' }, 'x', ['A', 'B'])],
    ['a key of every object', () => enumFilter({ x: 'toString' }, 'x', ['A', 'B'])],
    ['a date', () => dateFilter({ x: 'yesterday' }, 'x')],
    ['an id', () => uuidFilter({ x: '12' }, 'x')],
    ['a currency', () => currencyFilter({ x: 'EURO' }, 'x')],
  ])('is a 400 on its name: %s', (_, read) => {
    expect(read).toThrow(Invalid)
    expect(read).toThrow('invalid: x')
  })

  it.each(['c', '-', '--a', 'a,c', 'a,', 'a desc'])('is a 400 on ordering: %s', (ordering) => {
    expect(() => orderingFilter({ ordering }, ['a', 'b'], [])).toThrow('invalid: ordering')
  })
})

describe('a parameter', () => {
  it('is read as what it is', () => {
    expect(enumFilter({ x: 'B' }, 'x', ['A', 'B'])).toBe('B')
    expect(uuidFilter({ x: id.toUpperCase() }, 'x')).toBe(id)
    expect(currencyFilter({ currency: 'xof' })).toBe('XOF')
    expect(uuidParam({ params: { id } }, 'id')).toBe(id)
  })

  it('orders by several fields, each its own way', () => {
    expect(orderingFilter({ ordering: '-a, b' }, ['a', 'b'], [])).toEqual([
      { field: 'a', descending: true },
      { field: 'b', descending: false },
    ])
    expect(orderings(['a', 'b'])).toEqual(['a', '-a', 'b', '-b'])
  })

  it.each(['x', '', '01981f3a000070008000000000000001'])(
    'that is the ill-formed id "%s" of a path is not found',
    (text) => {
      expect(() => uuidParam({ params: { id: text } }, 'id')).toThrow('not_found')
    },
  )
})

describe('a bound in time', () => {
  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000000Z'],
    ['2026-01-31T08:09:10Z', '2026-01-31T08:09:10.000000Z'],
    ['2026-01-31T08:09', '2026-01-31T08:09:00.000000Z'],
    ['2026-01-31 08:09:10', '2026-01-31T08:09:10.000000Z'],
    ['2026-01-31T08:09:10.123456Z', '2026-01-31T08:09:10.123456Z'],
    ['2026-01-31T08:09:10.123456789Z', '2026-01-31T08:09:10.123456Z'],
    ['2026-01-31T00:30:00+01:00', '2026-01-30T23:30:00.000000Z'],
    ['2026-01-31T00:30:00 01:00', '2026-01-30T23:30:00.000000Z'],
    ['2026-01-31T00:30:00-0130', '2026-01-31T02:00:00.000000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z'],
    ['0001-01-01T00:00:00+14:00', '0001-01-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59-14:00', '9999-12-31T23:59:59.999999Z'],
  ])('reads %s as %s', (text, moment) => {
    expect(dateFilter({ x: text }, 'x')).toBe(moment)
  })

  it.each([
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-31T24:00:00Z',
    '2026-01-31T08:60:00Z',
    '2026-01-31T08:00:00+16:00',
    '2026-01-31T08:00:00+01:75',
    '1764000000',
    '31/01/2026',
    '0000-01-01',
  ])('refuses %s', (text) => {
    expect(() => dateFilter({ x: text }, 'x')).toThrow('invalid: x')
  })

  it('agrees with the calendar on every moment', () => {
    const dates = fc.date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-30T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(dates, (date) => {
        const expected = date.toISOString().replace('Z', '000Z')
        expect(dateFilter({ x: date.toISOString() }, 'x')).toBe(expected)
      }),
    )
  })
})
