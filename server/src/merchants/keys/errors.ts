// What managing API keys can refuse, beside what every route can.

import { defineErrors } from '../../platform/errors.ts'
import { keys_max } from './api-key.ts'

export const keyErrors = defineErrors({
  key_not_active: {
    status: 409,
    message: {
      en:
        'This key has been revoked, has expired or has already been rotated. Rotate its ' +
        'successor.',
      fr: 'Cette clé est révoquée, expirée ou déjà remplacée. Remplacez celle qui lui succède.',
    },
  },
  key_limit_reached: {
    status: 409,
    message: {
      en: `An account can have at most ${keys_max} active keys per environment. Revoke one.`,
      fr: `Un compte a au plus ${keys_max} clés actives par environnement. Révoquez-en une.`,
    },
  },
})
