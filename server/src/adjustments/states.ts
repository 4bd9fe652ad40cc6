// Every move of a manual adjustment. What is not here cannot happen.

import { defineStates } from '../platform/states.ts'

export const adjustmentStatuses = ['PENDING', 'BOOKED', 'REFUSED'] as const
export type AdjustmentStatus = (typeof adjustmentStatuses)[number]

export const adjustmentStates = defineStates<AdjustmentStatus>({
  PENDING: { BOOKED: 'another confirmed', REFUSED: 'refused, or taken back' },
  BOOKED: {},
  REFUSED: {},
})
