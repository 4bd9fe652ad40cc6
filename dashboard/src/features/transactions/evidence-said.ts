// What an outcome rests on, in the reader's language: the API says it in one, as it was kept. What
// this version has no words for is shown as it came.

import { type Key, t } from '../../words/translate.ts'
import { reasons } from './reasons.ts'

const whole: Readonly<Record<string, Key>> = {
  confirmed: 'evidence_confirmed',
  'retry requested': 'evidence_retry',
  'the session was paid already': 'evidence_session_paid',
  'the asking time is over and the gateway has not ended it': 'evidence_unanswered',
  'the second person said no': 'evidence_rejected',
  'nobody approved it in time': 'evidence_lapsed',
  'every account that could pay it has a limit below it by now': 'evidence_above_limits',
  'its merchant took it back': 'evidence_cancelled',
  'staff took it back': 'evidence_cancelled_staff',
  'staff have proof that it was paid': 'evidence_proof_paid',
  'staff have proof that it was not paid': 'evidence_proof_unpaid',
}

const nameOf = (code: string): string => {
  const reason = reasons.find((one) => one === code)
  return reason === undefined ? code : t(`reason_${reason}`)
}

export function evidenceSaid(said: string): string {
  const key = whole[said]
  if (key !== undefined) return t(key)
  const [, what = '', rest = '', isOfFloat] =
    /^(refused|never_sent|unknown) (.+?)( for want of a float)?$/.exec(said) ?? []
  if (isOfFloat !== undefined) return t('evidence_no_float', { why: nameOf(rest) })
  if (what === 'refused') return t('evidence_refused', { why: nameOf(rest) })
  if (what === 'never_sent') return t('evidence_never_sent', { why: rest })
  if (what === 'unknown') return t('evidence_unclear', { why: rest })
  const [, captures] = /^confirmed (\d+) times$/.exec(said) ?? []
  if (captures !== undefined) return t('evidence_confirmed_often', { count: captures })
  const [, codes] = /^(\d+) wrong codes$/.exec(said) ?? []
  return codes === undefined ? said : t('evidence_wrong_codes', { count: codes })
}
