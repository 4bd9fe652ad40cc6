// What crosses this operator's wire: the bodies of its calls, and sessions and payouts as they are
// shown. Law: what is not as documented is not read.

import { isCurrency, minorUnits } from '../../money/currency.ts'
import { type AmountForm, fromWire, toWire } from '../../money/wire-amount.ts'
import {
  clip,
  type Fields,
  isFields,
  readFields,
  sentenceIn,
  wordIn,
} from '../../platform/json-fields.ts'
import type { SendResult } from '../../platform/outbound/outbound.ts'
import type { GatewayOrder } from '../gateway.ts'

export type Answered = Extract<SendResult, { is: 'answered' }>

const sessions = '/v1/checkout/sessions'
const encoded = encodeURIComponent

export const paths = {
  createSession: sessions,
  session: (id: string) => `${sessions}/${encoded(id)}`,
  searchSessions: (our_key: string) => `${sessions}/search?client_reference=${encoded(our_key)}`,
  expireSession: (id: string) => `${sessions}/${encoded(id)}/expire`,
  refundSession: (id: string) => `${sessions}/${encoded(id)}/refund`,
  createPayout: '/v1/payout',
  reversePayout: (id: string) => `/v1/payout/${encoded(id)}/reverse`,
  payout: (id: string) => `/v1/payout/${encoded(id)}`,
  searchPayouts: (our_key: string) => `/v1/payouts/search?client_reference=${encoded(our_key)}`,
  balance: '/v1/balance',
  /** `date`: a day as the operator counts it, `YYYY-MM-DD`. */
  transactions: (date: string, after: string) =>
    `/v1/transactions?date=${date}${after === '' ? '' : `&after=${encoded(after)}`}`,
} as const

const formOf = (currency: string): AmountForm => ({
  decimals: minorUnits(currency) === 0 ? 0 : 2,
  wire: 'TEXT',
})

/** Hundredths; undefined for what is no amount in this currency. */
export const amountOnWire = (text: string, currency: string): bigint | undefined =>
  isCurrency(currency) ? fromWire(text, formOf(currency)) : undefined

const reasonMax = 40

/** `restrict_payer`: whether nobody else may pay it. */
export function sessionBody(order: GatewayOrder, restrict_payer: boolean): string {
  // The operator wants both, and no other than https: a payer whose merchant named no such place
  // comes back to ours, as one does who began on a page of ours.
  const ours = new URL('/', order.callback_url).href
  const isTaken = /^https:/i.test(order.return_url) || order.return_url.startsWith(ours)
  const back = isTaken ? order.return_url : ours
  return JSON.stringify({
    amount: toWire(order.amount, formOf(order.currency)),
    currency: order.currency,
    error_url: back,
    success_url: back,
    client_reference: order.our_key,
    ...(restrict_payer ? { restrict_payer_mobile: order.msisdn } : {}),
  })
}

/** At most forty, however the operator counts a sign that is two: never half of one. */
function reasonOf(description: string): string {
  const plain = description.replace(/\p{Cc}+/gu, ' ').trim()
  let text = clip(plain, reasonMax)
  while (text.length > reasonMax) text = clip(text, [...text].length - 1)
  return text.trim()
}

export function payoutBody(order: GatewayOrder): string {
  const reason = reasonOf(order.description)
  return JSON.stringify({
    currency: order.currency,
    receive_amount: toWire(order.amount, formOf(order.currency)),
    mobile: order.msisdn,
    client_reference: order.our_key,
    ...(reason === '' ? {} : { payment_reason: reason }),
  })
}

/** A session as the operator shows it; a text that it did not show is empty. */
export type Session = Readonly<{
  id: string
  client_reference: string
  checkout_status: string
  payment_status: string
  amount: string
  currency: string
  launch_url: string
  /** What the payer sees in the app; empty before it was paid. */
  transaction_id: string
  /** Of the payer's last try that failed. */
  error_code: string
  /** When it was made; 0 where it does not say. Unix milliseconds. */
  created_at: number
  /** When it ended, or will; undefined where it does not say. Unix milliseconds. */
  ends_at: number | undefined
}>

