// What the endpoints' routes can refuse, beside what every route can.

import { defineErrors } from '../platform/errors.ts'
import { webhooks_max } from './webhook.ts'

export const webhookErrors = defineErrors({
  webhook_limit_reached: {
    status: 422,
    message: {
      en: `An account has at most ${webhooks_max} webhooks in an environment. Delete one.`,
      fr: `Un compte a au plus ${webhooks_max} webhooks par environnement. Supprimez-en un.`,
    },
  },
  webhook_inactive: {
    status: 409,
    message: {
      en: 'This webhook is switched off. Set "is_active" to true first.',
      fr: 'Ce webhook est désactivé. Mettez d’abord « is_active » à true.',
    },
  },
})
