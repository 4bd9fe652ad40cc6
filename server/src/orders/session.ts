// A checkout session: one sum, requested once. It ranks above the transactions that pay it, so that
// the statement that confirms one can pay its session in the same commit.

import type { FeeChargeMode } from '../money/fee-charge-mode.ts'
import {
  bigint,
  int,
  jsonb,
  omitColumns,
  orNull,
  type RowOf,
  text,
  timestamptz,
  uuid,
} from '../platform/columns.ts'
import type { Environment } from '../platform/http/route.ts'
import type { SessionStatus } from './states.ts'

export type OrderKey = Readonly<{ merchant_id: string; id: string }>

/** The columns of `checkout_sessions`, said once; the amount in hundredths. */
export const sessionRow = {
  merchant_id: uuid(),
  id: uuid(),
  environment: text<Environment>(),
  created_by_member: orNull(uuid()),
  slug: text(),
  amount: bigint(),
  currency: text(),
  description: text(),
  country: orNull(text<string>()),
  customer_email: text(),
  customer_name: text(),
  customer_phone: text(),
  return_url: text(),
  metadata: jsonb<Readonly<Record<string, unknown>>>(),
  fee_charge_mode: orNull(text<FeeChargeMode>()),
  merchant_reference: text(),
  status: text<SessionStatus>(),
  /** One more with each change of the row: a statement names the version that was decided from. */
  version: int(),
  expires_at: orNull(timestamptz()),
  /** The last payment that was begun, or the one that paid. */
  transaction_id: orNull(uuid()),
  paid_by: orNull(uuid()),
  /** The payment that is under way now. */
  pending_payment: orNull(uuid()),
  /** How many were begun. */
  payments: int(),
  payment_link: orNull(uuid()),
  paid_at: orNull(timestamptz()),
  created_at: timestamptz(),
  updated_at: timestamptz(),
}

/** What one is made with; the rest comes with its payments. */
export const newSessionRow = omitColumns(sessionRow, [
  'status',
  'version',
  'transaction_id',
  'paid_by',
  'pending_payment',
  'payments',
  'paid_at',
  'created_at',
  'updated_at',
])

export type NewSession = RowOf<typeof newSessionRow>

export type Session = RowOf<typeof sessionRow> &
  Readonly<{
    /** Judged by the database's clock. */
    has_expired: boolean
    /** Seconds, by the same clock. */
    ends_in_s: number
  }>
