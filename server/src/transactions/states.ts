// Every move a transaction's status can make, by its type (money 2). What is not here cannot
// happen.

import { defineStates, type States } from '../platform/states.ts'

export type TransactionStatus = 'PENDING' | 'SUCCESS' | 'FAILED' | 'CANCELLED'
export type TransactionType = 'PAIEMENT' | 'RECHARGE' | 'RETRAIT' | 'TRANSFERT'

export const inboundStates = defineStates<TransactionStatus>({
  PENDING: { SUCCESS: 'gateway confirmed', FAILED: 'gateway refused, or no route took it' },
  FAILED: { PENDING: 'merchant retried', SUCCESS: 'gateway confirmed after all' },
  SUCCESS: {},
  CANCELLED: {},
})

export const payoutStates = defineStates<TransactionStatus>({
  PENDING: { SUCCESS: 'gateway confirmed', FAILED: 'gateway refused, or staff closed it' },
  FAILED: {},
  SUCCESS: {},
  CANCELLED: {},
})

const transferStates = defineStates<TransactionStatus>({
  PENDING: {},
  FAILED: {},
  SUCCESS: {},
  CANCELLED: {},
})

export const statesOf: Readonly<Record<TransactionType, States<TransactionStatus>>> = {
  PAIEMENT: inboundStates,
  RECHARGE: inboundStates,
  RETRAIT: payoutStates,
  TRANSFERT: transferStates,
}
