// What this operator's statuses and codes mean, over every pair of them. Pure. Law: a pair or a
// code that is not here is unknown, and is counted. Sources, and how sure each is:
// docs/operators/wave.md.

import type { Direction, FailureCode } from '../gateway.ts'

export const checkoutStatuses = ['open', 'complete', 'expired'] as const
export const paymentStatuses = ['processing', 'cancelled', 'succeeded'] as const
export const payoutStatuses = ['processing', 'succeeded', 'failed', 'reversed'] as const

/**
 * `ended_when_quiet`: nothing was paid if it is still so some time after its end. `contradiction`:
 * one half says that it was paid and the other that it was not.
 */
export type Cell =
  | 'confirmed'
  | 'waiting'
  | 'ended'
  | 'ended_when_quiet'
  | 'contradiction'
  | 'unknown'

const cells: Readonly<Record<string, Cell>> = {
  'complete succeeded': 'confirmed',
  'open processing': 'waiting',
  // A try that failed: the payer may try again while the session is open.
  'open cancelled': 'waiting',
  'expired cancelled': 'ended',
  // A session that nobody opened may show this; so may one that is being paid right now.
  'expired processing': 'ended_when_quiet',
  'expired succeeded': 'contradiction',
}

/** The entry for one pair of a session. */
export function cellOf(checkout: string, payment: string): Cell {
  const cell = Object.hasOwn(cells, `${checkout} ${payment}`)
    ? cells[`${checkout} ${payment}`]
    : undefined
  // A session is complete by being paid, whatever word its payment has.
  return cell ?? (checkout === 'complete' ? 'contradiction' : 'unknown')
}

export type Meaning =
  | Readonly<{
      is: 'refused'
      by: 'payer' | 'gateway' | 'float'
      failure_code: FailureCode
      alarm?: 'CREDENTIAL' | 'CONFIGURATION'
    }>
  | Readonly<{ is: 'not_found' }>
  /** Listed, and says nothing about the money. */
  | Readonly<{ is: 'unknown'; alarm?: 'CONTRADICTION' }>

type Meanings = Readonly<Record<Direction, Meaning>>

const payer = (failure_code: FailureCode): Meaning => ({ is: 'refused', by: 'payer', failure_code })
const ours = (alarm: 'CREDENTIAL' | 'CONFIGURATION'): Meaning => ({
  ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED' },
  alarm,
})
const either = (meaning: Meaning): Meanings => ({ COLLECT: meaning, DISBURSE: meaning })
const float: Meaning = { is: 'refused', by: 'float', failure_code: 'GATEWAY_UNAVAILABLE' }
const busy: Meaning = { is: 'refused', by: 'gateway', failure_code: 'GATEWAY_UNAVAILABLE' }
const refused: Meaning = { is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED' }

const each = (codes: readonly string[], meaning: Meaning) =>
  Object.fromEntries(codes.map((code) => [code, either(meaning)]))

/** Why a call is refused, a try of a payer failed, or a payout did. */
export const codes: Readonly<Record<string, Meanings>> = {
  'insufficient-funds': { COLLECT: payer('INSUFFICIENT_FUNDS'), DISBURSE: float },
  ...each(['blocked-account', 'customer-age-restricted'], payer('PAYER_NOT_FOUND')),
  ...each(['payer-mobile-mismatch', 'payment-failure'], payer('NOT_APPROVED')),
  ...each(['kyb-limits-exceeded', 'recipient-limit-exceeded'], payer('LIMIT_REACHED')),
  ...each(
    ['recipient-account-blocked', 'recipient-account-inactive', 'recipient-minor'],
    payer('RECIPIENT_NOT_FOUND'),
  ),
  ...each(
    [
      ...['cross-border-payment-not-allowed', 'country-mismatch', 'currency-mismatch'],
      ...['request-validation-error', 'request-not-json', 'request-parsing-error'],
      ...['invalid-aggregated-merchant-id', 'aggregated-merchant-required'],
    ],
    ours('CONFIGURATION'),
  ),
  ...each(
    [
      ...['missing-auth-header', 'invalid-auth', 'api-key-not-provided', 'no-matching-api-key'],
      ...['api-key-revoked', 'invalid-wallet', 'disabled-wallet', 'no-permission'],
      ...['authorization-error', 'unauthorized-wallet', 'ip-not-allowed'],
    ],
    ours('CREDENTIAL'),
  ),
  ...each(['too-many-requests'], busy),
  ...each(
    [
      ...['checkout-refund-failed', 'payout-reversal-time-limit-exceeded'],
      'payout-reversal-account-terminated',
    ],
    refused,
  ),
  ...each(['not-found', 'checkout-session-not-found'], { is: 'not_found' }),
  ...each(['internal-server-error', 'service-unavailable'], { is: 'unknown' }),
  // The same key was there with other contents: what that one moved is not what we send now.
  ...each(['idempotency-mismatch'], { is: 'unknown', alarm: 'CONTRADICTION' }),
}

/** Undefined for a code that is not listed. */
export const meaningOf = (direction: Direction, code: string): Meaning | undefined =>
  Object.hasOwn(codes, code) ? codes[code]?.[direction] : undefined
