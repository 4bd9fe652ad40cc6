// Why a payment failed, and what the payer does now. Where the cause is unknown, the payer asks
// before paying again; everywhere else they may try again at once.

import { failureText } from '../attempts/failure-texts.ts'
import type { Locale } from '../platform/errors.ts'
import { translateIn } from './words.ts'

export function failureWords(code: string, locale: Locale): readonly [why: string, then: string] {
  const t = translateIn(locale)
  if (code === 'UNKNOWN') return [t('failed_unknown'), t('failed_ask')]
  return [failureText(code, locale) || t('failed_plain'), t('failed_again')]
}
