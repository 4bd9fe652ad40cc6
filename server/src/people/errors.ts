// What signing in and its surroundings can answer (decisions 1.3).

import { defineErrors } from '../platform/errors.ts'

export const peopleErrors = defineErrors({
  // One answer for a wrong e-mail, a wrong password and an account that is switched off.
  not_authenticated: {
    status: 401,
    message: {
      en: 'The e-mail or the password is wrong. Try again, or ask for a new password.',
      fr: 'L’e-mail ou le mot de passe est faux. Réessayez, ou demandez un nouveau mot de passe.',
    },
  },
  totp_required: {
    status: 401,
    message: {
      en: 'Send the 6-digit code of your authenticator app, or a recovery code, in `totp`.',
      fr: 'Envoyez dans `totp` le code à 6 chiffres de votre application, ou un code de secours.',
    },
  },
  email_taken: {
    status: 409,
    message: {
      en: 'There is an account with this e-mail. Log in, or ask for a new password.',
      fr: 'Un compte existe avec cet e-mail. Connectez-vous, ou demandez un nouveau mot de passe.',
    },
  },
})
