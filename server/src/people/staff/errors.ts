// What managing staff can answer beside the codes of signing in (contract 1.3).

import { defineErrors, type Text } from '../../platform/errors.ts'

export const staffErrors = defineErrors({
  last_superadmin: {
    status: 409,
    message: {
      en: 'This is the last superadmin. Appoint another one first.',
      fr: 'C’est le dernier superadministrateur. Nommez-en un autre d’abord.',
    },
  },
})

/** For `permission_denied`, where it is the caller's own account. */
export const notYourself: Text = {
  en: 'You cannot disable or demote yourself. Ask another superadmin.',
  fr:
    'Vous ne pouvez ni vous désactiver ni vous rétrograder. Adressez-vous à un autre ' +
    'superadministrateur.',
}

/** For everybody but the demo's administrator. */
export const notByDemo: Text = {
  en: 'The demo administrator can only change demo accounts.',
  fr: 'L’administrateur de démonstration ne modifie que les comptes de démonstration.',
}

/**
 * The same for the second factor: a person who still has it uses the routes of their own account.
 */
export const notYourOwnFactor: Text = {
  en: 'For your own second factor use /admin/auth/totp/, or ask another superadmin.',
  fr: 'Pour votre propre second facteur : /admin/auth/totp/, ou un autre superadministrateur.',
}
