// What payers do by themselves, for tests, by the last digits of the amount in whole units: this
// operator is sent no number of a payer, who types it on its page. Times are unscaled milliseconds.

import type { Act } from './payments.ts'

/** How a create is answered. */
export type CreateAnswer = 'page' | 'lost' | 'garbled' | 'error' | 'refused'

export type Scenario = Readonly<{
  answer: CreateAnswer
  /** What its payer does, and so long after the payment was made. */
  act: Readonly<{ after_ms: number; does: Exclude<Act['does'], 'open'> }> | undefined
  notices: 'once' | 'twice'
}>

const soon_ms = 1_000
const paid: Scenario = {
  ...{ answer: 'page', notices: 'once' },
  act: { after_ms: soon_ms, does: 'pay' },
}
const failed: Scenario = { ...paid, act: { after_ms: soon_ms, does: 'fail' } }
const left: Scenario = { ...paid, act: undefined }

const byTwoDigits: Readonly<Record<string, Scenario>> = {
  '01': failed,
  '03': failed,
  '04': left,
  // Nobody has its page, so its payer can do nothing.
  '05': { ...left, answer: 'lost' },
  '06': { ...left, answer: 'refused' },
  '07': { ...paid, notices: 'twice' },
}

const byFourDigits: Readonly<Record<string, Scenario>> = {
  '9911': { ...left, answer: 'error' },
  '9912': { ...left, answer: 'garbled' },
}

/** `plays`: payers act by themselves. */
export function scenarioOf(amount: number, plays: boolean): Scenario {
  if (!plays) return left
  const digits = String(amount).padStart(4, '0')
  return byFourDigits[digits.slice(-4)] ?? byTwoDigits[digits.slice(-2)] ?? paid
}
