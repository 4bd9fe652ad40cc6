// What the sandbox's own routes can refuse (contract 6.9).

import { defineErrors } from '../platform/errors.ts'

export const sandboxErrors = defineErrors({
  not_resolvable: {
    status: 409,
    message: {
      en: 'This transaction has no attempt that is waiting for its payer.',
      fr: 'Cette transaction n’a pas de tentative en attente de son payeur.',
    },
  },
})
