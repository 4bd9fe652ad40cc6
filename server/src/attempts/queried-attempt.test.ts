// An attempt that has ended is asked about no longer than something can come of it: the other of two
// pages as long as somebody may pay it and a search may find it late, a contradiction until its
// operator tells something of it.

import { expect, it } from 'vitest'
import type { Attempt } from './attempt.ts'
import { endedAgainAfterS, otherPageAskS, type QueriedAttempt } from './queried-attempt.ts'

const paid = {
  ...{ status: 'SUCCESS', direction: 'COLLECT', sends: 2, asking_is_over: false },
  ...{ grace_age_s: 60, prompt_lifetime_s: 1_800 },
}
const facts = { ask_by: 'SEARCH', not_found_grace_s: 900, prompt_lifetime_s: null }

const after = (attempt: object = {}, of: object = {}) =>
  otherPageAskS({
    attempt: { ...paid, ...attempt },
    gateway: { facts: { ...facts, ...of } },
  } as unknown as QueriedAttempt)

it('is asked again by the search’s lag, however often it was asked meanwhile, and not for ever', () => {
  expect(after()).toBe(900)
  expect(after({ grace_age_s: 3_599 })).toBe(900)
  expect(after({ grace_age_s: 3_600 })).toBeUndefined()
  expect(after({ asking_is_over: true })).toBeUndefined()
})

it('is no question where there is one page, or where it is not paid', () => {
  expect(after({ sends: 1 })).toBeUndefined()
  expect(after({ status: 'FAILED' })).toBeUndefined()
  expect(after({ direction: 'DISBURSE' })).toBeUndefined()
  expect(after({}, { ask_by: 'OUR_KEY' })).toBeUndefined()
})

it('goes on about a contradiction of which nothing is learnt, more rarely, and not for ever', () => {
  const month_s = 30 * 24 * 3_600
  const again = (of: Partial<Attempt>, answer: object = { is: 'unknown' }) =>
    endedAgainAfterS({
      attempt: { ...paid, sends: 1, age_s: 60, asks: 3, ...of },
      gateway: { facts },
      reply: { answer },
    } as unknown as QueriedAttempt)
  expect(again({})).toBe(60)
  expect(again({ asking_is_over: true })).toBe(3_600)
  expect(again({ asking_is_over: true, asks: 1_000, age_s: month_s - 1 })).toBe(3_600)
  expect(again({ asking_is_over: true, asks: 999, age_s: month_s })).toBe(3_600)
  expect(again({ asking_is_over: true, asks: 1_000, age_s: month_s })).toBe('spent')
  const learnt = [{ is: 'refused' }, { is: 'unknown', cannot_ask: true }, { is: 'confirmed' }]
  for (const answer of learnt) expect(again({}, answer)).toBeUndefined()
  // It still may end otherwise than it did.
  expect(again({}, { is: 'waiting' })).toBe(60)
  expect(again({ status: 'FAILED' }, { is: 'waiting' })).toBe(60)
  expect(again({ asking_is_over: true, age_s: month_s }, { is: 'waiting' })).toBe('spent')
  expect([
    again({}, { is: 'not_found' }),
    again({ status: 'FAILED' }, { is: 'not_found' }),
  ]).toEqual([60, undefined])
})
