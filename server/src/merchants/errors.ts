// What managing a merchant can answer (decisions 1.3).

import { defineErrors } from '../platform/errors.ts'

export const merchantErrors = defineErrors({
  invalid_country: {
    status: 422,
    message: {
      en: 'We do not serve this country. GET /countries/ lists those we do.',
      fr: 'Nous ne servons pas ce pays. GET /countries/ donne la liste.',
    },
  },
})
