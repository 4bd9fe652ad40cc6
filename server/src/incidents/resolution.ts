// How a contradiction ends (contract 5.14, money 3): which resolutions each kind of incident
// allows, and what each books. Pure. After any of them the incident's suspense account is empty.

import { type Attempt, floatOf } from '../attempts/attempt.ts'
import type { Unended } from '../attempts/close-by-staff.ts'
import type { Place } from '../ledger/account.ts'
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
} from '../ledger/postings.ts'
import { assert } from '../platform/errors.ts'
import type { BorneBy, IncidentType } from './incident.ts'

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
  currency: string
  /** Hundredths that wait in suspense. */
  amount: bigint
  suspense_side: 'DEBIT' | 'CREDIT' | null
  /** The incident whose booking this one corrects: its fee was taken there. */
  follows: string | null
}>

/** What an incident is about, in its state when a person resolves it. */
export type IncidentState = Readonly<{
  attempt: Pick<Attempt, 'direction' | 'currency' | 'status' | 'booked_amount'> | undefined
  /** What has not ended of the attempt and what it is for. */
  unended: Unended
  /** Of what came back of an attempt that was not to pay: who bore what it had moved. */
  borne_by?: BorneBy
  /** It follows a return that staff had declared and that was none. */
  was_no_return?: boolean
}>

/** The resolutions that a person may choose. Where nothing waits, only the finding itself. */
export function allowedFor(
  open: Pick<Open, 'type' | 'suspense_side' | 'currency' | 'follows'>,
  { attempt, unended, borne_by = 'merchant', was_no_return = false }: IncidentState,
): readonly Resolution[] {
  const { type, suspense_side, follows } = open
  if (type === 'OUTCOME_UNKNOWN' && attempt?.direction === 'DISBURSE' && unended !== 'none') {
    // What was paid of it is booked by its mismatch: its hold is not spent on the same money.
    const isBooked = (attempt.booked_amount ?? 0n) > 0n
    // It was not paid (the hold is released), or it was (the hold is spent).
    const asPaid: readonly Resolution[] = isBooked ? [] : ['CHARGE_MERCHANT']
    if (unended === 'both') return ['CREDIT_MERCHANT', ...asPaid]
    // Its operator had refused it: it was paid all the same, or what it was for goes on.
    return [...asPaid, 'RECOVERED', 'WRITE_OFF']
  }
  // The same money, by another name, is another incident's: once it is in the operator's books, and
  // once it is credited. What was captured after another capture is other money.
  const isOther = type === 'AMOUNT_MISMATCH' || type === 'DUPLICATE_CAPTURE'
  if (follows !== null && !isOther && !was_no_return) return ['RECOVERED']
  // It is the merchant's again, or has reached the merchant after all.
  if (type === 'RETURNED') return ['CREDIT_MERCHANT', 'RECOVERED']
  if (suspense_side === null) return ['RECOVERED', 'WRITE_OFF']
  // The merchant has had, or paid, nothing of it: it comes back to whoever bore it.
  if (borne_by !== 'merchant') return backTo[borne_by]
  const mayBear = isTheMerchants(open, attempt)
  if (suspense_side === 'CREDIT') {
    if (attempt?.direction !== 'COLLECT') {
      return mayBear ? ['CREDIT_MERCHANT', 'RECOVERED'] : ['RECOVERED', 'WRITE_OFF']
    }
    return mayBear
      ? ['REFUND_PAYER', 'CREDIT_MERCHANT']
      : ['REFUND_PAYER', 'RECOVERED', 'WRITE_OFF']
  }
  return mayBear ? ['CHARGE_MERCHANT', 'RECOVERED', 'WRITE_OFF'] : ['RECOVERED', 'WRITE_OFF']
}

/** What is undecided still may be what people sent back: it is no more than there again. */
const backTo: Readonly<Record<Exclude<BorneBy, 'merchant'>, readonly Resolution[]>> = {
  us: ['WRITE_OFF', 'RECOVERED'],
  neither: ['RECOVERED', 'WRITE_OFF'],
  undecided: ['RECOVERED'],
}

/**
 * A balance has one currency, so a sum in another is never a merchant's to have or to bear. And
 * what an attempt has settled with its own figures is not booked a second time.
 */
function isTheMerchants(
  open: Pick<Open, 'type' | 'currency' | 'suspense_side'>,
  attempt: IncidentState['attempt'],
): boolean {
  if (attempt === undefined || attempt.currency !== open.currency) return false
  if (open.type !== 'AMOUNT_MISMATCH' || attempt.status !== 'SUCCESS') return true
  return isTakenBack(open, attempt)
}

