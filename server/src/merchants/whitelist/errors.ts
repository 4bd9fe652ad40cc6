// What managing the IP whitelist can refuse, beside what every route can.

import { defineErrors } from '../../platform/errors.ts'
import { entries_max } from './entry.ts'

export const whitelistErrors = defineErrors({
  whitelist_limit_reached: {
    status: 409,
    message: {
      en: `A whitelist can have at most ${entries_max} entries. Use a network, or remove one.`,
      fr: `La liste a au plus ${entries_max} entrées. Utilisez un réseau ou retirez-en une.`,
    },
  },
})
