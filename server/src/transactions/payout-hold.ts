// What a payout has promised: the whole of its cost to the merchant, on hold under its own id
// from the statement that makes it until the gateway's final answer (money 3).

import { returnOutflow } from '../ledger/day-limit-statements.ts'
import type { Hold, NewHold } from '../ledger/holds/hold.ts'
import { insertHoldEnd } from '../ledger/holds/statements.ts'
import { payoutSuccess } from '../ledger/postings.ts'
import type { Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import type { OptionalGate, Part } from '../platform/sql.ts'
import type { TransactionContext } from './store.ts'

type PromisedPayout = Readonly<{
  merchant_id: string
  environment: Environment
  country_code: string
  currency: string
  debited_amount: bigint
}>

/** Every route of a payout costs the merchant the same, so the hold does not change with it. */
const holdOf = (transaction_id: string, payout: PromisedPayout): Hold => ({
  merchant_id: payout.merchant_id,
  environment: payout.environment,
  country: payout.country_code,
  currency: payout.currency,
  id: transaction_id,
  amount: payout.debited_amount,
})

export const newPayoutHold = (transaction_id: string, payout: PromisedPayout): NewHold => ({
  ...holdOf(transaction_id, payout),
  cause_kind: 'PAYOUT',
  cause_id: transaction_id,
})

/**
 * Ends the hold, and spends it where the payout was paid. The first part has a row when it has
 * ended it; of those after it none need have one.
 */
export function endPayoutHold(
  sql: Sql,
  { attempt, transaction }: TransactionContext,
  how: 'RELEASE' | 'SPEND',
  gate?: OptionalGate,
): [Part, ...Part<never>[]] {
  const hold = holdOf(transaction.id, attempt)
  if (how === 'RELEASE') {
    const { merchant_id, id: cause_id } = hold
    return [
      insertHoldEnd(sql, hold, { how }, gate),
      returnOutflow(sql, { merchant_id, cause_id }, gate),
    ]
  }
  const on = {
    cause_kind: 'TRANSACTION' as const,
    cause_id: transaction.id,
    attempt_id: attempt.id,
    lines: payoutSuccess(hold, attempt.gateway_id, attempt),
  }
  return [insertHoldEnd(sql, hold, { how, on }, gate)]
}
