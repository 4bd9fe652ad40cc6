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
      en: 'XOF and XAF are pegged to EUR at 655.957. This rate cannot be set.',
      fr: 'XOF et XAF sont arrimés à l’EUR à 655,957. Ce taux ne se fixe pas.',
    },
  },
  rate_exists: {
    status: 409,
    message: {
      en: 'This pair already has a rate at that exact time. Choose a later one.',
      fr: 'Cette paire a déjà un taux à cet instant précis. Choisissez-en un plus tard.',
    },
  },
  rate_quoted_other_way: {
    status: 409,
    message: {
      en: 'This pair is quoted the other way round. Swap base and quote.',
      fr: 'Cette paire est cotée dans l’autre sens. Inversez base et quote.',
    },
  },
})
