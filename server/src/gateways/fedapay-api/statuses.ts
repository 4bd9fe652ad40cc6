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
  | 'confirmed'
  | 'refused'
  | 'cancelled'
  | 'refunded'
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
    // How much is not said: it was paid, and people learn the rest from the statement.
    approved_partially_refunded: 'confirmed',
    transferred_partially_refunded: 'confirmed',
  },
  DISBURSE: {
    // After a start that was lost it is no proof that nothing started.
    pending: 'undecided',
    scheduled: 'waiting',
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
export const failureOf = (direction: Direction, code: string): FailureCode | undefined =>
  direction === 'COLLECT' && code === 'INSUFFICIENT_FUND_ERROR' ? 'INSUFFICIENT_FUNDS' : undefined

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
