// The cards that Stripe's test mode answers in a known way. Source: docs.stripe.com/testing, read
// in November 2026 (docs/operators/stripe.md). They are typed on Stripe's page, never into our API.

import type { TestNumber, TestNumbers } from '../adapter.ts'

const cards: readonly (readonly [string, string])[] = [
  ['4242 4242 4242 4242', 'paid'],
  ['4000 0000 0000 0002', 'declined'],
  ['4000 0000 0000 9995', 'declined, insufficient funds'],
  ['4000 0000 0000 0069', 'declined, expired card'],
  ['4000 0000 0000 0119', 'declined, processing error'],
  ['4000 0025 0000 3155', 'asks for 3-D Secure'],
  ['4000 0000 0000 7726', 'paid; a refund of it succeeds later'],
  ['4000 0000 0000 5126', 'paid; a refund of it fails later'],
  ['4000 0000 0000 0259', 'paid, then disputed'],
]

export const tests: TestNumbers = {
  numbers: cards.map(
    ([number, then]): TestNumber => ({ network: 'card', direction: 'COLLECT', number, then }),
  ),
  about: {
    en: 'typed on its page, with any date to come and any code',
    fr: 'à saisir sur sa page, avec une date à venir et un code quelconques',
  },
}