/** Undefined for what is no session. */
export function readSession(fields: Fields | undefined): Session | undefined {
  const id = fields === undefined ? '' : wordIn(fields, 'id')
  if (fields === undefined || !id.startsWith('cos-')) return undefined
  const error = fields['last_payment_error']
  const ends_at = timeIn(fields, 'when_completed') ?? timeIn(fields, 'when_expires')
  return {
    id,
    client_reference: wordIn(fields, 'client_reference'),
    checkout_status: wordIn(fields, 'checkout_status'),
    payment_status: wordIn(fields, 'payment_status'),
    amount: textOf(fields['amount']),
    currency: wordIn(fields, 'currency'),
    launch_url: addressIn(fields, 'wave_launch_url'),
    transaction_id: wordIn(fields, 'transaction_id'),
    error_code: isFields(error) ? wordIn(error, 'code') : '',
    created_at: timeIn(fields, 'when_created') ?? 0,
    ends_at,
  }
}

export type Payout = Readonly<{
  id: string
  client_reference: string
  status: string
  amount: string
  currency: string
  error_code: string
}>

/** Undefined for what is no payout. */
export function readPayout(fields: Fields | undefined): Payout | undefined {
  const id = fields === undefined ? '' : wordIn(fields, 'id')
  if (fields === undefined || !id.startsWith('pt-')) return undefined
  const error = fields['payout_error']
  return {
    id,
    client_reference: wordIn(fields, 'client_reference'),
    status: wordIn(fields, 'status'),
    amount: textOf(fields['receive_amount']),
    currency: wordIn(fields, 'currency'),
    error_code: isFields(error) ? wordIn(error, 'error_code') || wordIn(error, 'code') : '',
  }
}

/** What a search found; undefined when one of it cannot be read. */
export function readFound<T>(
  { body }: Answered,
  read: (fields: Fields | undefined) => T | undefined,
): readonly T[] | undefined {
  const result = readFields(body)?.['result']
  if (!Array.isArray(result)) return undefined
  const found = result.map((one) => (isFields(one) ? read(one) : undefined))
  const readable = found.filter((one): one is Awaited<T> & T => one !== undefined)
  return readable.length === found.length ? readable : undefined
}

/** One page of a day's lines: which sessions it shows as given back, and where it goes on. */
export type Refunded = Readonly<{ sessions: readonly string[]; next: string | undefined }>

export function readRefunded({ body }: Answered): Refunded | undefined {
  const fields = readFields(body)
  const [items, page] = [fields?.['items'], fields?.['page_info']]
  if (!Array.isArray(items) || !isFields(page)) return undefined
  const refunds = items.filter(
    (one) =>
      isFields(one) &&
      (one['transaction_type'] === 'api_checkout_refund' || one['is_reversal'] === true),
  )
  const cursor = wordIn(page, 'end_cursor')
  return {
    sessions: refunds.map((one) => wordIn(one, 'checkout_api_session_id')).filter(Boolean),
    next: page['has_next_page'] === true && cursor !== '' ? cursor : undefined,
  }
}

/** Both forms are in the operator's documents. */
export const codeOf = (fields: Fields | undefined): string =>
  fields === undefined ? '' : wordIn(fields, 'code') || wordIn(fields, 'error_code')

export function detailOf({ status, body }: Answered): string {
  const fields = readFields(body)
  const said = (name: string) => (fields === undefined ? '' : sentenceIn(fields, name))
  const message = said('message') || said('error_message')
  return ['status', String(status), codeOf(fields), message].filter(Boolean).join(' ')
}

export function readBalance({ status, body }: Answered) {
  const fields = status === 200 ? readFields(body) : undefined
  if (fields === undefined) return undefined
  const [text, currency] = [textOf(fields['amount']), wordIn(fields, 'currency')]
  const isEmpty = /^0(?:\.0{1,2})?$/.test(text)
  const amount = isEmpty ? 0n : currency === '' ? undefined : amountOnWire(text, currency)
  return amount === undefined || currency === '' ? undefined : { amount, currency }
}

/** Amounts are texts in the documents, and numbers in some samples of others. */
function textOf(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  return wordIn({ value }, 'value')
}

function timeIn(fields: Fields, name: string): number | undefined {
  const time = Date.parse(wordIn(fields, name))
  return Number.isFinite(time) ? time : undefined
}

/** An address that a browser may be sent to; empty for anything else. */
function addressIn(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string' || value.length > 2_000 || !URL.canParse(value)) return ''
  const { protocol } = new URL(value)
  return protocol === 'https:' || protocol === 'http:' ? value : ''
}
