// What crosses this operator's wire: forms out, JSON in. Law: what is not as documented is not
// read.

import { type AmountForm, fromWire, toWire } from '../../money/wire-amount.ts'
import { timeOfId } from '../../platform/ids.ts'
import {
  clip,
  type Fields,
  isFields,
  readFields,
  sentenceIn,
  wordIn,
} from '../../platform/json-fields.ts'
import type { GatewayOrder, RefundOrder } from '../gateway.ts'
import { shortReference } from '../reference-codec.ts'
import type { WalletBalance } from '../wallet.ts'
import { arrivalS, pageLifeS } from './settings.ts'

/** Sums in these cross as they are; in others, in hundredths (docs.stripe.com/currencies). */
const zeroDecimals = new Set(
  'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '),
)

const formOf = (currency: string): AmountForm => ({
  decimals: zeroDecimals.has(currency) ? 0 : 2,
  wire: 'SUBUNIT',
})

/** Hundredths; undefined for what is no amount of this currency. */
export const amountOffWire = (value: unknown, currency: string): bigint | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value)
    ? fromWire(String(value), formOf(currency))
    : undefined

export const currencyOffWire = (text: string): string => text.toUpperCase()

type Pair = readonly [name: string, value: string]

const formBody = (pairs: readonly Pair[]): string =>
  new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString()

const nameMost = 250

/** What the payer reads beside the sum; a reference where the merchant has written nothing. */
function nameOf({ description, our_key }: GatewayOrder): string {
  const plain = description
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
    .trim()
  return clip(plain, nameMost) || shortReference(our_key)
}

/** Where the payer goes back to; the operator wants an address in any case. */
const returnOf = ({ return_url, callback_url }: GatewayOrder): string =>
  return_url === '' ? `${new URL(callback_url).origin}/` : return_url

/** When an attempt was made: its id begins with it. Unix seconds. */
const madeAt = (attempt_id: string): number => Math.floor(timeOfId(attempt_id) / 1000)

/**
 * The body of a create call, the same bytes each time that an order is sent. The page ends so soon
 * that a replay which is the first to arrive, much later, is refused as too short.
 */
export function sessionBody(order: GatewayOrder): string {
  const { amount, currency, our_key } = order
  const price = 'line_items[0][price_data]'
  return formBody([
    ['mode', 'payment'],
    ['payment_method_types[0]', 'card'],
    ['client_reference_id', our_key],
    ['metadata[attempt]', our_key],
    ['payment_intent_data[metadata][attempt]', our_key],
    [`${price}[currency]`, currency.toLowerCase()],
    [`${price}[unit_amount]`, toWire(amount, formOf(currency))],
    [`${price}[product_data][name]`, nameOf(order)],
    ['line_items[0][quantity]', '1'],
    // The payer is asked for this sum in this currency, and no other.
    ['adaptive_pricing[enabled]', 'false'],
    ['success_url', returnOf(order)],
    ['cancel_url', returnOf(order)],
    ['expires_at', String(madeAt(order.attempt_id) + pageLifeS + arrivalS)],
  ])
}

export const refundBody = (order: RefundOrder, payment_intent: string): string =>
  formBody([
    ['payment_intent', payment_intent],
    ['amount', toWire(order.amount, formOf(order.currency))],
    ['reason', 'requested_by_customer'],
    ['metadata[attempt]', order.our_key],
    ['metadata[refund]', order.refund_id],
  ])

export const sessionPath = (id: string): string =>
  `/v1/checkout/sessions/${encodeURIComponent(id)}?expand[]=payment_intent.latest_charge`

/** The sessions of the minutes in which an attempt could have made one. */
export function searchPath(attempt_id: string, after: string): string {
  const made = madeAt(attempt_id)
  const query = new URLSearchParams({
    limit: '100',
    'created[gte]': String(made - arrivalS),
    'created[lte]': String(made + 2 * arrivalS),
  })
  if (after !== '') query.set('starting_after', after)
  return `/v1/checkout/sessions?${query}`
}

const fieldsIn = (fields: Fields, name: string): Fields => {
  const value = fields[name]
  return isFields(value) ? value : {}
}

/** Of an object that may be expanded: its id. */
const idIn = (fields: Fields, name: string): string =>
  wordIn(fields, name) || wordIn(fieldsIn(fields, name), 'id')

