// What helping a member can refuse, beside what every route can.

import { defineErrors, type Text } from '../../platform/errors.ts'

export const memberHelpErrors = defineErrors({
  reset_in_progress: {
    status: 409,
    message: {
      en: 'A reset of this second factor is under way. Confirm it, cancel it, or wait for its end.',
      fr: 'Une remise à zéro de ce second facteur est en cours. Confirmez, annulez ou attendez.',
    },
  },
  reset_not_open: {
    status: 409,
    message: {
      en: 'No reset of this second factor waits for this. Ask for one first.',
      fr: 'Aucune remise à zéro de ce second facteur n’attend ceci. Demandez-en une d’abord.',
    },
  },
  same_person: {
    status: 409,
    message: {
      en: 'Whoever asked for the reset cannot confirm it. Ask another member of staff.',
      fr: 'Qui a demandé la remise à zéro ne peut la confirmer. Adressez-vous à un collègue.',
    },
  },
})

export const nothingEnrolled: Text = {
  en: 'This member has no second factor that could be reset.',
  fr: 'Ce membre n’a pas de second facteur à remettre à zéro.',
}
