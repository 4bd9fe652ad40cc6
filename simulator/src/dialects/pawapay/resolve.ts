// How a test ends a payment of this operator that waits.

import { isResolvable, type Resolved, type Resolving } from '../resolving.ts'
import type { OperatorDeps } from './operator.ts'
import { stateAt } from './payment.ts'

/** What it calls each cause; `UNSPECIFIED_FAILURE` for any other. */
const reasons: Readonly<Record<string, string>> = {
  PAYER_NOT_FOUND: 'PAYER_NOT_FOUND',
  RECIPIENT_NOT_FOUND: 'RECIPIENT_NOT_FOUND',
  INSUFFICIENT_FUNDS: 'INSUFFICIENT_BALANCE',
  NOT_APPROVED: 'PAYMENT_NOT_APPROVED',
  LIMIT_REACHED: 'PAYER_LIMIT_REACHED',
  GATEWAY_UNAVAILABLE: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
}

export function resolve(deps: OperatorDeps, asked: Resolving): Resolved {
  const one = deps.books.payments.get(asked.our_key.toLowerCase())
  if (one === undefined) return 'missing'
  const { status } = stateAt(one, deps.pace(), deps.now())
  const hasFailed = status === 'FAILED'
  const state = { isOpen: status !== 'COMPLETED' && !hasFailed, hasFailed }
  if (!isResolvable(asked, state)) return 'ended'
  const ending =
    asked.outcome === 'SUCCESS'
      ? { status: 'COMPLETED' as const, reason: '' }
      : { status: 'FAILED' as const, reason: reasons[asked.failure_code] ?? 'UNSPECIFIED_FAILURE' }
  void deps.change({ ...one, resolved: { at: deps.now(), ...ending } })
  return 'done'
}
