// Whether the other of two pages was paid too is asked for as long as somebody may pay it and a
// search may find it late.

import { expect, it } from 'vitest'
import { otherPageAskS, type QueriedAttempt } from './queried-attempt.ts'

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
