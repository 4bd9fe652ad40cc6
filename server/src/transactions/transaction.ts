// The record of one movement of money as the merchant sees it. Its figures are those of the attempt
// under way, and in the end those of the attempt that carried it out.

import type { Evidence, TriggeredBy } from '../attempts/evidence.ts'
import type { RowOf } from '../platform/columns.ts'
import type { transactionRow } from './columns.ts'

export type TransactionKey = Readonly<{ merchant_id: string; id: string }>

/** A row of `transactions`; amounts in hundredths, `exchange_rate` × 10⁸. */
export type Transaction = RowOf<typeof transactionRow>

/** Its payer was erased: only the last two digits of their phone are left. */
export const isErased = ({ operation_msisdn }: Pick<Transaction, 'operation_msisdn'>): boolean =>
  operation_msisdn.startsWith('*')

/** A known contradiction (contract 5.7), or none. */
export type IncidentMark = Readonly<{ id: string; type: string; status: 'OPEN' | 'RESOLVED' }>

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
