// What crosses this operator's wire: the bodies of its calls, and its answers. Law: what is not as
// it is described is not read.

import { toWire } from '../../money/wire-amount.ts'
import { assert } from '../../platform/errors.ts'
import { type Fields, readFields, sentenceIn, wordIn } from '../../platform/json-fields.ts'
import type { SendResult } from '../../platform/outbound/outbound.ts'
import type { IssuedToken } from '../adapter.ts'
import type { AttemptKey, GatewayOrder } from '../gateway.ts'

export type Answered = Extract<SendResult, { is: 'answered' }>

/** How an account differs from another on the wire. */
export type Wire = Readonly<{
  country_path: string
  /** Empty: the currency of the payment. */
  wire_currency: string
  shown_name: string
  merchant_key: string
}>

export const tokenPath = '/oauth/v3/token'
export const createPath = ({ country_path }: Wire): string =>
  `/orange-money-webpay/${country_path}/v1/webpayment`
export const statusPath = ({ country_path }: Wire): string =>
  `/orange-money-webpay/${country_path}/v1/transactionstatus`

const signs = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const orderIdSigns = 26
const uuid = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/

/** Our key as the operator takes it, in at most thirty signs: 26 of base 32, and back. */
export function orderIdOf(our_key: string): string {
  const parts = uuid.exec(our_key.toLowerCase())
  assert(parts !== null, 'an order id is made of a UUID')
  let number = BigInt(`0x${parts.slice(1).join('')}`)
  let text = ''
  for (let place = 0; place < orderIdSigns; place += 1) {
    text = (signs[Number(number % 32n)] ?? '') + text
    number /= 32n
  }
  return text
}

/** Our key; empty for what is no order of ours. */
export function keyOfOrderId(order_id: string): string {
  if (order_id.length !== orderIdSigns) return ''
  let number = 0n
  for (const sign of order_id) {
    const value = signs.indexOf(sign)
    if (value < 0) return ''
    number = number * 32n + BigInt(value)
  }
  if (number >= 1n << 128n) return ''
  const hex = number.toString(16).padStart(32, '0')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** A whole number: the operator takes no other. */
const amountOf = (amount: bigint): number =>
  Number(toWire(amount, { decimals: 0, wire: 'INTEGER' }))

export function createBody(order: GatewayOrder, wire: Wire): string {
  const back = order.return_url === '' ? new URL('/', order.callback_url).href : order.return_url
  return JSON.stringify({
    merchant_key: wire.merchant_key,
    currency: wire.wire_currency || order.currency,
    order_id: orderIdOf(order.our_key),
    amount: amountOf(order.amount),
    return_url: back,
    cancel_url: back,
    notif_url: order.callback_url,
    lang: 'fr',
    reference: wire.shown_name,
  })
}

export const statusBody = ({ our_key, amount }: AttemptKey, pay_token: string): string =>
  JSON.stringify({ order_id: orderIdOf(our_key), amount: amountOf(amount), pay_token })

/** A page as it was made; undefined where a part of it is missing. */
export type Page = Readonly<{ payment_url: string; pay_token: string; notif_token: string }>

export function readPage({ status, body }: Answered): Page | undefined {
  const fields = status === 200 || status === 201 ? readFields(body) : undefined
  if (fields === undefined) return undefined
  const [pay_token, notif_token] = [tokenIn(fields, 'pay_token'), tokenIn(fields, 'notif_token')]
  const payment_url = addressIn(fields, 'payment_url')
  const isWhole = payment_url !== '' && pay_token !== '' && notif_token !== ''
  return isWhole ? { payment_url, pay_token, notif_token } : undefined
}

/** What is said of an order; a text that is not there is empty. */
export type Said = Readonly<{ status: string; order_id: string; txnid: string }>

export function readSaid({ body }: Pick<Answered, 'body'>): Said | undefined {
  const fields = readFields(body)
  const status = fields === undefined ? '' : wordIn(fields, 'status')
  if (fields === undefined || status === '') return undefined
  return { status, order_id: wordIn(fields, 'order_id'), txnid: wordIn(fields, 'txnid') }
}

/** A token is a text without spaces; it may be longer than a word of ours. */
export function tokenIn(fields: Fields, name: string): string {
  const value = fields[name]
  return typeof value === 'string' && /^[\x21-\x7e]{1,1024}$/.test(value) ? value : ''
}

export function detailOf({ status, body }: Answered): string {
  const fields = readFields(body)
  const said = (name: string) => (fields === undefined ? '' : sentenceIn(fields, name))
  return ['status', String(status), said('code'), said('message') || said('description')]
    .filter(Boolean)
    .join(' ')
}

function addressIn(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string' || value.length > 2_000 || !URL.canParse(value)) return ''
  const { protocol } = new URL(value)
  return protocol === 'https:' || protocol === 'http:' ? value : ''
}

/** What is said of a token, and whether it is our credentials that were refused. */
export function readToken(result: SendResult): IssuedToken {
  if (result.is !== 'answered') return { is: 'none', because: `token: ${result.because}` }
  const issued = result.status === 200 ? readIssued(result.body) : undefined
  if (issued !== undefined) return issued
  const isTheirs = result.body.trim() === '' || readFields(result.body) !== undefined
  // A firewall's page is no word of the operator's.
  const denied = isTheirs && [400, 401, 403].includes(result.status)
  return { is: 'none', because: `token: status ${result.status}`, denied }
}

/** Its life is given as an hour by some and as ninety days by others: what it says counts. */
function readIssued(body: string): IssuedToken | undefined {
  const fields = readFields(body)
  const value = fields === undefined ? '' : tokenIn(fields, 'access_token')
  if (fields === undefined || value === '') return undefined
  const life = fields['expires_in']
  const seconds =
    typeof life === 'number' ? life : Number(wordIn(fields, 'expires_in') || Number.NaN)
  const expires_in_s = Number.isFinite(seconds) && seconds >= 1 ? Math.floor(seconds) : 60
  return { is: 'issued', value, expires_in_s }
}
