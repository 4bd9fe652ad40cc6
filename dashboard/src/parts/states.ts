// How far things are that are no transactions: a shape and a word for each status.

import type {
  CheckoutSession,
  MerchantApiKey,
  Refund,
  SearchResult,
  Settlement,
  WalletTransfer,
} from '../api/types.gen.ts'
import { serviceNow } from '../data/clock.ts'
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

const idle_ms = 90 * 24 * 60 * 60_000

/** One that works may be replaced already, or unused for long. */
export function keyState({
  status,
  rotated_to,
  last_used_at,
  created_at,
}: Pick<MerchantApiKey, 'status' | 'rotated_to' | 'last_used_at' | 'created_at'>): State {
  if (status === 'REVOKED') return { shape: 'off', word: 'key_revoked' }
  if (status === 'EXPIRED') return { shape: 'off', word: 'key_expired' }
  if (rotated_to !== null) return { shape: 'waits', word: 'key_replaced' }
  const age_ms = serviceNow() - new Date(last_used_at ?? created_at).getTime()
  if (age_ms > idle_ms) return { shape: 'held', word: 'key_idle' }
  return { shape: 'done', word: 'key_active' }
}

/** What a search found, whose status is `RETURNED` where it came back. */
type Found = Pick<
  SearchResult,
  'status' | 'outcome_unknown' | 'rotated_to' | 'last_used_at' | 'at'
> &
  Readonly<{ kind: string }>

/** Undefined where it has no status, or one that is not known here, as those of transactions. */
export function foundState(found: Found): State | undefined {
  const { kind, status, outcome_unknown, rotated_to, last_used_at, at: created_at } = found
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
    return known && keyState({ status: known, rotated_to, last_used_at, created_at })
  }
  const known = kind === 'CHECKOUT_SESSION' ? among(checkoutStatuses) : undefined
  return known && checkoutState({ status: known })
}
