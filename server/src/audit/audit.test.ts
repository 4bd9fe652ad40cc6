// Without these the log would tell of changes that were none, or not tell of one inside a field;
// or keep for ever of a payer what an erasure takes away.

import { expect, it } from 'vitest'
import { changedFields, maskedText } from './audit.ts'

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

it('has of what somebody wrote neither number nor e-mail nor the payer’s whole name', () => {
  const said = (text: string, payer = 'Awa Diop') => maskedText(text, payer)
  expect(said('Not +229 01 97 00 00 12, see awa@shop.example.')).toBe(
    'Not +229***12, see aw***@shop.example.',
  )
  expect(said('97000012 (AWA  diop) or 01-97-00-00-12')).toBe('9700***12 (***) or 0197***12')
  expect(said('Awa (Diop) owes', 'Awa (Diop)')).toBe('*** owes')
  for (const text of ['Awa asked for 25 000 twice', 'TXN-20261130-12345678 again', 'ticket 4711'])
    expect([said(text), said(text, ' ')]).toEqual([text, text])
})
