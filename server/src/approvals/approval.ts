// Anything that waits for a decision of the platform's staff: one line of one list.

import type { Environment } from '../platform/http/route.ts'

/** Where it is decided: the route that takes the decision is named by each line's `path`. */
export const approvalKinds = [
  'MERCHANT',
  'MERCHANT_NAME',
  'WALLET_TRANSFER',
  'SETTLEMENT',
  'REFUND',
  'INCIDENT_RESOLUTION',
  'ADJUSTMENT',
] as const
export type ApprovalKind = (typeof approvalKinds)[number]

export type Approval = Readonly<{
  kind: ApprovalKind
  id: string
  /** Null: it belongs to no merchant. */
  merchant_id: string | null
  merchant_name: string | null
  /** Null for a merchant itself, which is of both environments. */
  environment: Environment | null
  /** Empty where there is none. */
  reference: string
  country: string
  currency: string
  /** Hundredths; null where it is about no amount. */
  amount: bigint | null
  /** The member of staff who proposed it and so may not decide it; null: any may. */
  proposed_by: string | null
  since: Date
}>
