// What this operator's statuses and reasons mean, over every pair of them. Pure. Law: a pair that
// is not here is unknown, and is counted; only FAILED with a listed reason names a cause.
// Sources, and how sure each is: docs/operators/mtn.md.

import type { Direction, FailureCode } from '../gateway.ts'

export const statuses = [
  'PENDING',
  'CREATED',
  'ONGOING',
  'DELAYED',
  'SUCCESSFUL',
  'FAILED',
] as const

export type Meaning = Readonly<{
  by: 'payer' | 'gateway'
  failure_code: FailureCode
  alarm?: 'CREDENTIAL' | 'CONFIGURATION'
  /** The operator says this of the receiver's limit and of our own empty float alike. */
  ask_balance?: true
}>

const payer = (failure_code: FailureCode): Meaning => ({ by: 'payer', failure_code })
const ours: Meaning = { by: 'gateway', failure_code: 'GATEWAY_REFUSED', alarm: 'CONFIGURATION' }
const down: Meaning = { by: 'gateway', failure_code: 'GATEWAY_UNAVAILABLE' }
const unnamed: Meaning = payer('UNKNOWN')
/** Without the balance: the receiver's limit is what the operator's own text gives as the cause. */
const float: Meaning = { ...payer('LIMIT_REACHED'), ask_balance: true }

type Meanings = Readonly<{ COLLECT: Meaning; DISBURSE: Meaning }>

const either = (meaning: Meaning): Meanings => ({ COLLECT: meaning, DISBURSE: meaning })

/** Why a FAILED transaction failed. */
export const reasons: Readonly<Record<string, Meanings>> = {
  NOT_ENOUGH_FUNDS: { COLLECT: payer('INSUFFICIENT_FUNDS'), DISBURSE: float },
  LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED: {
    COLLECT: payer('INSUFFICIENT_FUNDS'),
    DISBURSE: float,
  },
  PAYER_LIMIT_REACHED: either(payer('LIMIT_REACHED')),
  PAYEE_LIMIT_REACHED: either(payer('LIMIT_REACHED')),
  PAYER_NOT_FOUND: either(payer('PAYER_NOT_FOUND')),
  PAYEE_NOT_FOUND: either(payer('RECIPIENT_NOT_FOUND')),
  APPROVAL_REJECTED: either(payer('NOT_APPROVED')),
  PAYMENT_NOT_APPROVED: either(payer('NOT_APPROVED')),
  PAYER_REJECTION: either(payer('NOT_APPROVED')),
  TRANSACTION_CANCELED: either(payer('NOT_APPROVED')),
  EXPIRED: either(payer('EXPIRED')),
  COULD_NOT_PERFORM_TRANSACTION: either(payer('EXPIRED')),
  PAYER_DELAYED: either(payer('EXPIRED')),
  PAYEE_NOT_ALLOWED_TO_RECEIVE: { COLLECT: ours, DISBURSE: payer('RECIPIENT_NOT_FOUND') },
  SENDER_ACCOUNT_NOT_ACTIVE: { COLLECT: payer('PAYER_NOT_FOUND'), DISBURSE: ours },
  NOT_ALLOWED: either(ours),
  NOT_ALLOWED_TARGET_ENVIRONMENT: either(ours),
  INVALID_CALLBACK_URL_HOST: either(ours),
  INVALID_CURRENCY: either(ours),
  TRANSFER_TYPE_UNKNOWN: either(ours),
  VALIDATION_ERROR: either(ours),
  SERVICE_UNAVAILABLE: either(down),
  INTERNAL_PROCESSING_ERROR: either(unnamed),
}

/** Reasons that say that it is still under way. */
export const waitingReasons = ['PENDING', 'CREATED', 'ONGOING', 'DELAYED'] as const
/** Reasons that say that the operator does not have it; a transaction that is shown contradicts. */
export const missingReasons = ['TRANSACTION_NOT_FOUND', 'RESOURCE_NOT_FOUND'] as const

export type Cell =
  | { is: 'confirmed' }
  | { is: 'waiting' }
  | { is: 'failed'; meaning: Meaning; listed: boolean }
  /** No entry: nothing follows from it. */
  | { is: 'unknown' }

const isOneOf = (words: readonly string[], text: string): boolean => words.includes(text)

/** The entry for one pair; `reason` is empty where the operator gave none. */
export function cellOf(direction: Direction, status: string, reason: string): Cell {
  if (status === 'SUCCESSFUL') return reason === '' ? { is: 'confirmed' } : { is: 'unknown' }
  if (status === 'FAILED') return failedCell(direction, reason)
  const isWaiting = isOneOf(statuses, status)
  const isNamed = reason === '' || isOneOf(waitingReasons, reason) || reason === 'PAYER_DELAYED'
  return isWaiting && isNamed ? { is: 'waiting' } : { is: 'unknown' }
}

function failedCell(direction: Direction, reason: string): Cell {
  if (isOneOf(waitingReasons, reason) || isOneOf(missingReasons, reason)) return { is: 'unknown' }
  const found = Object.hasOwn(reasons, reason) ? reasons[reason] : undefined
  return { is: 'failed', meaning: found?.[direction] ?? unnamed, listed: found !== undefined }
}
