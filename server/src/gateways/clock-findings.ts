// How far an operator's clock and ours are apart, by the `Date` of an answer: what every account is
// looked at for, because tokens, signatures and time limits are judged by both.

import type { SendResult } from '../platform/outbound/outbound.ts'
import type { Finding } from './gateway.ts'

const warn_s = 5

type Answered = Pick<Extract<SendResult, { is: 'answered' }>, 'is' | 'headers'>

export type ClockOf = Readonly<{
  now_ms: number
  /** From here on it is a failure. Seconds. */
  fail_s: number
  what?: string
  /** What depends on it. */
  because?: string
}>

/** Nothing where there was no answer, or one without a date. */
export function clockFindings(
  result: Answered | Readonly<{ is: 'never_sent' | 'unknown' }>,
  { now_ms, fail_s, what = 'clock', because }: ClockOf,
): Finding[] {
  const date = result.is === 'answered' ? Date.parse(result.headers['date'] ?? '') : Number.NaN
  if (!Number.isFinite(date)) return []
  const skew_s = Math.round(Math.abs(now_ms - date) / 1000)
  const found = `${skew_s} s apart`
  if (skew_s <= warn_s) return [{ what, is: 'PASS', found, fix: '' }]
  const reason = because === undefined ? '' : `: ${because}`
  const fix = `Set this machine’s clock by NTP${reason}.`
  return [{ what, is: skew_s > fail_s ? 'FAIL' : 'WARN', found, fix }]
}
