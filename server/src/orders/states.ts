// Every move a checkout session can make (money 2). What is not here cannot happen.

import { defineStates } from '../platform/states.ts'

export const sessionStatuses = ['PENDING', 'PAID', 'EXPIRED', 'CANCELLED'] as const
export type SessionStatus = (typeof sessionStatuses)[number]

export const sessionStates = defineStates<SessionStatus>({
  PENDING: { PAID: 'a payment succeeded', EXPIRED: 'its time is over', CANCELLED: 'cancelled' },
  EXPIRED: { PAID: 'a payment succeeded late' },
  CANCELLED: { PAID: 'a payment succeeded late' },
  PAID: {},
})
