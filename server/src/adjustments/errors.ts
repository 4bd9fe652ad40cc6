// What manual adjustments can refuse.

import { defineErrors } from '../platform/errors.ts'

export const adjustmentErrors = defineErrors({
  adjustment_decided: {
    status: 409,
    message: {
      en: 'This adjustment has already been decided: see its status.',
      fr: 'Cette régularisation est déjà tranchée : voir son statut.',
    },
  },
  second_person_required: {
    status: 409,
    message: {
      en: 'You cannot confirm an adjustment that you requested. Ask another member of staff.',
      fr:
        'Vous ne pouvez pas confirmer une régularisation que vous avez demandée. Adressez-vous ' +
        'à un collègue.',
    },
  },
  insufficient_balance: {
    status: 422,
    message: {
      en: 'The merchant has less than this available.',
      fr: 'Le solde disponible du marchand est inférieur à ce montant.',
    },
  },
  debt_exceeded: {
    status: 422,
    message: {
      en: 'The merchant owes less than this.',
      fr: 'La dette du marchand est inférieure à ce montant.',
    },
  },
})
