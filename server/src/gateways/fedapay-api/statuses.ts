// What this operator's statuses and modes mean. Pure. Law: what is not here is unknown, and is
// counted. Sources, and how sure each is: docs/operators/fedapay.md.

import type { Direction, FailureCode } from '../gateway.ts'

export const statuses = {
  COLLECT: [
    'pending',
    'approved',
    'transferred',
    'declined',
    'canceled',
    'refunded',
    'approved_partially_refunded',
    'transferred_partially_refunded',
  ],
  DISBURSE: ['pending', 'scheduled', 'started', 'processing', 'sent', 'failed'],
} as const

export type Cell =
  | 'waiting'
  /** In its own queue: nothing moves before it is let go on. */
  | 'queued'
  | 'confirmed'
  | 'refused'
  | 'cancelled'
  | 'refunded'
  /** Paid, and a part of it given back: it does not say how much. */
  | 'partly_refunded'
  /** Made, and perhaps asked for: it says neither. */
  | 'undecided'
  | 'unknown'

const cells: Readonly<Record<Direction, Readonly<Record<string, Cell>>>> = {
  COLLECT: {
    pending: 'waiting',
    approved: 'confirmed',
    transferred: 'confirmed',
    declined: 'refused',
    canceled: 'cancelled',
    // We give nothing back by its own refunds, so whoever did was not us.
    refunded: 'refunded',
    approved_partially_refunded: 'partly_refunded',
    transferred_partially_refunded: 'partly_refunded',
  },
  DISBURSE: {
    // After a start that was lost it is no proof that nothing started.
    pending: 'undecided',
    scheduled: 'queued',
    started: 'waiting',
    processing: 'waiting',
    sent: 'confirmed',
    failed: 'refused',
  },
}

const at = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

export const cellOf = (direction: Direction, status: string): Cell =>
  at(cells[direction], status) ?? 'unknown'

/** The one code that its documents show; undefined for any other. */
const failureOf = (direction: Direction, code: string): FailureCode | undefined =>
  direction === 'COLLECT' && code === 'INSUFFICIENT_FUND_ERROR' ? 'INSUFFICIENT_FUNDS' : undefined

type Causes = Readonly<Record<string, FailureCode>>

const notApproved: Causes = Object.fromEntries(
  ['APPROVAL_REJECTED', 'PAYMENT_NOT_APPROVED', 'PAYER_REJECTION', 'TRANSACTION_CANCELED'].map(
    (reason) => [reason, 'NOT_APPROVED'],
  ),
)

/**
 * Reasons of MTN's that were seen inside its messages, with what they are at MTN. Of payouts those
 * that are the receiver's alone: a balance that is low there may be anybody's.
 */
const networkReasons: Readonly<Record<Direction, Causes>> = {
  COLLECT: {
    NOT_ENOUGH_FUNDS: 'INSUFFICIENT_FUNDS',
    LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED: 'INSUFFICIENT_FUNDS',
    PAYER_LIMIT_REACHED: 'LIMIT_REACHED',
    PAYER_NOT_FOUND: 'PAYER_NOT_FOUND',
    SENDER_ACCOUNT_NOT_ACTIVE: 'PAYER_NOT_FOUND',
    EXPIRED: 'EXPIRED',
    COULD_NOT_PERFORM_TRANSACTION: 'EXPIRED',
    PAYER_DELAYED: 'EXPIRED',
    ...notApproved,
  },
  DISBURSE: {
    PAYEE_LIMIT_REACHED: 'LIMIT_REACHED',
    PAYEE_NOT_FOUND: 'RECIPIENT_NOT_FOUND',
    PAYEE_NOT_ALLOWED_TO_RECEIVE: 'RECIPIENT_NOT_FOUND',
  },
}

/** The one listed reason in a message; undefined where there is none, or more than one. */
export function reasonIn(direction: Direction, message: string): string | undefined {
  const table = networkReasons[direction]
  const words = message.match(/\w+/g) ?? []
  const [reason, ...others] = new Set(words.filter((one) => Object.hasOwn(table, one)))
  return others.length === 0 ? reason : undefined
}

/** Why it failed: by its code, else by the network's own reason; undefined where nothing says. */
export const causeOf = (
  direction: Direction,
  { error_code, reason }: Readonly<{ error_code: string; reason: string | undefined }>,
): FailureCode | undefined =>
  failureOf(direction, error_code) ?? at(networkReasons[direction], reason ?? '')

/** What it calls our networks, where it asks a payer without a page. */
const modes: Readonly<Record<string, string>> = {
  mtn_bj: 'mtn_open',
  moov_bj: 'moov',
  celtiis_bj: 'sbin',
  moov_tg: 'moov_tg',
  togocel: 'togocel',
  mtn_gn: 'mtn_open_gn',
  mtn_ci: 'mtn_ci',
  airtel_ne: 'airtel_ne',
  freemoney_sn: 'free_sn',
}

export const modeOf = (network_code: string): string | undefined => at(modes, network_code)
