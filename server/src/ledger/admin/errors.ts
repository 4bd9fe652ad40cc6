// What staff are answered when a sum cannot be moved (contract: errors).

import { defineErrors, type Text } from '../../platform/errors.ts'

export const balanceErrors = defineErrors({
  insufficient_balance: {
    status: 422,
    message: {
      en: 'Less than this is available. Freeze a smaller amount, or the whole balance.',
      fr:
        'Le disponible est inférieur à ce montant. Gelez un montant plus petit, ou tout le ' +
        'solde.',
    },
  },
})

/** The same code, where the sum would come out of what is frozen. */
export const lessIsFrozen: Text = {
  en: 'Less than this is frozen.',
  fr: 'Le montant gelé est inférieur.',
}
