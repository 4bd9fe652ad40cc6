// Without these the log would tell of changes that were none, or not tell of one inside a field.

import { expect, it } from 'vitest'
import { changedFields } from './audit.ts'

const cost: { percent: string; cap: string | null } = { percent: '1.00', cap: null }
const was = { name: 'A', is_active: true, cost, events: ['a'] }

it('tells the fields that differ, before and after, and no other', () => {
  const is = { ...was, is_active: false, cost: { percent: '1.00', cap: '5.00' } }
  expect(changedFields(was, is)).toEqual({
    before: { is_active: true, cost: { percent: '1.00', cap: null } },
    after: { is_active: false, cost: { percent: '1.00', cap: '5.00' } },
  })
})

it('tells nothing where nothing differs', () => {
  expect(changedFields(was, { ...was, events: ['a'], cost: { ...was.cost } })).toBeUndefined()
})
