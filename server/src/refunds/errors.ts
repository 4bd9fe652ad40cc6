// What the refund routes can refuse (contract 8.22).

import { payoutErrors } from '../payouts/errors.ts'
import { defineErrors, type Refusal, refuse, type Text } from '../platform/errors.ts'

export const refundErrors = defineErrors({
  not_refundable: {
    status: 409,
    message: {
      en:
        'This payment cannot be refunded now: it has not succeeded, nothing of it is left, its ' +
        'time is over, or our team is looking into it. See its status and `refundable_amount`.',
      fr:
        'Ce paiement ne peut pas être remboursé : il n’a pas réussi, il n’en reste rien, son ' +
        'délai est passé ou notre équipe l’examine. Voir son statut et `refundable_amount`.',
    },
  },
  refund_too_large: {
    status: 400,
    message: {
      en: 'This is more than is left of the payment. See its `refundable_amount`.',
      fr: 'C’est plus que ce qui reste du paiement. Voir son `refundable_amount`.',
    },
  },
  refund_in_progress: {
    status: 409,
    retryable: true,
    message: {
      en: 'Another refund of this payment is under way, and its operator accepts one at a time.',
      fr:
        'Un autre remboursement de ce paiement est en cours ; l’opérateur n’en accepte ' +
        'qu’un à la fois.',
    },
  },
})

// The codes of payouts, in the words of a refund.

const cannotCancel: Text = {
  en:
    'This refund cannot be cancelled: it has ended, or an operator is processing it. ' +
    'See its status.',
  fr:
    'Ce remboursement ne peut pas être annulé : il est terminé, ou un opérateur le traite. ' +
    'Voir son statut.',
}
const notAwaited: Text = {
  en: 'This refund is not awaiting this decision: it needed none, or has already been decided.',
  fr: 'Ce remboursement n’attend pas cette décision : elle n’est pas requise, ou déjà prise.',
}
const askAnother: Text = {
  en: 'You cannot approve a refund that you requested. Ask another member.',
  fr:
    'Vous ne pouvez pas approuver un remboursement que vous avez demandé. Adressez-vous à un ' +
    'autre membre.',
}

export const notCancellable = (): Refusal =>
  refuse(payoutErrors.not_cancellable, { message: cannotCancel })
export const notWaiting = (): Refusal =>
  refuse(payoutErrors.approval_not_required, { message: notAwaited })
export const samePerson = (): Refusal => refuse(payoutErrors.same_person, { message: askAnother })
