// Every move a delivery can make. What is not here cannot happen; a delivery that was EXHAUSTED or
// acknowledged comes back only when it is requested again, and its schedule begins anew then.

import { defineStates } from '../platform/states.ts'

export const deliveryStatuses = ['PENDING', 'SUCCESS', 'FAILED', 'EXHAUSTED'] as const

export type DeliveryStatus = (typeof deliveryStatuses)[number]

export const deliveryStates = defineStates<DeliveryStatus>({
  PENDING: {
    SUCCESS: 'acknowledged at the first try',
    FAILED: 'first try failed, another is due',
    EXHAUSTED: 'the endpoint was switched off or deleted',
  },
  FAILED: {
    PENDING: 'sent again on request',
    FAILED: 'tried again, another is due',
    SUCCESS: 'acknowledged at a later try',
    EXHAUSTED: 'no try is left, or the endpoint was switched off or deleted',
  },
  SUCCESS: { PENDING: 'sent again on request' },
  EXHAUSTED: { PENDING: 'sent again on request' },
})
