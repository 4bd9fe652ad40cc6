// What a search finds, of all kinds alike.

import type { TransactionType } from '../transactions/states.ts'
import type { IncidentMark } from '../transactions/transaction.ts'

/** Every kind, in the order in which they are shown. */
export const foundKinds = [
  'TRANSACTION',
  'CUSTOMER',
  'PAYMENT_LINK',
  'CHECKOUT_SESSION',
  'REFUND',
  'SETTLEMENT',
  'WALLET_TRANSFER',
  'API_KEY',
] as const

/** The amount in hundredths; null where the kind has no such thing. */
export type Found = Readonly<{
  kind: (typeof foundKinds)[number]
  id: string
  title: string
  detail: string
  transaction_type: TransactionType | null
  transaction: string | null
  status: string | null
  amount: bigint | null
  currency: string | null
  /** Of a transaction or a refund: its operator has not said what came of it. */
  outcome_unknown: boolean
  /** Of a transaction. */
  incident: IncidentMark | null
  /** Of a key: the one that replaces it, and when it was last used. */
  rotated_to: string | null
  last_used_at: Date | null
  /** It is the very thing that was typed. */
  is_exact: boolean
  at: Date
}>