type Part = Pick<Open, 'type' | 'suspense_side'>

/** A part of what was paid and booked came back. */
const isPartBack = (
  { type, suspense_side }: Part,
  { direction, status }: Pick<Attempt, 'direction' | 'status'>,
): boolean =>
  type === 'AMOUNT_MISMATCH' &&
  suspense_side === (direction === 'COLLECT' ? 'DEBIT' : 'CREDIT') &&
  status === 'SUCCESS'

/** The same of a payment: the merchant had it. */
export const isTakenBack = (open: Part, attempt: Pick<Attempt, 'direction' | 'status'>): boolean =>
  attempt.direction === 'COLLECT' && isPartBack(open, attempt)

export type Bearing = Readonly<{
  place: Place
  attempt: Attempt
  /** What the merchant has; what it owes beyond that becomes its debt. */
  available: bigint
}>

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** What came back of a settlement is the merchant's again: its settlement books that. */
export const isReturn = ({ type }: Pick<Open, 'type'>, resolution: Resolution): boolean =>
  type === 'RETURNED' && resolution === 'CREDIT_MERCHANT'

/** What staff declared to have come back has not. */
export const isNoReturn = (
  { type, suspense_side }: Pick<Open, 'type' | 'suspense_side'>,
  resolution: Resolution,
): boolean => type === 'RETURNED' && suspense_side === null && resolution === 'RECOVERED'

/** The operator's account is right again, and no other account is touched. */
function recovered({ amount, suspense_side }: Open, incident: About, collected: boolean) {
  if (suspense_side === 'CREDIT') {
    return collected ? refundPayer(incident, amount) : paidToSuspense(incident, amount)
  }
  return collected
    ? capturedToSuspense(incident, amount)
    : payoutReturnedToSuspense(incident, amount)
}

type About = Parameters<typeof refundPayer>[0]

/**
 * The postings of an allowed resolution; none where nothing waits. Of what was taken back the
 * attempt has the figures that its merchant bears.
 */
export function linesOf(
  open: Open,
  resolution: Resolution,
  { place, attempt, available }: Bearing,
): readonly Line[] {
  const { amount, gateway_id } = open
  if (open.suspense_side === null) return []
  const incident = { place, incident_id: open.id, gateway_id, float: floatOf(attempt) }
  const collected = attempt.direction === 'COLLECT'
  switch (resolution) {
    case 'REFUND_PAYER':
      return refundPayer(incident, amount)
    case 'CREDIT_MERCHANT':
      assert(open.currency === attempt.currency, 'a credit in the currency of the attempt')
      return isFirstMismatch(open) && collected && amount > attempt.client_fee
        ? acceptMismatch(incident, amount, attempt)
        : creditMerchant(incident, amount)
    case 'RECOVERED':
      return recovered(open, incident, collected)
    case 'WRITE_OFF':
      return writeOff(incident, amount, open.suspense_side)
    case 'CHARGE_MERCHANT':
      assert(open.currency === attempt.currency, 'a charge in the currency of the attempt')
      if (isTakenBack(open, attempt) || (collected && open.type === 'REVERSED_AFTER_SUCCESS')) {
        const most = smaller(available, attempt.net_amount)
        return chargeMerchantForReversal(incident, attempt, most)
      }
      // A different amount than promised, or a second payment: the merchant bears only the sum
      // itself.
      if (open.type !== 'PAID_AFTER_RELEASE') {
        return chargeSum(incident, amount, smaller(available, amount))
      }
      return chargeMerchantForPayout(incident, attempt, smaller(available, attempt.debited_amount))
  }
}

const isFirstMismatch = ({ type, follows }: Open): boolean =>
  type === 'AMOUNT_MISMATCH' && follows === null

/**
 * The operator's total that a resolution answers, by which its later reports on the same order are
 * measured. Undefined where the attempt may still settle with its own figures.
 */
export function totalAnswered(
  open: Open,
  resolution: Resolution,
  attempt: Pick<Attempt, 'direction' | 'currency' | 'status' | 'booked_amount'>,
): bigint | undefined {
  if (isPartBack(open, attempt)) return undefined
  if (open.type !== 'AMOUNT_MISMATCH' || open.currency !== attempt.currency) return undefined
  const isBooked = resolution === 'CREDIT_MERCHANT' || resolution === 'CHARGE_MERCHANT'
  if (open.follows === null) return isBooked ? open.amount : undefined
  const isMore = (open.suspense_side === 'CREDIT') === (attempt.direction === 'COLLECT')
  return (attempt.booked_amount ?? 0n) + (isMore ? open.amount : -open.amount)
}