/** A page as the operator shows it. */
export type Session = Readonly<{
  id: string
  status: string
  payment_status: string
  our_key: string
  amount_total: unknown
  currency: string
  url: string
  livemode: boolean
  payment_intent: string
  /** Of the last card that was declined. */
  error: Readonly<{ code: string; decline_code: string }>
  /** Something of it was given back, or is disputed. */
  is_touched: boolean
}>

/** Undefined for any other object. */
export function readSession(fields: Fields | undefined): Session | undefined {
  if (fields === undefined || fields['object'] !== 'checkout.session') return undefined
  const id = wordIn(fields, 'id')
  const status = wordIn(fields, 'status')
  if (id === '' || status === '') return undefined
  const intent = fieldsIn(fields, 'payment_intent')
  const charge = fieldsIn(intent, 'latest_charge')
  const error = fieldsIn(intent, 'last_payment_error')
  return {
    ...{ id, status },
    payment_status: wordIn(fields, 'payment_status'),
    our_key: wordIn(fields, 'client_reference_id'),
    amount_total: fields['amount_total'],
    currency: currencyOffWire(wordIn(fields, 'currency')),
    url: urlIn(fields),
    livemode: fields['livemode'] === true,
    payment_intent: idIn(fields, 'payment_intent'),
    error: { code: wordIn(error, 'code'), decline_code: wordIn(error, 'decline_code') },
    is_touched: charge['disputed'] === true || Number(charge['amount_refunded'] ?? 0) > 0,
  }
}

const urlMost = 4_096

function urlIn(fields: Fields): string {
  const url = fields['url']
  if (typeof url !== 'string' || url.length > urlMost || !URL.canParse(url)) return ''
  return /^https?:$/.test(new URL(url).protocol) ? url : ''
}

/** A refund, or a dispute, as the operator shows it. */
export type Given = Readonly<{
  id: string
  status: string
  /** Our key of the refund's attempt; empty where somebody made it elsewhere. */
  our_key: string
  amount: unknown
  currency: string
  failure_reason: string
  payment_intent: string
}>

export function readGiven(
  fields: Fields | undefined,
  object: 'refund' | 'dispute',
): Given | undefined {
  if (fields === undefined || fields['object'] !== object) return undefined
  const [id, status] = [wordIn(fields, 'id'), wordIn(fields, 'status')]
  if (id === '' || status === '') return undefined
  return {
    ...{ id, status },
    our_key: wordIn(fieldsIn(fields, 'metadata'), 'attempt'),
    amount: fields['amount'],
    currency: currencyOffWire(wordIn(fields, 'currency')),
    failure_reason: wordIn(fields, 'failure_reason'),
    payment_intent: idIn(fields, 'payment_intent'),
  }
}

/** A list: what it holds, and whether there is more behind it. Undefined for anything else. */
export function readList(
  fields: Fields | undefined,
): Readonly<{ data: readonly Fields[]; has_more: boolean }> | undefined {
  const data = fields?.['data']
  if (fields?.['object'] !== 'list' || !Array.isArray(data)) return undefined
  return { data: data.filter(isFields), has_more: fields['has_more'] !== false }
}

/** The error that the operator answers with; texts that it did not write are empty. */
export function errorIn(fields: Fields | undefined) {
  const error = fieldsIn(fields ?? {}, 'error')
  return {
    type: wordIn(error, 'type'),
    code: wordIn(error, 'code'),
    message: sentenceIn(error, 'message'),
  }
}

export const metadataKey = (fields: Fields): string =>
  wordIn(fieldsIn(fields, 'metadata'), 'attempt')

export const intentOf = (fields: Fields): string => idIn(fields, 'payment_intent')
export { fieldsIn }

/** What was paid and may be taken out, and what is not yet: payouts are none of this adapter's. */
export function balancesIn(body: string): WalletBalance[] {
  const fields = readFields(body) ?? {}
  return ['available', 'pending'].flatMap((wallet) => {
    const all = fields[wallet]
    return (Array.isArray(all) ? all : []).flatMap((one) => {
      const shown = fieldsIn({ one }, 'one')
      const currency = currencyOffWire(wordIn(shown, 'currency'))
      const amount = shown['amount'] === 0 ? 0n : amountOffWire(shown['amount'], currency)
      return amount === undefined || currency === ''
        ? []
        : [{ wallet, currency, amount, purposes: ['COLLECT'] }]
    })
  })
}
