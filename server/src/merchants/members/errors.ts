// What managing members can refuse, beside what every route can.

import { defineErrors } from '../../platform/errors.ts'

export const memberErrors = defineErrors({
  last_owner: {
    status: 409,
    message: {
      en: 'This is the last owner. Make someone else an owner first.',
      fr: 'C’est le dernier propriétaire. Nommez d’abord un autre propriétaire.',
    },
  },
})
