// What the payout routes can refuse (contract: Payouts; contract 1.3, 5.9).

import { defineErrors } from '../platform/errors.ts'

export const payoutErrors = defineErrors({
  ip_not_whitelisted: {
    status: 403,
    message: {
      en: 'This server’s address may not pay out. Add it to the IP whitelist in the dashboard.',
      fr: 'L’adresse de ce serveur ne peut pas payer. Ajoutez-la dans le tableau de bord.',
    },
  },
  currency_country_mismatch: {
    status: 422,
    message: {
      en: 'This country is not paid in this currency. Send the country’s own currency.',
      fr: 'Ce pays n’est pas payé dans cette devise. Envoyez la devise du pays.',
    },
  },
  payout_not_enabled: {
    status: 422,
    message: {
      en: 'This network takes no payouts. GET /pricing/my-rates/ tells which do.',
      fr: 'Ce réseau n’accepte pas de paiements sortants. Voir GET /pricing/my-rates/.',
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
      en: 'This payout passes a limit that the merchant has set, for one payout or for the day.',
      fr: 'Ce paiement dépasse une limite fixée par le marchand, par paiement ou par jour.',
    },
  },
  approval_not_required: {
    status: 409,
    message: {
      en: 'This payout does not wait for an approval: it needed none, or somebody has decided.',
      fr: 'Ce paiement n’attend pas d’approbation : elle n’est pas requise, ou déjà donnée.',
    },
  },
  not_cancellable: {
    status: 409,
    message: {
      en: 'This payout cannot be cancelled: it has ended, or an operator has it. See its status.',
      fr: 'Ce paiement ne peut être annulé : il est terminé ou chez l’opérateur. Voir son statut.',
    },
  },
  same_person: {
    status: 409,
    message: {
      en: 'Whoever asked for a payout cannot approve it. Ask another member.',
      fr: 'Qui a demandé un paiement ne peut pas l’approuver. Demandez à un autre membre.',
    },
  },
  insufficient_balance: {
    status: 422,
    message: {
      en: 'The available balance of this country is too low for this amount and its fee.',
      fr: 'Le solde disponible de ce pays est insuffisant pour ce montant et ses frais.',
    },
  },
})
