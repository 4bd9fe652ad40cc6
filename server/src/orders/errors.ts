// What a session or a link that is over answers (contract 1.3): the code of a 410 on a session is
// its status in lower case.

import { defineErrors } from '../platform/errors.ts'

/**
 * The count of a session's payments never falls (contract 3.6), so that, unlike with every other
 * `rate_limited`, the same call never succeeds: it is not retryable, and the way on is named.
 */
export const triedOut = defineErrors({
  rate_limited: {
    status: 429,
    message: {
      en: 'This checkout session allows no more attempts. Ask the merchant for a new one.',
      fr: 'Cette session n’accepte plus de tentative. Demandez-en une nouvelle au marchand.',
    },
  },
}).rate_limited

export const orderErrors = defineErrors({
  expired: {
    status: 410,
    message: {
      en: 'This checkout session has expired. Ask the merchant for a new one.',
      fr: 'Cette session de paiement a expiré. Demandez-en une nouvelle au marchand.',
    },
  },
  cancelled: {
    status: 410,
    message: {
      en: 'This checkout session was cancelled by the merchant.',
      fr: 'Cette session de paiement a été annulée par le marchand.',
    },
  },
  paid: {
    status: 410,
    message: {
      en: 'This checkout session has been paid. There is nothing left to pay.',
      fr: 'Cette session de paiement a été payée. Il ne reste rien à payer.',
    },
  },
  payment_link_inactive: {
    status: 410,
    message: {
      en: 'This payment link is disabled. Ask the merchant for another one.',
      fr: 'Ce lien de paiement est désactivé. Demandez-en un autre au marchand.',
    },
  },
  payment_link_expired: {
    status: 410,
    message: {
      en: 'This payment link has expired. Ask the merchant for another one.',
      fr: 'Ce lien de paiement a expiré. Demandez-en un autre au marchand.',
    },
  },
  payment_link_exhausted: {
    status: 410,
    message: {
      en: 'This payment link has reached its usage limit. Ask the merchant for another one.',
      fr:
        'Ce lien de paiement a atteint son nombre maximal d’utilisations. Demandez-en un autre ' +
        'au marchand.',
    },
  },
  payment_link_incomplete: {
    status: 422,
    message: {
      en: 'This payment link has no amount yet. The merchant must complete it.',
      fr: 'Ce lien de paiement n’a pas encore de montant. Le marchand doit le compléter.',
    },
  },
})
