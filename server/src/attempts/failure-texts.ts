// What a failure code means, in words that a payer or merchant can act on. The gateway's own text
// never leaves the log.

import { Type } from 'typebox'
import type { FailureCode } from '../gateways/gateway.ts'
import type { Locale, Text } from '../platform/errors.ts'

/** For a payout that was cancelled before any gateway received it: never a gateway's code. */
export type CancelledBy = 'CANCELLED_BY_MERCHANT' | 'CANCELLED_BY_STAFF'

const texts: Readonly<Record<FailureCode | CancelledBy, Text>> = {
  PAYER_NOT_FOUND: {
    en: 'This number has no account with the chosen network.',
    fr: 'Ce numéro n’a pas de compte chez l’opérateur choisi.',
  },
  RECIPIENT_NOT_FOUND: {
    en: 'The recipient has no account with the chosen network.',
    fr: 'Le bénéficiaire n’a pas de compte chez l’opérateur choisi.',
  },
  INSUFFICIENT_FUNDS: {
    en: 'The account does not have enough money.',
    fr: 'Le solde du compte est insuffisant.',
  },
  NOT_APPROVED: {
    en: 'The payment was not approved.',
    fr: 'Le paiement n’a pas été approuvé.',
  },
  LIMIT_REACHED: {
    en: 'A limit does not allow this amount at the moment. Try a smaller one.',
    fr: 'Une limite ne permet pas ce montant pour le moment. Réessayez avec un montant plus petit.',
  },
  INVALID_OTP: {
    en: 'The code was wrong or has expired. Get a new code and try again.',
    fr: 'Le code est incorrect ou expiré. Générez un nouveau code et réessayez.',
  },
  EXPIRED: {
    en: 'Time ran out: it was not confirmed or sent in time.',
    fr: 'Le délai est dépassé : rien n’a été confirmé ni envoyé à temps.',
  },
  GATEWAY_UNAVAILABLE: {
    en: 'The operator cannot be reached at the moment. Try again, or choose another network.',
    fr: 'L’opérateur est injoignable pour le moment. Réessayez ou choisissez un autre réseau.',
  },
  GATEWAY_REFUSED: {
    en: 'The operator refused it.',
    fr: 'L’opérateur a refusé l’opération.',
  },
  REJECTED_BY_MERCHANT: {
    en: 'The merchant rejected it.',
    fr: 'Le marchand l’a refusé.',
  },
  CANCELLED_BY_MERCHANT: {
    en: 'The merchant cancelled it before it was sent.',
    fr: 'Le marchand l’a annulé avant l’envoi.',
  },
  CANCELLED_BY_STAFF: {
    en: 'It was cancelled by our team before it was sent. Contact support.',
    fr: 'Notre équipe l’a annulé avant l’envoi. Contactez le support.',
  },
  UNKNOWN: {
    en: 'The outcome could not be determined. Do not pay again before contacting us.',
    fr: 'L’issue n’a pas pu être établie. Ne payez pas à nouveau avant de nous avoir contactés.',
  },
}

/** All that a payment, payout or top-up may end with; a new operator adds none. */
export const failureCodes: readonly string[] = Object.keys(texts)

/** As published: one of the codes, or empty. */
export const failureCodeSchema = (description: string) =>
  Type.Enum(['', ...failureCodes], { description })

const byCode: Readonly<Record<string, Text>> = texts

export function failureText(code: string, locale: Locale): string {
  return byCode[code]?.[locale] ?? ''
}

export const failureTextOf = (code: FailureCode): Text => texts[code]
