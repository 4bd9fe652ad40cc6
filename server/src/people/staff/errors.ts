// What managing staff can answer beside the codes of signing in (contract 1.3).

import { defineErrors, type Text } from '../../platform/errors.ts'

export const staffErrors = defineErrors({
  last_superadmin: {
    status: 409,
    message: {
      en: 'This is the last superadmin. Make another one first.',
      fr: 'C’est le dernier superadministrateur. Nommez-en un autre d’abord.',
    },
  },
})

/** For `permission_denied`, where it is the caller's own account. */
export const notYourself: Text = {
  en: 'Nobody disables or lowers himself. Ask another superadmin.',
  fr: 'Personne ne se désactive ni ne se rétrograde. Demandez à un autre superadministrateur.',
}

/** For everybody but the demo's administrator. */
export const notByDemo: Text = {
  en: 'The demo’s administrator changes accounts of the demo only.',
  fr: 'L’administrateur de démonstration ne modifie que les comptes de démonstration.',
}

/**
 * The same for the second factor: a person who still has it uses the routes of their own account.
 */
export const notYourOwnFactor: Text = {
  en: 'For your own second factor use /admin/auth/totp/, or ask another superadmin.',
  fr: 'Pour votre propre second facteur : /admin/auth/totp/, ou un autre superadministrateur.',
}
