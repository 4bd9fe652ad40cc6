// Every move of an attempt. FAILED can become SUCCESS (a gateway refuses, then confirms); SUCCESS
// is final: a gateway that takes it back opens an incident and changes no status.

import { defineStates } from '../platform/states.ts'

export type AttemptStatus = 'PENDING' | 'UNKNOWN' | 'SUCCESS' | 'FAILED'

export const attemptStates = defineStates<AttemptStatus>({
  PENDING: {
    SUCCESS: 'gateway confirmed',
    FAILED: 'gateway refused, or never took it',
    UNKNOWN: 'no answer, or closed by us before the gateway ended it',
  },
  UNKNOWN: {
    PENDING: 'gateway says it has it',
    SUCCESS: 'gateway confirmed',
    FAILED: 'gateway refused, or never took it',
  },
  FAILED: { SUCCESS: 'gateway confirmed after all' },
  SUCCESS: {},
})
