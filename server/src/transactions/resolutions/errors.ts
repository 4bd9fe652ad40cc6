// What resolving an incident can refuse.

import { defineErrors } from '../../platform/errors.ts'

export const resolutionErrors = defineErrors({
  incident_resolved: {
    status: 409,
    message: {
      en: 'This incident has already been resolved.',
      fr: 'Cet incident est déjà résolu.',
    },
  },
  nothing_proposed: {
    status: 409,
    message: {
      en: 'No resolution has been proposed yet. Call resolve first.',
      fr: 'Aucune résolution n’a encore été proposée. Appelez d’abord resolve.',
    },
  },
  second_person_required: {
    status: 409,
    message: {
      en: 'You cannot confirm a resolution that you proposed. Ask another member of staff.',
      fr:
        'Vous ne pouvez pas confirmer une résolution que vous avez proposée. Adressez-vous à un ' +
        'collègue.',
    },
  },
  proposal_changed: {
    status: 409,
    message: {
      en:
        'A different resolution is proposed now, or more than one has been: read the ' +
        'incident again, and name the resolution that you confirm.',
      fr:
        'La résolution proposée n’est plus celle-là, ou il y en a eu plusieurs : relisez ' +
        'l’incident et nommez la résolution que vous confirmez.',
    },
  },
  resolution_not_possible: {
    status: 409,
    message: {
      en: 'What was proposed cannot be booked as things stand. Propose another resolution.',
      fr: 'Ce qui a été proposé ne peut pas être comptabilisé en l’état. Proposez autre chose.',
    },
  },
  outcome_known: {
    status: 409,
    message: {
      en: 'The operator has answered meanwhile, which settled it. Propose RECOVERED.',
      fr: 'L’opérateur a répondu entre-temps et tout s’est terminé seul. Proposez RECOVERED.',
    },
  },
})
