// Why a payment failed, and what the payer does now. Where nobody knows, he asks before he pays
// again; everywhere else he may try again at once.

import type { Locale } from '../platform/errors.ts'
import { failureText } from '../transactions/failure-texts.ts'
import { sayIn } from './words.ts'

export function failureWords(code: string, locale: Locale): readonly [why: string, then: string] {
  const say = sayIn(locale)
  if (code === 'UNKNOWN') return [say('failed_unknown'), say('failed_ask')]
  return [failureText(code, locale) || say('failed_plain'), say('failed_again')]
}
