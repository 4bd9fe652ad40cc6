// What the payout routes can refuse (contract: Payouts; contract 1.3, 5.9).

import { defineErrors } from '../platform/errors.ts'

export const payoutErrors = defineErrors({
  ip_not_whitelisted: {
    status: 403,
    message: {
      en:
        'This server’s address may not make payouts. Add it to the IP whitelist in the ' +
        'dashboard.',
      fr:
        'L’adresse de ce serveur ne peut pas faire de versements. Ajoutez-la à la liste ' +
        'd’adresses IP, dans le tableau de bord.',
    },
  },
  currency_country_mismatch: {
    status: 422,
    message: {
      en: 'Payouts to this country are not made in this currency. Send the country’s own currency.',
      fr: 'Ce pays ne reçoit pas de versements dans cette devise. Envoyez la devise du pays.',
    },
  },
  payout_not_enabled: {
    status: 422,
    message: {
      en: 'This network does not support payouts. See GET /pricing/my-rates/ for those that do.',
      fr: 'Ce réseau n’accepte pas de versements. Voir GET /pricing/my-rates/.',
    },
  },
  balance_frozen: {
    status: 422,
    message: {
      en: 'This balance is frozen: nothing can leave it. Contact support.',
      fr: 'Ce solde est gelé : rien ne peut en sortir. Contactez le support.',
    },
  },
  payout_limit_exceeded: {
    status: 422,
    message: {
      en:
        'This payout exceeds a limit that the merchant has set, per payout or per day. Pay less, ' +
        'or see GET /merchant-payout-limits/.',
      fr:
        'Ce versement dépasse une limite fixée par le marchand, par versement ou par jour. ' +
        'Versez moins, ou consultez GET /merchant-payout-limits/.',
    },
  },
  not_reversible: {
    status: 409,
    message: {
      en:
        'This payout cannot be taken back: it has not succeeded, is on its way back or under ' +
        'review, its operator does not allow it, or it is too late.',
      fr:
        'Ce versement ne peut pas être repris : il n’a pas abouti, il revient déjà ou est en ' +
        'cours d’examen, son opérateur n’en reprend pas, ou le délai est dépassé.',
    },
  },
  approval_not_required: {
    status: 409,
    message: {
      en: 'This payout is not awaiting approval: it needed none, or has already been decided.',
      fr: 'Ce versement n’attend pas d’approbation : elle n’est pas requise, ou déjà décidée.',
    },
  },
  not_cancellable: {
    status: 409,
    message: {
      en:
        'This payout cannot be cancelled: it has ended, or an operator is processing it. ' +
        'See its status.',
      fr:
        'Ce versement ne peut pas être annulé : il est terminé, ou un opérateur le traite. ' +
        'Voir son statut.',
    },
  },
  same_person: {
    status: 409,
    message: {
      en: 'You cannot approve a payout that you requested. Ask another member.',
      fr:
        'Vous ne pouvez pas approuver un versement que vous avez demandé. Adressez-vous à un ' +
        'autre membre.',
    },
  },
  insufficient_balance: {
    status: 422,
    message: {
      en:
        'The available balance in this country is too low for this amount and its fee. Send ' +
        'less, or add money to the balance first.',
      fr:
        'Le solde disponible de ce pays est insuffisant pour ce montant et ses frais. Réduisez ' +
        'le montant, ou alimentez d’abord ce solde.',
    },
  },
})
