// What invoices and receipts can refuse (contract: Business codes; docs/decisions/0016).

import { defineErrors } from '../platform/errors.ts'

export const receiptErrors = defineErrors({
  invalid_flow: {
    status: 409,
    message: {
      en: 'Only a payment that came in has an invoice: this one went out.',
      fr: 'Seul un paiement entrant a une facture : celui-ci est sortant.',
    },
  },
  not_success: {
    status: 409,
    message: {
      en: 'This payment has not succeeded, so there is no invoice. Ask again when it has.',
      fr: 'Ce paiement n’a pas réussi : pas encore de facture. Redemandez après sa réussite.',
    },
  },
  receipt_revoked: {
    status: 410,
    message: {
      en: 'The merchant has withdrawn this receipt. It proves nothing any more.',
      fr: 'Le marchand a retiré ce reçu. Il ne prouve plus rien.',
    },
  },
})
