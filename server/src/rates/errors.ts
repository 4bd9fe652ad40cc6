// What may be answered about exchange rates (decisions 1.3, 2.5).

import { defineErrors } from '../platform/errors.ts'

export const rateErrors = defineErrors({
  no_exchange_rate: {
    status: 422,
    retryable: true,
    message: {
      en: 'There is no exchange rate between these currencies at the moment.',
      fr: 'Il n’y a pas de taux de change entre ces devises pour le moment.',
    },
  },
})
