// How a contradiction ends (decisions 5.14, money 3): for each kind of incident what may be said of
// it, and what is then booked. Pure. After each of them its suspense account is empty.

import type { Attempt } from '../../attempts/attempt.ts'
import type { IncidentType } from '../../incidents/incident.ts'
import type { Place } from '../../ledger/account.ts'
import {
  acceptMismatch,
  capturedToSuspense,
  chargeMerchantForPayout,
  chargeMerchantForReversal,
  chargeSum,
  creditMerchant,
  type Line,
  paidToSuspense,
  payoutReturnedToSuspense,
  refundPayer,
  writeOff,
} from '../../ledger/postings.ts'

export const resolutions = [
  'CREDIT_MERCHANT',
  'CHARGE_MERCHANT',
  'REFUND_PAYER',
  'RECOVERED',
  'WRITE_OFF',
] as const
export type Resolution = (typeof resolutions)[number]

export type Open = Readonly<{
  id: string
  type: IncidentType
  gateway_id: string
  /** Hundredths that wait in suspense. */
  amount: bigint
  suspense_side: 'DEBIT' | 'CREDIT' | null
}>

/** What a person may say of this incident. Where nothing waits, only how it was found to be. */
export function allowedFor(
  { type, suspense_side }: Pick<Open, 'type' | 'suspense_side'>,
  direction: Attempt['direction'] | null,
): readonly Resolution[] {
  if (type === 'OUTCOME_UNKNOWN' && direction === 'DISBURSE') {
    // It was not paid (the hold goes back), or it was (the hold is spent).
    return ['CREDIT_MERCHANT', 'CHARGE_MERCHANT']
  }
  // It is the merchant's again, or it is with him after all.
  if (type === 'RETURNED') return ['CREDIT_MERCHANT', 'RECOVERED']
  if (suspense_side === null) return ['RECOVERED', 'WRITE_OFF']
  if (suspense_side === 'CREDIT') {
    return direction === 'COLLECT'
      ? ['REFUND_PAYER', 'CREDIT_MERCHANT']
      : ['CREDIT_MERCHANT', 'RECOVERED']
  }
  return ['CHARGE_MERCHANT', 'RECOVERED', 'WRITE_OFF']
}

export type Bearing = Readonly<{
  place: Place
  attempt: Attempt
  /** What the merchant has; what he owes beyond it becomes his debt. */
  available: bigint
}>

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** What came back of a settlement is the merchant's again: its settlement books that. */
export const isReturn = ({ type }: Pick<Open, 'type'>, resolution: Resolution): boolean =>
  type === 'RETURNED' && resolution === 'CREDIT_MERCHANT'

/** The lines of an allowed resolution; none where nothing waits. */
export function linesOf(
  open: Open,
  resolution: Resolution,
  { place, attempt, available }: Bearing,
): readonly Line[] {
  const { amount, gateway_id } = open
  if (open.suspense_side === null) return []
  const incident = { place, incident_id: open.id, gateway_id }
  const collected = attempt.direction === 'COLLECT'
  switch (resolution) {
    case 'REFUND_PAYER':
      return refundPayer(incident, amount)
    case 'CREDIT_MERCHANT':
      return open.type === 'AMOUNT_MISMATCH' && collected && amount > attempt.client_fee
        ? acceptMismatch(incident, amount, attempt)
        : creditMerchant(incident, amount)
    case 'RECOVERED':
      if (collected) return capturedToSuspense(incident, amount)
      return open.suspense_side === 'DEBIT'
        ? payoutReturnedToSuspense(incident, amount)
        : paidToSuspense(incident, amount)
    case 'WRITE_OFF':
      return writeOff(incident, amount)
    case 'CHARGE_MERCHANT':
      if (collected) {
        const most = smaller(available, attempt.net_amount)
        return chargeMerchantForReversal(incident, attempt, most)
      }
      // Another amount than was promised, or a second payment: only the sum itself is his to bear.
      if (open.type !== 'PAID_AFTER_RELEASE') {
        return chargeSum(incident, amount, smaller(available, amount))
      }
      return chargeMerchantForPayout(incident, attempt, smaller(available, attempt.debited_amount))
  }
}
