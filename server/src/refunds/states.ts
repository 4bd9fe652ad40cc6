// Every move of a refund's status. All ends are final: what an operator says of it afterwards opens
// an incident and moves nothing.

import { defineStates } from '../platform/states.ts'

export const refundStatuses = ['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED'] as const
export type RefundStatus = (typeof refundStatuses)[number]

export const refundStates = defineStates<RefundStatus>({
  PENDING: {
    SUCCESS: 'gateway confirmed',
    FAILED: 'gateway refused, or a second person did',
    CANCELLED: 'merchant cancelled before it was sent',
  },
  SUCCESS: {},
  FAILED: {},
  CANCELLED: {},
})
