// What resolving an incident can refuse.

import { defineErrors } from '../../platform/errors.ts'

export const resolutionErrors = defineErrors({
  incident_resolved: {
    status: 409,
    message: {
      en: 'This incident is resolved already.',
      fr: 'Cet incident est déjà résolu.',
    },
  },
  nothing_proposed: {
    status: 409,
    message: {
      en: 'Nobody has proposed a resolution yet. Send resolve first.',
      fr: 'Personne n’a encore proposé de résolution. Envoyez d’abord resolve.',
    },
  },
  second_person_required: {
    status: 409,
    message: {
      en: 'Whoever proposed a resolution cannot confirm it. Ask another member of staff.',
      fr: 'Qui a proposé une résolution ne peut pas la confirmer. Demandez à un collègue.',
    },
  },
  resolution_not_possible: {
    status: 409,
    message: {
      en: 'What was proposed cannot be booked as things stand. Propose another resolution.',
      fr: 'Ce qui a été proposé ne peut être comptabilisé en l’état. Proposez autre chose.',
    },
  },
  outcome_known: {
    status: 409,
    message: {
      en: 'The operator has answered meanwhile and it has ended by itself. Propose RECOVERED.',
      fr: 'L’opérateur a répondu entre-temps et tout s’est terminé seul. Proposez RECOVERED.',
    },
  },
})
