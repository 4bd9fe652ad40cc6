// What the payment routes answer (decisions 5.1): the same words for an answer computed now,
// stored, or given again after a crash.

import type { NextAction } from '../attempts/attempt.ts'
import { instructionIn } from '../catalogue/instruction.ts'
import type { Locale, Text } from '../platform/errors.ts'
import { failureText } from '../transactions/failure-texts.ts'
import type { TransactionStatus } from '../transactions/states.ts'

export type PaymentState = Readonly<{
  id: string
  reference: string
  status: TransactionStatus
  failure_code: string
  next_action: NextAction
  checkout_url: string
  /** The outcome is not known yet: the payer must not pay a second time. */
  unknown: boolean
  otp_instructions: string
}>

const approve: Text = {
  en: 'Approve the payment on the phone.',
  fr: 'Approuvez le paiement sur le téléphone.',
}
const enterCode: Text = {
  en: 'A code was sent to the payer: submit it with confirm-otp.',
  fr: 'Un code a été envoyé au payeur : soumettez-le avec confirm-otp.',
}
const follow: Text = {
  en: 'Send the payer to the operator’s page.',
  fr: 'Dirigez le payeur vers la page de l’opérateur.',
}
const wait: Text = {
  en: 'The operator has not answered yet. Do not pay again: the outcome will follow.',
  fr: 'L’opérateur n’a pas encore répondu. Ne payez pas à nouveau : l’issue suivra.',
}

const messages = {
  initiated: { en: 'Payment initiated.', fr: 'Paiement initié.' },
  succeeded: { en: 'Payment successful.', fr: 'Paiement réussi.' },
  failed: { en: 'Payment failed.', fr: 'Échec du paiement.' },
  verified: { en: 'Payment verified.', fr: 'Paiement vérifié.' },
  retried: { en: 'Payment retried.', fr: 'Paiement relancé.' },
  confirmed: { en: 'Code confirmed.', fr: 'Code confirmé.' },
  code_taken: {
    en: 'Code received; the operator has not confirmed the payment yet.',
    fr: 'Code reçu ; l’opérateur n’a pas encore confirmé le paiement.',
  },
} satisfies Record<string, Text>

export type MessageName = keyof typeof messages

export const messageText = (name: MessageName, locale: Locale): string => messages[name][locale]

/** The one that fits how the payment stands. */
export function messageOf(state: Pick<PaymentState, 'status' | 'failure_code'>, locale: Locale) {
  if (state.status === 'SUCCESS') return messages.succeeded[locale]
  if (state.status !== 'FAILED') return messages.initiated[locale]
  return `${messages.failed[locale]} ${failureText(state.failure_code, locale)}`.trim()
}

export function instructionsOf(state: PaymentState, locale: Locale): string {
  if (state.status !== 'PENDING') return ''
  if (state.unknown) return wait[locale]
  const text = { APPROVE_ON_PHONE: approve, ENTER_OTP: enterCode, REDIRECT: follow, NONE: wait }
  const own = state.next_action === 'ENTER_OTP' ? instructionIn(locale, state.otp_instructions) : ''
  return own === '' ? text[state.next_action][locale] : own
}

/** The answer of initialize. */
export function softpayReply(state: PaymentState, locale: Locale) {
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
  }
}
