// The noun of the operator: one order to collect from a payer, to pay a recipient or to give a
// collection back, and what the outside sees of it. Law: `debited_at` is set exactly while the
// status is SUCCESSFUL.

import { formatAmount } from './amount.ts'

export type Operator = 'a' | 'b'
export type Kind = 'COLLECTION' | 'PAYOUT' | 'REFUND'
export type Ending = 'SUCCESSFUL' | 'FAILED'
export type Status = 'PENDING' | 'OTP_REQUIRED' | Ending

/** The caller's request; optional fields are undefined when they were absent. */
export type OrderRequest = Readonly<{
  reference: string
  /** Hundredths. */
  amount: bigint
  currency: string
  msisdn: string
  network: string
  flow: 'push' | 'redirect'
  otp_kind: 'NONE' | 'PRE' | 'POST'
  description: string | undefined
  callback_url: string
  return_url: string | undefined
  /** Of a refund: the reference of the collection that it gives back. */
  collection?: string | undefined
}>

/** A change of status that is still to come, at a time in unix milliseconds. */
export type Turn = Readonly<{
  at: number
  status: Ending
  reason?: string | undefined
  /** When the callbacks of this change leave: unscaled milliseconds after it. None: silence. */
  callbacks_ms: readonly number[]
}>

/** A callback that is still to be delivered; its body is frozen when the event happens. */
export type Call = Readonly<{ id: string; body: string; at: number; tries: number }>

export type Order = OrderRequest &
  Readonly<{
    operator: Operator
    kind: Kind
    /** The operator's own reference: `SIM` and random characters. */
    id: string
    status: Status
    reason: string | undefined
    created_at: number
    debited_at: number | undefined
    /** Hundredths that really moved, once SUCCESSFUL (number 9910 moves another amount). */
    moved_amount: bigint | undefined
    turns: readonly Turn[]
    calls: readonly Call[]
    /** The unguessable part of a redirect order's page address. */
    page_token: string | undefined
  }>

export type OrderView = Readonly<{
  id: string
  reference: string
  status: Status
  amount: string
  currency: string
  reason?: string
}>

/** A line of the operator's books, as `GET /books` shows it; amounts as decimal text. */
export type Book = Readonly<{
  operator: Operator
  kind: Kind
  reference: string
  id: string
  amount: string
  currency: string
  msisdn: string
  status: Status
  /** ISO 8601; present exactly while the money is moved. */
  debited_at?: string
}>

export type OrderKey = Readonly<{ operator: Operator; kind: Kind; reference: string }>

/** One text for the key: references are unique per operator and kind. */
export function keyOf({ operator, kind, reference }: OrderKey): string {
  return `${operator} ${kind} ${reference}`
}

export function hasEnded(order: Order): boolean {
  return order.status === 'SUCCESSFUL' || order.status === 'FAILED'
}

export function viewOrder(order: Order): OrderView {
  const { id, reference, status, currency, reason } = order
  const amount = formatAmount(order.moved_amount ?? order.amount)
  return { id, reference, status, amount, currency, ...(reason === undefined ? {} : { reason }) }
}

export function viewBook(order: Order): Book {
  const { operator, kind, reference, id, currency, msisdn, status, debited_at } = order
  const amount = formatAmount(order.moved_amount ?? order.amount)
  const book = { operator, kind, reference, id, amount, currency, msisdn, status }
  if (debited_at === undefined) return book
  return { ...book, debited_at: new Date(debited_at).toISOString() }
}
