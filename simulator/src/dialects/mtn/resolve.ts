// How a test ends a transaction of this operator that waits.

import { isResolvable, type Resolved, type Resolving } from '../resolving.ts'
import { keyOf } from './books.ts'
import type { OperatorDeps } from './routes.ts'
import type { Product } from './scenarios.ts'
import { stateAt } from './transaction.ts'

/** What it calls each cause, by product; `FAILED` for any other. */
const reasons: Readonly<Record<Product, Readonly<Record<string, string>>>> = {
  collection: {
    PAYER_NOT_FOUND: 'PAYER_NOT_FOUND',
    INSUFFICIENT_FUNDS: 'NOT_ENOUGH_FUNDS',
    LIMIT_REACHED: 'PAYER_LIMIT_REACHED',
  },
  disbursement: {
    RECIPIENT_NOT_FOUND: 'PAYEE_NOT_FOUND',
    LIMIT_REACHED: 'PAYEE_LIMIT_REACHED',
  },
}

const either: Readonly<Record<string, string>> = {
  NOT_APPROVED: 'APPROVAL_REJECTED',
  EXPIRED: 'EXPIRED',
  GATEWAY_UNAVAILABLE: 'SERVICE_UNAVAILABLE',
}

export function resolve(deps: OperatorDeps, asked: Resolving): Resolved {
  const product = asked.direction === 'COLLECT' ? 'collection' : 'disbursement'
  const one = deps.books.transactions.get(keyOf({ product, reference: asked.our_key }))
  if (one === undefined) return 'missing'
  const { status } = stateAt(one, deps, deps.now())
  const state = { isOpen: status === 'PENDING', hasFailed: status === 'FAILED' }
  if (!isResolvable(asked, state)) return 'ended'
  const { failure_code } = asked
  const reason =
    reasons[product][failure_code] ?? either[failure_code] ?? 'INTERNAL_PROCESSING_ERROR'
  const ending =
    asked.outcome === 'SUCCESS'
      ? { status: 'SUCCESSFUL' as const, reason: '' }
      : { status: 'FAILED' as const, reason }
  const transaction = { ...one, resolved: { at: deps.now(), ...ending } }
  deps.books.keep({ transaction })
  void deps.schedule(transaction)
  return 'done'
}
