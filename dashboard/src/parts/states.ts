// How far things are that are no transactions: a shape and a word for each status.

import type {
  CheckoutSession,
  MerchantApiKey,
  Refund,
  Settlement,
  WalletTransfer,
} from '../api/types.gen.ts'
import { returned, type State } from '../ui/status.tsx'

export const settlementStatuses = [
  ...(['PENDING', 'APPROVED', 'PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED'] as const),
] as const

const settlements = {
  PENDING: 'waits',
  APPROVED: 'waits',
  PROCESSING: 'waits',
  SUCCESS: 'done',
  FAILED: 'failed',
  CANCELLED: 'off',
} as const

export function settlementState({
  status,
  returned_at,
}: Pick<Settlement, 'status' | 'returned_at'>): State {
  if (returned_at !== null) return returned
  return { shape: settlements[status], word: `settlement_${status}` }
}

/** Those that there are: a transfer is decided and done in one. */
export const transferStatuses = ['PENDING', 'SUCCESS', 'REJECTED'] as const

const transfers = {
  PENDING: 'waits',
  APPROVED: 'waits',
  PROCESSING: 'waits',
  SUCCESS: 'done',
  FAILED: 'failed',
  REJECTED: 'failed',
} as const

export const transferState = ({ status }: Pick<WalletTransfer, 'status'>): State => ({
  shape: transfers[status],
  word: `transfer_${status}`,
})

export const checkoutStatuses = ['PENDING', 'PAID', 'EXPIRED', 'CANCELLED'] as const

const checkouts = { PENDING: 'waits', PAID: 'done', EXPIRED: 'off', CANCELLED: 'off' } as const

export const checkoutState = ({ status }: Pick<CheckoutSession, 'status'>): State => ({
  shape: checkouts[status],
  word: `checkout_${status}`,
})

export const refundStatuses = ['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED'] as const

type RefundOpen = Pick<Refund, 'status' | 'waiting_for' | 'returned_at'> &
  Readonly<{ attempts: readonly Pick<Refund['attempts'][number], 'status'>[] }>

/**
 * In the order of what its reader has to know: its end, who has to decide it, whether the operator
 * has answered.
 */
export function refundState({ status, waiting_for, attempts, returned_at }: RefundOpen): State {
  if (returned_at !== null) return returned
  if (status === 'SUCCESS') return { shape: 'done', word: 'refund_SUCCESS' }
  if (status === 'FAILED') return { shape: 'failed', word: 'state_failed' }
  if (status === 'CANCELLED') return { shape: 'off', word: 'state_cancelled' }
  if (waiting_for === 'STAFF') return { shape: 'held', word: 'refund_STAFF' }
  if (waiting_for === 'SECOND_MEMBER') return { shape: 'yours', word: 'state_approval' }
  if (attempts.at(-1)?.status === 'UNKNOWN') return { shape: 'unknown', word: 'state_unknown' }
  return { shape: 'waits', word: 'state_waits' }
}

const keyStatuses = ['ACTIVE', 'REVOKED', 'EXPIRED'] as const

/** As far as its status says: one that works may be replaced already, or unused for long. */
export const keyStates: Readonly<Record<MerchantApiKey['status'], State>> = {
  ACTIVE: { shape: 'done', word: 'key_active' },
  REVOKED: { shape: 'off', word: 'key_revoked' },
  EXPIRED: { shape: 'off', word: 'key_expired' },
}

/** What a search found: it knows the status alone, `RETURNED` of what came back. */
type Found = Readonly<{ kind: string; status: string | null; outcome_unknown: boolean }>

/** Undefined where it has no status, or one that is not known here, as those of transactions. */
export function foundState({ kind, status, outcome_unknown }: Found): State | undefined {
  if (status === 'RETURNED') return returned
  const among = <One extends string>(all: readonly One[]) => all.find((one) => one === status)
  if (kind === 'REFUND') {
    const known = among(refundStatuses)
    const attempts = outcome_unknown ? ([{ status: 'UNKNOWN' }] as const) : []
    return known && refundState({ status: known, waiting_for: null, attempts, returned_at: null })
  }
  if (kind === 'SETTLEMENT') {
    const known = among(settlementStatuses)
    return known && settlementState({ status: known, returned_at: null })
  }
  if (kind === 'WALLET_TRANSFER') {
    const known = among(transferStatuses)
    return known && transferState({ status: known })
  }
  if (kind === 'API_KEY') {
    const known = among(keyStatuses)
    return known && keyStates[known]
  }
  const known = kind === 'CHECKOUT_SESSION' ? among(checkoutStatuses) : undefined
  return known && checkoutState({ status: known })
}
