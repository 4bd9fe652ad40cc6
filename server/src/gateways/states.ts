// Every move of a version of an account's secrets. What is not here cannot happen; a retired
// version is erased.

import { defineStates } from '../platform/states.ts'

export const secretStateNames = ['NEXT', 'CURRENT', 'PREVIOUS', 'RETIRED'] as const
export type SecretState = (typeof secretStateNames)[number]

export const secretStates = defineStates<SecretState>({
  NEXT: { CURRENT: 'promoted', RETIRED: 'replaced before it counted' },
  CURRENT: { PREVIOUS: 'another was promoted' },
  PREVIOUS: { RETIRED: 'retired, its 72 hours are over, or another was promoted' },
  RETIRED: {},
})
