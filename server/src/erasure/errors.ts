// Why a customer cannot be forgotten now.

import { defineErrors } from '../platform/errors.ts'

export const erasureErrors = defineErrors({
  retention_required: {
    status: 409,
    message: {
      en: 'This customer cannot be erased yet.',
      fr: 'Ce client ne peut pas encore être effacé.',
    },
  },
})
