// What inviting can refuse, beside what every route can.

import { defineErrors, type Invalid, invalid } from '../../../platform/errors.ts'

export const invitationErrors = defineErrors({
  already_member: {
    status: 409,
    message: {
      en: 'Someone with this e-mail is already a member.',
      fr: 'Une personne avec cet e-mail est déjà membre.',
    },
  },
  invitation_not_open: {
    status: 409,
    message: {
      en: 'This invitation has been accepted or revoked. Send another one.',
      fr: 'Cette invitation a été acceptée ou révoquée. Envoyez-en une autre.',
    },
  },
})

/** One answer for a token that is unknown, used, revoked, replaced or expired. */
export const opensNothing = (): Invalid =>
  invalid('token', {
    en: 'This invitation is no longer valid. Ask the person who invited you for another one.',
    fr:
      'Cette invitation n’est plus valable. Demandez-en une autre à la personne qui vous a ' +
      'invité.',
  })
