// What managing a merchant can answer (contract 1.3).

import { defineErrors } from '../platform/errors.ts'

export const merchantErrors = defineErrors({
  name_not_waiting: {
    status: 409,
    message: {
      en: 'No name change from that moment is awaiting review. Read the merchant again.',
      fr:
        'Aucun changement de nom datant de ce moment n’attend de validation. Relisez le ' +
        'marchand.',
    },
  },
  merchant_changed: {
    status: 409,
    message: {
      en: 'The merchant was changed after you read it. Read it again, then decide.',
      fr: 'Le marchand a été modifié après votre lecture. Relisez-le avant de décider.',
    },
  },
  invalid_country: {
    status: 422,
    message: {
      en: 'We do not serve this country. GET /countries/ lists those we do.',
      fr: 'Nous ne desservons pas ce pays. GET /countries/ donne la liste des pays desservis.',
    },
  },
  no_pending_change: {
    status: 409,
    message: {
      en: 'No change is pending here: it is in force, was cancelled, or was never requested.',
      fr: 'Aucun changement n’est en attente : il est en vigueur, annulé, ou n’a pas été demandé.',
    },
  },
  pending_change_replaced: {
    status: 409,
    message: {
      en: 'Another change is pending now than the one you read. Read it again, then confirm it.',
      fr:
        'Le changement en attente n’est plus celui que vous avez lu. Relisez-le avant de le ' +
        'confirmer.',
    },
  },
  second_member_required: {
    status: 409,
    message: {
      en:
        'Only a second member can confirm this at once: neither the member who requested it nor ' +
        'one whom that member invited. Both must have had their role and second factor for ' +
        'longer than the wait. Otherwise it takes effect by itself when the wait is over.',
      fr:
        'Seul un second membre peut confirmer tout de suite : ni le membre qui l’a demandé, ni ' +
        'une personne invitée par ce membre. Tous deux doivent avoir leur rôle et leur second ' +
        'facteur depuis plus longtemps que le délai. Sinon, le changement prend effet de ' +
        'lui-même à la fin du délai.',
    },
  },
})
