// What signing in and its surroundings can answer (contract 1.3).

import { defineErrors } from '../platform/errors.ts'

export const peopleErrors = defineErrors({
  // One answer for a wrong e-mail, a wrong password and an account that is switched off.
  not_authenticated: {
    status: 401,
    message: {
      en: 'The e-mail or the password is wrong. Try again, or request a new password.',
      fr:
        'L’e-mail ou le mot de passe est incorrect. Réessayez, ou demandez un nouveau mot de ' +
        'passe.',
    },
  },
  totp_required: {
    status: 401,
    message: {
      en: 'Send the 6-digit code from your authenticator app, or a recovery code, in `totp`.',
      fr: 'Envoyez dans `totp` le code à 6 chiffres de votre application, ou un code de secours.',
    },
  },
  totp_already_enrolled: {
    status: 409,
    message: {
      en: 'A second factor is already enrolled. Disable it first to enrol another one.',
      fr: 'Un second facteur est déjà enregistré. Désactivez-le d’abord pour en changer.',
    },
  },
  totp_not_enrolled: {
    status: 409,
    message: {
      en: 'No second factor is enrolled. Start with POST /auth/totp/enrol/.',
      fr: 'Aucun second facteur n’est enregistré. Commencez par POST /auth/totp/enrol/.',
    },
  },
  email_taken: {
    status: 409,
    message: {
      en: 'An account with this e-mail already exists. Sign in, or request a new password.',
      fr:
        'Un compte existe déjà avec cet e-mail. Connectez-vous, ou demandez un nouveau mot de ' +
        'passe.',
    },
  },
})
