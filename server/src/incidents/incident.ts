// A contradiction that no status can follow (contract 5.14): it is written down once per type and
// attempt, its difference waits in a suspense account of its own, and two people resolve it.

import type { Environment } from '../platform/http/route.ts'

export const incidentTypes = [
  'OUTCOME_UNKNOWN',
  'AMOUNT_MISMATCH',
  'DUPLICATE_CAPTURE',
  'REVERSED_AFTER_SUCCESS',
  'PAID_AFTER_RELEASE',
  'RETURNED',
  'UNMATCHED_CALLBACK',
] as const
export type IncidentType = (typeof incidentTypes)[number]

/** Who bore what was moved beside what was to be paid, by the word of two people. */
export type BorneBy = 'merchant' | 'us' | 'neither' | 'undecided'

export type NewIncident = Readonly<{
  merchant_id: string
  environment: Environment
  id: string
  type: IncidentType
  attempt_id: string | null
  transaction_id: string | null
  settlement_id: string | null
  /** The refund that its attempt carries out; its `transaction_id` is the payment's then. */
  refund_id?: string | null
  callback_id: string | null
  /** The incident whose booking this one corrects; of money that came back, its twin of before. */
  follows?: string | null
  gateway_id: string
  country: string
  currency: string
  /**
   * Hundredths in suspense; 0n when nothing moved (an unknown outcome). Money that staff report as
   * come back is in no suspense, and no side is named.
   */
  amount: bigint
  /** The side of the suspense balance: CREDIT = we hold what is not ours, DEBIT = we are short. */
  suspense_side: 'DEBIT' | 'CREDIT' | null
  detail: Readonly<Record<string, unknown>>
}>
