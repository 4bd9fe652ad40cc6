// What the payment routes can refuse (contract: Business codes; contract 1.3, 5.1 to 5.5).

import { defineErrors, type ErrorRow } from '../platform/errors.ts'

export const paymentErrors = defineErrors({
  invalid_country: {
    status: 422,
    message: {
      en:
        'This country is not served. Write its 2-letter ISO 3166 code, such as BJ; GET ' +
        '/countries/ lists those that are served.',
      fr:
        'Ce pays n’est pas desservi. Écrivez son code ISO 3166 à 2 lettres, comme BJ ; GET ' +
        '/countries/ donne la liste des pays desservis.',
    },
  },
  invalid_method: {
    status: 422,
    message: {
      en: 'This network is unknown, disabled, or in another country. See GET /networks/.',
      fr: 'Ce réseau est inconnu, désactivé ou dans un autre pays. Voir GET /networks/.',
    },
  },
  invalid_customer: {
    status: 422,
    message: {
      en: 'The customer’s phone number is not valid in this country.',
      fr: 'Le téléphone du client n’est pas un numéro valable dans ce pays.',
    },
  },
  no_exchange_rate: {
    status: 422,
    retryable: true,
    message: {
      en:
        'There is no exchange rate for this currency at the moment. Send the amount in the ' +
        'currency of the country, or try again later.',
      fr:
        'Il n’y a pas de taux de change pour cette devise actuellement. Envoyez le montant ' +
        'dans la devise du pays, ou réessayez plus tard.',
    },
  },
  fee_charge_mode_locked: {
    status: 422,
    message: {
      en: 'The merchant’s settings impose another fee_charge_mode. Omit this field.',
      fr: 'Les réglages du marchand imposent un autre fee_charge_mode. Omettez ce champ.',
    },
  },
  prepayment_otp_missing: {
    status: 422,
    message: {
      en: 'This network needs a code that the payer generates first: send it as otp.',
      fr: 'Ce réseau exige un code que le payeur génère d’abord : envoyez-le dans otp.',
    },
  },
  no_route_available: {
    status: 422,
    retryable: true,
    message: {
      en: 'No operator can take this payment right now. Try again or use another network.',
      fr:
        'Aucun opérateur ne peut prendre ce paiement pour le moment. Réessayez ou changez de ' +
        'réseau.',
    },
  },
  topup_number_not_owned: {
    status: 422,
    message: {
      en:
        'In LIVE a top-up comes from a number of your own: "phone" must be that of a ' +
        'mobile-money payout method whose cooling-off is over. Add it under ' +
        '/merchant-payout-methods/.',
      fr:
        'En LIVE, une recharge vient d’un de vos numéros : « phone » doit être celui d’un moyen ' +
        'de versement mobile money utilisable. Ajoutez-le sous /merchant-payout-methods/.',
    },
  },
  invalid_flow: {
    status: 400,
    message: {
      en: 'This operation is only for inbound payments.',
      fr: 'Cette opération ne concerne que les paiements entrants.',
    },
  },
  not_retryable: {
    status: 409,
    message: {
      en: 'This payment has succeeded: there is nothing to retry.',
      fr: 'Ce paiement a réussi : il n’y a rien à réessayer.',
    },
  },
  payment_already_pending: {
    status: 409,
    waits: true,
    message: {
      en: 'A payment is still under way at its operator. Try again shortly.',
      fr: 'Un paiement est encore en cours chez son opérateur. Réessayez dans un instant.',
    },
  },
  transaction_terminal: {
    status: 409,
    message: {
      en: 'This transaction has already ended: see its status.',
      fr: 'Cette transaction est déjà terminée : voir son statut.',
    },
  },
  otp_not_applicable: {
    status: 400,
    message: {
      en: 'This network does not confirm payments with a code.',
      fr: 'Ce réseau ne confirme pas les paiements par un code.',
    },
  },
  no_attempt: {
    status: 409,
    message: {
      en: 'No operator has accepted this payment yet, so there is no code to confirm.',
      fr: 'Aucun opérateur n’a encore accepté ce paiement : il n’y a pas de code à confirmer.',
    },
  },
  otp_confirmation_failed: {
    status: 422,
    message: {
      en: 'The code could not be confirmed. Check it and try again.',
      fr: 'Le code n’a pas pu être confirmé. Vérifiez-le et réessayez.',
    },
  },
})

/** Of money that goes out: its recipient has the number of this network, and of no other one. */
export const nobodySends: ErrorRow = {
  ...paymentErrors.no_route_available,
  message: {
    en: 'No operator can send this money right now. Try again later.',
    fr: 'Aucun opérateur ne peut envoyer cet argent pour le moment. Réessayez plus tard.',
  },
}

const names = { transaction: '01981f3a-5b60-7c11-9a52-0242ac120002' }

/** Of a call that makes a transaction: it is named once every route of it has refused. */
export const noRouteTook: ErrorRow = { ...paymentErrors.no_route_available, names }

/** The same of a payout. */
export const noRouteSent: ErrorRow = { ...nobodySends, names }
