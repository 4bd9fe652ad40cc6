// Whether what an operator says of a payment or payout does not match what is recorded: then its
// status alone would mislead, and nothing is offered that would move its money once more.

import type { Transaction } from '../api/types.gen.ts'

export type Contested = Pick<Transaction, 'incident'>

/** Until people have decided; the API knows which incidents are such. */
export const isContested = ({ incident }: Contested): boolean => incident?.is_contradiction === true

type Failed = Contested & Pick<Transaction, 'status' | 'transaction_type' | 'operation_msisdn'>

/** Of whoever was erased only the last digits of a number are left: nobody can be asked. */
export const isErased = ({ operation_msisdn }: Pick<Transaction, 'operation_msisdn'>): boolean =>
  operation_msisdn.startsWith('*')

/** A payment or top-up that may be asked for again, as far as its record says it. */
export const isRetryable = (of: Failed): boolean =>
  of.status === 'FAILED' &&
  (of.transaction_type === 'PAIEMENT' || of.transaction_type === 'RECHARGE') &&
  !(isContested(of) || of.incident?.prevents_retry || isErased(of))
