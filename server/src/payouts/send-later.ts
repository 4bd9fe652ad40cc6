// Sends a payout whose caller has been answered already (it waited for a person, or for a float) to
// its operators, one after the other; their answers are reported by event.

import type { PaymentDeps } from '../planning/facts.ts'
import { notOnce } from '../platform/http/once.ts'
import { sendTransaction, type TransactionRun } from '../transactions/send-transaction.ts'
import type { Transaction } from '../transactions/transaction.ts'

type RunOptions = Pick<TransactionRun, 'plans' | 'since_ms' | 'triggered_by' | 'request_id'>

/** Its first attempt is written already. */
export const sendLater = (deps: PaymentDeps, transaction: Transaction, options: RunOptions) =>
  sendTransaction(deps, {
    ...options,
    merchant_id: transaction.merchant_id,
    environment: transaction.environment,
    transaction_id: transaction.id,
    version: transaction.version,
    first_priority: 1,
    otp: undefined,
    description: transaction.description,
    return_url: '',
    once: notOnce,
    answerWaiting: () => ({ status: 200, json: '{}' }),
  })
