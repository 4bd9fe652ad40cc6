// How far an operator's clock and ours are apart, by the `Date` of an answer: what every account is
// looked at for, because tokens, signatures and time limits are judged by both.

import type { Text } from '../platform/errors.ts'
import type { SendResult } from '../platform/outbound/outbound.ts'
import { fail, pass, warn } from './findings.ts'
import type { Finding } from './gateway.ts'

const warn_s = 5

type Answered = Pick<Extract<SendResult, { is: 'answered' }>, 'is' | 'headers'>

export type ClockOf = Readonly<{
  now_ms: number
  /** From here on it is a failure. Seconds. */
  fail_s: number
  what?: Text
  /** What depends on it. */
  because?: Text
}>

const clock: Text = { en: 'clock', fr: 'horloge' }

/** Nothing where there was no answer, or one without a date. */
export function clockFindings(
  result: Answered | Readonly<{ is: 'never_sent' | 'unknown' }>,
  { now_ms, fail_s, what = clock, because }: ClockOf,
): Finding[] {
  const date = result.is === 'answered' ? Date.parse(result.headers['date'] ?? '') : Number.NaN
  if (!Number.isFinite(date)) return []
  const skew_s = Math.round(Math.abs(now_ms - date) / 1000)
  const found = { en: `${skew_s} s apart`, fr: `${skew_s} s d’écart` }
  if (skew_s <= warn_s) return [pass(what, found)]
  const fix =
    because === undefined
      ? {
          en: 'Set this machine’s clock by NTP.',
          fr: 'Réglez l’horloge de cette machine par NTP.',
        }
      : {
          en: `Set this machine’s clock by NTP: ${because.en}.`,
          fr: `Réglez l’horloge de cette machine par NTP : ${because.fr}.`,
        }
  return [skew_s > fail_s ? fail(what, found, fix) : warn(what, found, fix)]
}
