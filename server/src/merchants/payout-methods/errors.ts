// What payout methods can refuse, beside what every route can. `payout_method_cooling_off` is for
// paying to one.

import { defineErrors } from '../../platform/errors.ts'
import { methods_max } from './payout-method.ts'

export const payoutMethodErrors = defineErrors({
  invalid_method: {
    status: 422,
    message: {
      en: 'This network is unknown, disabled, or in another country. See GET /networks/.',
      fr: 'Ce réseau est inconnu, désactivé ou dans un autre pays. Voir GET /networks/.',
    },
  },
  payout_not_enabled: {
    status: 422,
    message: {
      en: 'This network does not support payouts. Choose another one, or a bank account.',
      fr: 'Ce réseau n’accepte pas de versements. Choisissez-en un autre, ou un compte bancaire.',
    },
  },
  payout_method_limit_reached: {
    status: 409,
    message: {
      en: `An account can have at most ${methods_max} payout methods. Delete one.`,
      fr: `Un compte a au plus ${methods_max} moyens de versement. Supprimez-en un.`,
    },
  },
  payout_method_cooling_off: {
    status: 422,
    retryable: true,
    message: {
      en: 'This payout method is too new. It can be used from its "usable_from" on.',
      fr:
        'Ce moyen de versement est trop récent. Il est utilisable à partir de son « usable_from ' +
        '».',
    },
  },
})
