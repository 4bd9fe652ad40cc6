// What transfers can refuse beside what payouts can (contract 1.3, 3.5, 5.10).

import { defineErrors } from '../platform/errors.ts'

export const walletErrors = defineErrors({
  transaction_terminal: {
    status: 409,
    message: {
      en: 'This transfer no longer waits: it was approved or rejected, or its 24 hours are over.',
      fr: 'Ce transfert n’attend plus : approuvé, rejeté, ou ses 24 heures sont passées.',
    },
  },
  merchant_suspended: {
    status: 403,
    message: {
      en: 'This merchant is suspended: his transfers wait. Restore him first, or reject it.',
      fr: 'Ce marchand est suspendu : ses transferts attendent. Rétablissez-le, ou rejetez.',
    },
  },
})
