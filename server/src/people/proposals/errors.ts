// What proposals of the staff can answer (contract 1.3).

import { defineErrors } from '../../platform/errors.ts'

export const proposalErrors = defineErrors({
  proposal_pending: {
    status: 409,
    message: {
      en:
        'This has already been proposed. Another member of staff must confirm it, or withdraw ' +
        'it first.',
      fr:
        'C’est déjà proposé. Une autre personne de l’équipe doit confirmer ; sinon, retirez ' +
        'd’abord la proposition.',
    },
  },
  proposal_decided: {
    status: 409,
    message: {
      en: 'This proposal has already been decided, or has lapsed. Propose it again.',
      fr: 'Cette proposition est déjà tranchée ou périmée. Proposez à nouveau.',
    },
  },
  same_person: {
    status: 409,
    message: {
      en: 'You have proposed this yourself: another member of staff must confirm it.',
      fr:
        'Vous êtes à l’origine de cette proposition : une autre personne de l’équipe doit ' +
        'confirmer.',
    },
  },
  proposal_outdated: {
    status: 409,
    message: {
      en:
        'What this proposal changes is not as it was when it was proposed. Withdraw it, look ' +
        'again, and propose it again.',
      fr:
        'Ce que cette proposition modifie a changé depuis. Retirez-la, vérifiez, puis proposez à ' +
        'nouveau.',
    },
  },
  proposer_gone: {
    status: 409,
    message: {
      en:
        'Whoever proposed this may not do so any more: their account was switched off, or has ' +
        'lost the right. Withdraw or refuse it and propose it again.',
      fr:
        'La personne à l’origine de cette proposition n’en a plus le droit : son compte est ' +
        'désactivé ou a changé de rôle. Retirez ou refusez la proposition, puis proposez à ' +
        'nouveau.',
    },
  },
})
