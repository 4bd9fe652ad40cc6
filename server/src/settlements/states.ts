// Every move of a settlement's status (money 2). What is not here cannot happen; one act may make
// two of them at once, each counted by the version.

import { defineStates } from '../platform/states.ts'

export const settlementStatuses = [
  'PENDING',
  'APPROVED',
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'CANCELLED',
] as const
export type SettlementStatus = (typeof settlementStatuses)[number]

export const settlementStates = defineStates<SettlementStatus>({
  PENDING: {
    APPROVED: 'staff approved, or its amount needed nobody',
    CANCELLED: 'merchant cancelled',
    FAILED: 'staff refused it',
  },
  APPROVED: {
    PROCESSING: 'given to a gateway, or to the bank',
    FAILED: 'staff gave it up',
  },
  PROCESSING: {
    SUCCESS: 'gateway confirmed, or the bank has paid',
    FAILED: 'gateway refused, or no route took it',
  },
  SUCCESS: {},
  FAILED: {},
  CANCELLED: {},
})
