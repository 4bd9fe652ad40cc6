// What manual adjustments can refuse.

import { defineErrors } from '../platform/errors.ts'

export const adjustmentErrors = defineErrors({
  adjustment_decided: {
    status: 409,
    message: {
      en: 'This adjustment is decided already: see its status.',
      fr: 'Cette régularisation est déjà tranchée : voir son statut.',
    },
  },
  second_person_required: {
    status: 409,
    message: {
      en: 'Whoever asked for an adjustment cannot confirm it. Ask another member of staff.',
      fr: 'Qui a demandé une régularisation ne peut pas la confirmer. Demandez à un collègue.',
    },
  },
  insufficient_balance: {
    status: 422,
    message: {
      en: 'Less than this is available to the merchant.',
      fr: 'Le marchand a moins de disponible.',
    },
  },
  debt_exceeded: {
    status: 422,
    message: {
      en: 'The merchant owes less than this.',
      fr: 'Le marchand doit moins que cela.',
    },
  },
})
