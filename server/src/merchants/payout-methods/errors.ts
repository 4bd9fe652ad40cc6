// What payout methods can refuse, beside what every route can. `payout_method_cooling_off` is for
// paying to one.

import { defineErrors } from '../../platform/errors.ts'
import { methods_max } from './payout-method.ts'

export const payoutMethodErrors = defineErrors({
  invalid_method: {
    status: 422,
    message: {
      en: 'This network is unknown, switched off, or of another country. See GET /networks/.',
      fr: 'Ce réseau est inconnu, désactivé ou d’un autre pays. Voir GET /networks/.',
    },
  },
  payout_not_enabled: {
    status: 422,
    message: {
      en: 'This network takes no payouts. Choose another one, or a bank account.',
      fr: 'Ce réseau ne reçoit pas de retraits. Choisissez-en un autre, ou un compte bancaire.',
    },
  },
  payout_method_limit_reached: {
    status: 409,
    message: {
      en: `An account has at most ${methods_max} payout methods. Delete one.`,
      fr: `Un compte a au plus ${methods_max} moyens de retrait. Supprimez-en un.`,
    },
  },
  payout_method_cooling_off: {
    status: 422,
    retryable: true,
    message: {
      en: 'This payout method is too new. It can be used from its "usable_from" on.',
      fr: 'Ce moyen de retrait est trop récent. Il sert à partir de son « usable_from ».',
    },
  },
})
