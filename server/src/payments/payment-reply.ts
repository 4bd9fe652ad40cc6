// What the payment routes answer (contract 5.1): the same reply whether it is computed now, stored,
// or given again after a crash.

import { failureText } from '../attempts/failure-texts.ts'
import type { Warning } from '../planning/initial-warning.ts'
import type { Locale, Text } from '../platform/errors.ts'
import { instructionsOf } from '../transactions/instructions.ts'
import type { TransactionState } from '../transactions/transaction-now.ts'
import { type InitialFigures, viewInitialAmounts } from '../transactions/view.ts'

const messages = {
  initiated: { en: 'Payment initiated.', fr: 'Paiement initié.' },
  succeeded: { en: 'Payment successful.', fr: 'Paiement réussi.' },
  failed: { en: 'Payment failed.', fr: 'Échec du paiement.' },
  verified: { en: 'Payment status checked.', fr: 'Statut du paiement consulté.' },
  retried: { en: 'Payment retried.', fr: 'Paiement relancé.' },
  confirmed: { en: 'Code confirmed.', fr: 'Code confirmé.' },
  code_taken: {
    en: 'Code received; the operator has not confirmed the payment yet.',
    fr: 'Code reçu ; l’opérateur n’a pas encore confirmé le paiement.',
  },
} satisfies Record<string, Text>

export type MessageName = keyof typeof messages

export const messageText = (name: MessageName, locale: Locale): string => messages[name][locale]

/** The message that fits the payment's state. */
export function messageOf(
  state: Pick<TransactionState, 'status' | 'failure_code'>,
  locale: Locale,
) {
  if (state.status === 'SUCCESS') return messages.succeeded[locale]
  if (state.status !== 'FAILED') return messages.initiated[locale]
  return `${messages.failed[locale]} ${failureText(state.failure_code, locale)}`.trim()
}

/** What initialize answers beside the state: what it costs, and what a caller is warned of. */
export type InitialFacts = Readonly<{ figures: InitialFigures; warning: Warning | null }>

/** The answer of initialize. */
export function softpayReply(
  state: TransactionState,
  { figures, warning }: InitialFacts,
  locale: Locale,
) {
  const pending = state.status === 'PENDING'
  const next_action = pending && !state.unknown ? state.next_action : 'NONE'
  return {
    message: messageOf(state, locale),
    id: state.id,
    reference: state.reference,
    status: state.status,
    checkout_url: pending ? state.checkout_url : '',
    instructions: instructionsOf(state, locale),
    otp_required: next_action === 'ENTER_OTP',
    next_action,
    failure_code: state.failure_code,
    amounts: viewInitialAmounts(figures),
    warning,
  }
}
