// A checkout session: one sum, requested once. It ranks above the transactions that pay it, so that
// the statement that confirms one can pay its session in the same commit.

import type { FeeChargeMode } from '../money/fee-charge-mode.ts'
import type { Environment } from '../platform/http/route.ts'
import type { SessionStatus } from './states.ts'

export type OrderKey = Readonly<{ merchant_id: string; id: string }>

/** A row of `checkout_sessions`; the amount in hundredths. */
export type Session = Readonly<{
  merchant_id: string
  id: string
  environment: Environment
  created_by_member: string | null
  slug: string
  amount: bigint
  currency: string
  description: string
  country: string | null
  customer_email: string
  customer_name: string
  customer_phone: string
  return_url: string
  metadata: Readonly<Record<string, unknown>>
  fee_charge_mode: FeeChargeMode | null
  merchant_reference: string
  status: SessionStatus
  /** One more with each change of the row: a statement names the version that was decided from. */
  version: number
  expires_at: Date | null
  /** The last payment that was begun, or the one that paid. */
  transaction_id: string | null
  paid_by: string | null
  /** The payment that is under way now. */
  pending_payment: string | null
  /** How many were begun. */
  payments: number
  payment_link: string | null
  paid_at: Date | null
  created_at: Date
  updated_at: Date
  /** Judged by the database's clock. */
  has_expired: boolean
  /** Seconds, by the same clock. */
  ends_in_s: number
}>
