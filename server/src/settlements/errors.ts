// What settlements can refuse beside what payouts can (contract 1.3, 3.5, 5.9).

import { defineErrors } from '../platform/errors.ts'

export const settlementErrors = defineErrors({
  transaction_terminal: {
    status: 409,
    message: {
      en: 'This settlement has gone too far for that: see its status.',
      fr: 'Ce règlement est trop avancé pour cela : voir son statut.',
    },
  },
  settlement_already_approved: {
    status: 409,
    message: {
      en: 'This settlement is approved already.',
      fr: 'Ce règlement est déjà approuvé.',
    },
  },
  settlement_not_approved: {
    status: 409,
    message: {
      en: 'This settlement must be approved first.',
      fr: 'Ce règlement doit d’abord être approuvé.',
    },
  },
  same_person: {
    status: 409,
    message: {
      en: 'You have approved this settlement yourself: another member of staff must pay it.',
      fr: 'Vous avez approuvé ce règlement vous-même : un autre membre de l’équipe doit le payer.',
    },
  },
  settlement_not_by_bank: {
    status: 409,
    message: {
      en: 'This settlement goes to a mobile-money number: its operator pays it.',
      fr: 'Ce règlement va à un numéro mobile money : son opérateur le paie.',
    },
  },
  settlement_in_flight: {
    status: 409,
    message: {
      en: 'An operator has this settlement and has not said its last word: it cannot be ended.',
      fr: 'Un opérateur a ce règlement et n’a pas tranché : il ne peut pas être terminé.',
    },
  },
  settlement_not_paid: {
    status: 409,
    message: {
      en: 'Only a settlement that has succeeded can come back.',
      fr: 'Seul un règlement réussi peut revenir.',
    },
  },
  settlement_return_known: {
    status: 409,
    message: {
      en: 'That this settlement came back is known already: see its incident.',
      fr: 'Le retour de ce règlement est déjà connu : voir son incident.',
    },
  },
  merchant_suspended: {
    status: 403,
    message: {
      en: 'This merchant is suspended: his settlements wait. Restore him first, or fail it.',
      fr: 'Ce marchand est suspendu : ses règlements attendent. Rétablissez-le, ou refusez-les.',
    },
  },
})
