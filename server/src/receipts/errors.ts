// What invoices and receipts can refuse (contract: Business codes; docs/decisions/0016).

import { defineErrors } from '../platform/errors.ts'

export const receiptErrors = defineErrors({
  invalid_flow: {
    status: 409,
    message: {
      en: 'Only inbound payments have an invoice: this one is outbound.',
      fr: 'Seul un paiement entrant a une facture : celui-ci est sortant.',
    },
  },
  not_success: {
    status: 409,
    message: {
      en: 'This payment has not succeeded, so there is no invoice. Try again once it has.',
      fr:
        'Ce paiement n’a pas réussi : il n’y a pas encore de facture. Réessayez après sa ' +
        'réussite.',
    },
  },
  receipt_revoked: {
    status: 410,
    message: {
      en: 'The merchant has revoked this receipt. It no longer proves anything.',
      fr: 'Le marchand a révoqué ce reçu. Il ne prouve plus rien.',
    },
  },
})
