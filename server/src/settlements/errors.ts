// What settlements can refuse beside what payouts can (contract 1.3, 3.5, 5.9).

import { defineErrors } from '../platform/errors.ts'

export const settlementErrors = defineErrors({
  transaction_terminal: {
    status: 409,
    message: {
      en: 'This is no longer possible for this settlement: see its status.',
      fr: 'Ce n’est plus possible pour ce règlement : voir son statut.',
    },
  },
  settlement_already_approved: {
    status: 409,
    message: {
      en: 'This settlement has already been approved.',
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
      en: 'You approved this settlement: another member of staff must pay it.',
      fr: 'Vous avez approuvé ce règlement : une autre personne de l’équipe doit le payer.',
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
      en:
        'An operator is processing this settlement and has not given a final answer yet: it ' +
        'cannot be ended.',
      fr:
        'Un opérateur traite ce règlement et n’a pas encore donné de réponse définitive : ' +
        'il ne peut pas ' +
        'être terminé.',
    },
  },
  settlement_not_paid: {
    status: 409,
    message: {
      en: 'Only a settlement that has succeeded can be returned.',
      fr: 'Seul un règlement réussi peut être retourné.',
    },
  },
  settlement_return_known: {
    status: 409,
    message: {
      en: 'The return of this settlement is already recorded: see its incident.',
      fr: 'Le retour de ce règlement est déjà enregistré : voir son incident.',
    },
  },
  merchant_suspended: {
    status: 403,
    message: {
      en:
        'This merchant is suspended and their settlements wait. Restore the merchant first, or ' +
        'fail the settlement.',
      fr:
        'Ce marchand est suspendu : ses règlements attendent. Rétablissez d’abord le marchand, ' +
        'ou refusez le règlement.',
    },
  },
})
