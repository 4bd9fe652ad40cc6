// What may be answered about exchange rates (contract 1.3, 2.5).

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
  rate_is_pegged: {
    status: 409,
    message: {
      en: 'XOF and XAF are pegged to EUR: 655.957 for one. This rate is never set.',
      fr: 'XOF et XAF sont arrimés à l’EUR : 655,957 pour un. Ce taux ne se fixe pas.',
    },
  },
  rate_exists: {
    status: 409,
    message: {
      en: 'This pair has a rate of that very moment already. Choose a later one.',
      fr: 'Cette paire a déjà un taux à cet instant précis. Choisissez-en un plus tard.',
    },
  },
  rate_quoted_other_way: {
    status: 409,
    message: {
      en: 'This pair is quoted the other way round. Exchange base and quote.',
      fr: 'Cette paire est cotée dans l’autre sens. Échangez base et quote.',
    },
  },
})
