// How many of what in which time (contract 3.6), and for how many days each kind of data is kept.

import { parseCount, type Reader } from '../platform/settings/reader.ts'

/** How many in the time the name ends with (contract 3.6). */
export type Limits = Readonly<{ [K in keyof typeof limitSettings]: number }>

/** For how many days each kind of data is kept. */
export type Retention = Readonly<{ [K in keyof typeof retentionSettings]: number }> &
  Readonly<{
    /** RETENTION_LIVE_PAYER_DAYS was set, or there are no real payers here. */
    live_payers_said: boolean
  }>

/** Setting and default of each limit; on the embedded default a hundred times wider. */
const limitSettings = {
  phone_prompts_10min: ['LIMIT_PHONE_PROMPTS_10MIN', 5],
  phone_prompts_day: ['LIMIT_PHONE_PROMPTS_DAY', 20],
  session_payments: ['LIMIT_SESSION_PAYMENTS', 10],
  public_per_ip_minute: ['LIMIT_PUBLIC_PER_IP_MINUTE', 30],
  public_forms_per_ip_minute: ['LIMIT_PUBLIC_FORMS_PER_IP_MINUTE', 120],
  link_sessions_hour: ['LIMIT_LINK_SESSIONS_HOUR', 1000],
  unmatched_callbacks_per_ip_hour: ['LIMIT_UNMATCHED_CALLBACKS_PER_IP_HOUR', 300],
  unmatched_callbacks_per_gateway_hour: ['LIMIT_UNMATCHED_CALLBACKS_PER_GATEWAY_HOUR', 600],
  login_per_ip_10min: ['LIMIT_LOGIN_PER_IP_10MIN', 30],
  login_per_email_10min: ['LIMIT_LOGIN_PER_EMAIL_10MIN', 10],
  reset_emails_hour: ['LIMIT_RESET_LETTERS_HOUR', 3],
  register_per_ip_hour: ['LIMIT_REGISTER_PER_IP_HOUR', 10],
  register_per_email_hour: ['LIMIT_REGISTER_PER_EMAIL_HOUR', 3],
  otp_per_ip_10min: ['LIMIT_OTP_PER_IP_10MIN', 30],
  otp_per_target_10min: ['LIMIT_OTP_PER_TARGET_10MIN', 10],
  invitations_per_email_hour: ['LIMIT_INVITATIONS_PER_EMAIL_HOUR', 5],
  invitations_per_merchant_hour: ['LIMIT_INVITATIONS_PER_MERCHANT_HOUR', 50],
} as const satisfies Record<string, readonly [string, number]>

/** Setting, default, least. Least: what contract 4.1 and the tries of webhooks promise. */
const retentionSettings = {
  idempotency: ['RETENTION_IDEMPOTENCY_DAYS', 30, 30],
  sessions: ['RETENTION_SESSION_DAYS', 30, 1],
  unpaid_checkouts: ['RETENTION_UNPAID_CHECKOUT_DAYS', 180, 1],
  events: ['RETENTION_EVENT_DAYS', 90, 30],
  deliveries: ['RETENTION_DELIVERY_DAYS', 90, 30],
  callbacks: ['RETENTION_CALLBACK_DAYS', 180, 31],
  /**
   * For how long the payer of a LIVE success may not be erased; the law of the country decides.
   * Where it is not set on a database of the operator's own, none is erased: what is gone for good
   * has no default.
   */
  live_payers: ['RETENTION_LIVE_PAYER_DAYS', 0, 0],
} as const satisfies Record<string, readonly [string, number, number]>

/** The setting by which each kind is kept. */
export const retentionSettingOf = (kind: string): string =>
  Object.entries(retentionSettings).find(([key]) => key === kind)?.[1][0] ?? kind

const days_max = 36_500

export function readLimits(reader: Reader, embedded: boolean): Limits {
  const positive = (text: string) => parseCount(text) || undefined
  const read = ([name, standard]: readonly [string, number]) =>
    reader.value(name, positive, 'a whole number from 1 to 999999999') ??
    (embedded ? standard * 100 : standard)
  const entries = Object.entries(limitSettings).map(([key, row]) => [key, read(row)])
  const limits: Limits = Object.fromEntries(entries) // Same keys as limitSettings, a number each.
  return limits
}

export function readRetention(reader: Reader, embedded: boolean): Retention {
  const read = ([name, standard, least]: readonly [string, number, number]) => {
    const days = (text: string) => {
      const count = parseCount(text)
      return count !== undefined && count >= least && count <= days_max ? count : undefined
    }
    return (
      reader.value(name, days, `a whole number of days from ${least} to ${days_max}`) ?? standard
    )
  }
  const entries = Object.entries(retentionSettings).map(([key, row]) => [key, read(row)])
  const days: Omit<Retention, 'live_payers_said'> = Object.fromEntries(entries) // Same keys.
  const live_payers_said = embedded || reader.text('RETENTION_LIVE_PAYER_DAYS') !== undefined
  return { ...days, live_payers: live_payers_said ? days.live_payers : days_max, live_payers_said }
}
