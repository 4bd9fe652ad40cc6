// Instructions to the payer while the payment waits for them (contract 5.1, 8.9): the same sentence
// wherever a payment is shown, and none once it has ended.

import type { Attempt, NextAction } from '../attempts/attempt.ts'
import { type Catalogue, instructionIn } from '../catalogue/catalogue.ts'
import { instructionsFor } from '../gateways/route-confirmation.ts'
import type { Locale, Text } from '../platform/errors.ts'
import type { TransactionStatus } from './states.ts'
import type { Transaction } from './transaction.ts'

export const nextActions = [
  'APPROVE_ON_PHONE',
  'ENTER_OTP',
  'REDIRECT',
  'NONE',
] as const satisfies readonly NextAction[]

const approve: Text = {
  en: 'Approve the payment on the phone.',
  fr: 'Approuvez le paiement sur le téléphone.',
}
const enterCode: Text = {
  en: 'Enter the code sent to your phone.',
  fr: 'Entrez le code reçu sur votre téléphone.',
}
const follow: Text = {
  en: 'Continue on the operator’s page.',
  fr: 'Continuez sur la page de l’opérateur.',
}
const wait: Text = {
  en: 'The operator has not answered yet. Do not pay again: the outcome will follow.',
  fr: 'L’opérateur n’a pas encore répondu. Ne payez pas à nouveau : l’issue suivra.',
}
const texts = { APPROVE_ON_PHONE: approve, ENTER_OTP: enterCode, REDIRECT: follow, NONE: wait }

/** What the payer is to do next. */
export type PayerStep = Readonly<{
  next_action: NextAction
  /** The outcome is not known yet: the payer must not pay a second time. */
  unknown: boolean
  otp_instructions: string
}>

export function instructionsOf(
  { status, unknown, next_action, otp_instructions }: PayerStep & { status: TransactionStatus },
  locale: Locale,
): string {
  if (status !== 'PENDING') return ''
  if (unknown) return wait[locale]
  const own = next_action === 'ENTER_OTP' ? instructionIn(locale, otp_instructions) : ''
  return own === '' ? texts[next_action][locale] : own
}

/** The attempt that is under way, or the last one. */
export function lastAttempt({
  attempts,
}: Readonly<{ attempts: readonly Attempt[] }>): Attempt | undefined {
  return (
    attempts.findLast((one) => one.status === 'PENDING' || one.status === 'UNKNOWN') ??
    attempts.at(-1)
  )
}

export function payerStepOf(attempt: Attempt | undefined, catalogue: Catalogue): PayerStep {
  const network = attempt && catalogue.networkByCode(attempt.network_code)
  return {
    next_action: attempt?.next_action ?? 'NONE',
    unknown: attempt?.status === 'UNKNOWN' || attempt?.accepted_at === null,
    otp_instructions:
      network !== undefined && attempt?.otp_kind === 'POST' ? instructionsFor(network, 'POST') : '',
  }
}

type Parts = Readonly<{
  transaction: Pick<Transaction, 'status' | 'flow_direction'>
  attempts: readonly Attempt[]
}>

/** What the payer does now; a payout requires nothing of its recipient. */
export type PayerNow = Readonly<{
  instructions: string
  next_action: NextAction
  /** The operator's page, where they have to go to one. */
  checkout_url: string
}>

export function payerNow(parts: Parts, catalogue: Catalogue, locale: Locale): PayerNow {
  const { status, flow_direction } = parts.transaction
  if (flow_direction !== 'INBOUND' || status !== 'PENDING') {
    return { instructions: '', next_action: 'NONE', checkout_url: '' }
  }
  const attempt = lastAttempt(parts)
  const step = payerStepOf(attempt, catalogue)
  return {
    instructions: instructionsOf({ ...step, status }, locale),
    next_action: step.unknown ? 'NONE' : step.next_action,
    checkout_url: attempt?.checkout_url ?? '',
  }
}
