// A payment link that nobody can pay by is not handed out, and its customer gets a sentence: not one
// that names a sum there is not.

import { describe, expect, it } from 'vitest'
import type { PaymentLink } from '../src/api/types.gen.ts'
import { linkState, sentWith, whyClosed } from '../src/features/links/link-state.ts'
import { en, fr } from './all-words.ts'

const open = {
  ...{ is_active: true, admin_locked: false, usage_limit: null, usage_count: 0, expires_at: null },
  ...{ amount_type: 'FIXED', amount: '2500.00', min_amount: null, currency: 'XOF' },
}
const link = (changes: object = {}) => ({ ...open, ...changes }) as unknown as PaymentLink

const closed = [
  ['link_locked_why', { admin_locked: true, is_active: false }],
  ['link_off_why', { is_active: false }],
  ['link_over_why', { expires_at: '2020-01-01T00:00:00.000Z' }],
  ['link_used_why', { usage_limit: 3, usage_count: 3 }],
  ['link_no_amount_why', { amount: null }],
] as const

describe('a link', () => {
  it.each(closed)('that nobody can pay by says so: %s', (why, changes) => {
    expect(whyClosed(link(changes), { status: 'ACTIVE' })).toBe(why)
  })

  it('of a suspended shop is no better', () => {
    expect(whyClosed(link(), { status: 'SUSPENDED' })).toBe('link_suspended_why')
  })

  it('that is open has nothing to explain', () => {
    const later = { expires_at: '2999-01-01T00:00:00.000Z', usage_limit: 3, usage_count: 2 }
    for (const one of [link(), link(later), link({ amount_type: 'FREE', amount: null })]) {
      expect(whyClosed(one, { status: 'ACTIVE' })).toBe(undefined)
      expect(linkState(one)).toEqual({ shape: 'done', word: 'link_on' })
    }
  })

  it('that waits for its sum is on all the same', () => {
    expect(linkState(link({ amount: null })).word).toBe('link_on')
  })
})

describe('what a customer is sent', () => {
  it('names the sum, the least of it, or that it is theirs to choose', () => {
    expect(sentWith(link())).toEqual({ key: 'share_text', sum: '2500.00' })
    const free = { amount_type: 'FREE', amount: null }
    expect(sentWith(link(free))).toEqual({ key: 'share_text_free', sum: null })
    // What it begins with is a proposal.
    const from = { ...free, amount: '5000.00', min_amount: '500.00' }
    expect(sentWith(link(from))).toEqual({ key: 'share_text_from', sum: '500.00' })
  })

  it('is a sentence in both languages', () => {
    expect(fr.share_text_free).toContain('montant de votre choix')
    expect(fr.share_text_from).toContain('à partir de {amount}')
    expect(en.share_text_free).not.toContain('{amount}')
    expect(en.share_text_from).toContain('from {amount}')
  })
})
