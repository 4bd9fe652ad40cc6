// Every move a transfer between two countries can make (money 2). The statuses that no move reaches
// are in the contract and reserved.

import { defineStates } from '../platform/states.ts'

export const transferStatuses = [
  'PENDING',
  'APPROVED',
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'REJECTED',
] as const
export type TransferStatus = (typeof transferStatuses)[number]

export const walletTransferStates = defineStates<TransferStatus>({
  PENDING: {
    SUCCESS: 'staff approved, or below the limit',
    REJECTED: 'staff refused, or 24 h over',
  },
  APPROVED: {},
  PROCESSING: {},
  SUCCESS: {},
  FAILED: {},
  REJECTED: {},
})
