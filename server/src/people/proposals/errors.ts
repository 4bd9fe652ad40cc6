// What proposals of the staff can answer (contract 1.3).

import { defineErrors } from '../../platform/errors.ts'

export const proposalErrors = defineErrors({
  proposal_pending: {
    status: 409,
    message: {
      en: 'This is proposed already. Another member of staff confirms it, or withdraw it first.',
      fr: 'C’est déjà proposé. Un autre membre de l’équipe confirme, ou il faut d’abord retirer.',
    },
  },
  proposal_decided: {
    status: 409,
    message: {
      en: 'This proposal was decided already, or its time is over. Propose it again.',
      fr: 'Cette proposition est déjà tranchée ou périmée. Proposez à nouveau.',
    },
  },
  same_person: {
    status: 409,
    message: {
      en: 'You have proposed this yourself: another member of staff must confirm it.',
      fr: 'Vous l’avez proposé vous-même : un autre membre de l’équipe doit confirmer.',
    },
  },
})
