// Why a payment failed, to the payer himself. Where the merchant's words speak to a merchant, the
// payer has his own.

import type { Locale } from '../platform/errors.ts'
import { failureText } from '../transactions/failure-texts.ts'
import { sayIn } from './words.ts'

export const failureWords = (code: string, locale: Locale): string =>
  failureText(code, locale) || sayIn(locale)('failed_plain')
