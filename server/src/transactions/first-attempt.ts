// The attempt that a transaction begins with: the first of its routes, leased to the process that
// writes it.

import type { AttemptPlan } from '../attempts/attempt.ts'
import type { SendDeps } from '../attempts/send-attempt.ts'
import type { NewAttempt } from '../attempts/statements.ts'
import { leaseSeconds } from '../attempts/try-routes.ts'
import type { Transaction } from './transaction.ts'

export const firstAttempt = (
  deps: SendDeps,
  { merchant_id, environment, id }: Pick<Transaction, 'merchant_id' | 'environment' | 'id'>,
  plan: AttemptPlan,
): NewAttempt => ({
  merchant_id,
  environment,
  transaction_id: id,
  priority: 1,
  plan,
  lease_s: leaseSeconds(deps, plan.gateway_code),
})
