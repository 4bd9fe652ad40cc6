// The record of one movement of money as the merchant sees it. Its figures are those of the attempt
// under way, and in the end those of the attempt that carried it out.

import type { Evidence, TriggeredBy } from '../attempts/evidence.ts'
import type { RowOf } from '../platform/columns.ts'
import type { transactionRow } from './columns.ts'

export type TransactionKey = Readonly<{ merchant_id: string; id: string }>

/** A row of `transactions`; amounts in hundredths, `exchange_rate` × 10⁸. */
export type Transaction = RowOf<typeof transactionRow>

/** Who called for it: a program, a member in the dashboard, a payer on the page of either. */
export const transactionVias = ['KEY', 'DASHBOARD', 'CHECKOUT', 'LINK'] as const
export type TransactionVia = (typeof transactionVias)[number]

type Maker = Pick<Transaction, 'payment_link' | 'checkout_session' | 'api_key_id' | 'member_id'>

/** A link opens a session, so the link is looked at first. Null for made-up history. */
export function viaOf(of: Maker): TransactionVia | null {
  if (of.payment_link !== null) return 'LINK'
  if (of.checkout_session !== null) return 'CHECKOUT'
  if (of.api_key_id !== null) return 'KEY'
  return of.member_id === null ? null : 'DASHBOARD'
}

/** Its payer was erased: only the last two digits of their phone are left. */
export const isErased = ({ operation_msisdn }: Pick<Transaction, 'operation_msisdn'>): boolean =>
  operation_msisdn.startsWith('*')

/** What people look into, or have looked into (contract 5.7). */
export type IncidentMark = Readonly<{
  id: string
  type: string
  status: 'OPEN' | 'RESOLVED'
  is_contradiction: boolean
  prevents_refund: boolean
  prevents_retry: boolean
}>

/** The approval by a second person, where a payout needs one (docs/decisions/0013). */
export const payoutApprovals = ['REQUIRED', 'APPROVED', 'REJECTED', 'LAPSED', 'CANCELLED'] as const
export type PayoutApproval = (typeof payoutApprovals)[number]

/** Why a payout was not sent yet: no float, nobody open, or no route that takes it now. */
export const waitingReasons = [
  'GATEWAY_FLOAT',
  'GATEWAY_CLOSED',
  'GATEWAY_QUEUED',
  'NO_ROUTE',
] as const
export type WaitingReason = (typeof waitingReasons)[number]

export type StatusLog = Readonly<{
  merchant_id: string
  id: string
  transaction_id: string
  from_status: string
  to_status: string
  reason: string
  triggered_by: TriggeredBy
  attempt_id: string | null
  evidence_kind: Evidence['kind']
  evidence_id: string | null
  evidence_hash: Buffer | null
  evidence_said: string
  created_at: Date
}>
