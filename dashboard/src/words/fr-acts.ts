// What was done and by whom, as a story and the audit log say it, in French.

import { acts } from './fr/acts.ts'
import { audit } from './fr/audit.ts'

export const words = { ...acts, ...audit } as const
