// What helping a member can refuse, beside what every route can.

import { defineErrors, type Text } from '../../platform/errors.ts'

export const memberHelpErrors = defineErrors({
  reset_in_progress: {
    status: 409,
    message: {
      en:
        'A reset of this second factor is under way. Confirm it, cancel it, or wait for it to ' +
        'end.',
      fr: 'Une réinitialisation de ce second facteur est en cours. Confirmez, annulez ou attendez.',
    },
  },
  reset_not_open: {
    status: 409,
    message: {
      en: 'No reset of this second factor is waiting for this. Request one first.',
      fr: 'Aucune réinitialisation de ce second facteur n’est en attente. Demandez-en une d’abord.',
    },
  },
  same_person: {
    status: 409,
    message: {
      en: 'You cannot confirm a reset that you requested. Ask another member of staff.',
      fr:
        'Vous ne pouvez pas confirmer une réinitialisation que vous avez demandée. ' +
        'Adressez-vous à un collègue.',
    },
  },
})

export const nothingEnrolled: Text = {
  en: 'This member has no second factor to reset.',
  fr: 'Ce membre n’a pas de second facteur à réinitialiser.',
}
