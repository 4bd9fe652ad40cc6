// What every route of this operator works with: its books, how it is set up, how it fares; and what
// is in a country's wallet.

import type { Chaos } from '../chaos.ts'
import type { Books } from './books.ts'
import { type Pace, type Payment, stateAt } from './payment.ts'
import { type Condition, conditionKey, type Limits, usualLimits, type Works } from './providers.ts'
import type { Operation } from './scenarios.ts'
import type { CallerKey } from './verify-request.ts'

export type OperatorDeps = Readonly<{
  pace: () => Pace
  books: Books
  token: string
  /** Whole units in each country's wallet before anything moved. */
  opening_balance: () => number
  /** Payouts are accepted and wait; pages are not there yet. */
  delays: Readonly<{ payouts: boolean; pages: boolean }>
  /** By `conditionKey`: what is not as usual. */
  conditions: Map<string, Condition>
  /** How long the provider takes to make its page. Milliseconds, unscaled. */
  page_after_ms: number
  callback_of: (operation: Operation) => string
  signs: () => boolean
  /** The caller's own key, where requests that move money must be signed by it. */
  caller_key: () => CallerKey | undefined
  chaos: Chaos | undefined
  /** How often each payment was asked about, while faults are drawn. */
  asked: Map<string, number>
  /** Keeps it, and sends the callbacks of its last change when they are due. */
  change: (one: Payment) => Promise<void>
  /** Sends its callback at once. */
  send: (one: Payment) => Promise<void>
  now: () => number
}>

/** Whole units in a country's wallet: what was collected, less what was paid or is reserved. */
export function balanceOf(deps: OperatorDeps, country: string): number {
  const sums = [...deps.books.payments.values()].map((one) => {
    const { status } = stateAt(one, deps.pace(), deps.now())
    if (one.country !== country || status === 'FAILED') return 0
    if (one.operation !== 'deposits') return -Number(one.amount)
    return status === 'COMPLETED' ? Number(one.amount) : 0
  })
  return sums.reduce((sum, one) => sum + one, deps.opening_balance())
}

export const limitsOf = (
  { conditions }: Pick<OperatorDeps, 'conditions'>,
  provider: string,
  operation: Operation,
): Limits => conditions.get(conditionKey(provider, operation))?.limits ?? usualLimits

export function worksAt(
  { conditions, delays }: Pick<OperatorDeps, 'conditions' | 'delays'>,
  provider: string,
  operation: Operation,
): Works {
  const set = conditions.get(conditionKey(provider, operation))?.works
  return set ?? (operation === 'payouts' && delays.payouts ? 'DELAYED' : 'OPERATIONAL')
}
