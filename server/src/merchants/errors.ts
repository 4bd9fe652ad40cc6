// What managing a merchant can answer (decisions 1.3).

import { defineErrors } from '../platform/errors.ts'

export const merchantErrors = defineErrors({
  name_not_waiting: {
    status: 409,
    message: {
      en: 'No change of name since that moment waits here. Read the merchant again.',
      fr: 'Aucun changement de nom de ce moment n’attend ici. Relisez le marchand.',
    },
  },
  invalid_country: {
    status: 422,
    message: {
      en: 'We do not serve this country. GET /countries/ lists those we do.',
      fr: 'Nous ne servons pas ce pays. GET /countries/ donne la liste.',
    },
  },
})
