// What managing a merchant can answer (contract 1.3).

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
  no_pending_change: {
    status: 409,
    message: {
      en: 'No change waits here: it is in force, was cancelled, or was never asked for.',
      fr: 'Aucun changement n’attend ici : il est en vigueur, annulé, ou n’a pas été demandé.',
    },
  },
  second_member_required: {
    status: 409,
    message: {
      en:
        'Only a second member can confirm this at once: not whoever asked for it or was invited ' +
        'by them; and both must have had their role and second factor for longer than the wait. ' +
        'Otherwise it takes effect by itself when the wait is over.',
      fr:
        'Seul un second membre peut le confirmer tout de suite : ni qui l’a demandé, ni une ' +
        'personne invitée par lui ; et tous deux doivent avoir leur rôle et leur second facteur ' +
        'depuis plus longtemps que le délai. Sinon, cela prend effet seul à la fin du délai.',
    },
  },
})
