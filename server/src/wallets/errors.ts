// What transfers can refuse beside what payouts can (contract 1.3, 3.5, 5.10).

import { defineErrors } from '../platform/errors.ts'

export const walletErrors = defineErrors({
  transaction_terminal: {
    status: 409,
    message: {
      en:
        'This transfer is no longer pending: it was approved or rejected, or its 24 hours are ' +
        'over.',
      fr: 'Ce transfert n’est plus en attente : approuvé, rejeté, ou ses 24 heures sont passées.',
    },
  },
  merchant_suspended: {
    status: 403,
    message: {
      en:
        'This merchant is suspended and their transfers wait. Restore the merchant first, or ' +
        'reject the transfer.',
      fr:
        'Ce marchand est suspendu : ses transferts attendent. Rétablissez d’abord le marchand, ' +
        'ou rejetez le transfert.',
    },
  },
})
