// Reading what callers send: who they are, their key, and whether a create is one that this
// operator takes. Law: what the operator would refuse is refused here, in its own form.

import { parseForm, partOf, strangerIn, textOf } from './form.ts'
import type { Session } from './objects.ts'
import { fault, invalid, type Reply } from './reply.ts'

export type Incoming = Readonly<{
  method: string
  path: string
  query: URLSearchParams
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  body: string
}>

/** Undefined when the key is one of this account; the operator refuses any other. */
export function refuseKey({ headers }: Incoming, keys: readonly string[]): Reply | undefined {
  const [, key = ''] = /^Bearer (\S+)$/.exec(headers['authorization'] ?? '') ?? []
  const isKnown = keys.length === 0 ? /^(?:sk|rk)_test_\w{10,}$/.test(key) : keys.includes(key)
  if (isKnown) return undefined
  const shown = key.length > 12 ? `${key.slice(0, 8)}****${key.slice(-4)}` : key
  return key === ''
    ? fault(401, { message: 'You did not provide an API key.' })
    : fault(401, { message: `Invalid API Key provided: ${shown}` })
}

const sessionParameters = [
  /^mode$/,
  /^client_reference_id$/,
  /^metadata\[\w{1,40}\]$/,
  /^payment_intent_data\[metadata\]\[\w{1,40}\]$/,
  /^line_items\[\d+\]\[quantity\]$/,
  /^line_items\[\d+\]\[price_data\]\[(?:currency|unit_amount)\]$/,
  /^line_items\[\d+\]\[price_data\]\[product_data\]\[(?:name|description)\]$/,
  /^payment_method_types\[\d*\]$/,
  /^adaptive_pricing\[enabled\]$/,
  /^(?:success_url|cancel_url|expires_at|locale|submit_type|ui_mode)$/,
  /^expand\[\d*\]$/,
]

const halfHour = 30 * 60
const day = 24 * 3600
const currencies = 'usd eur gbp xof xaf gnf ghs ngn cdf'.split(' ')
const least: Readonly<Record<string, number>> = { usd: 50, eur: 50, gbp: 30 }

export type NewSession = Omit<Session, 'id' | 'created_at' | 'card' | 'paid_at' | 'ended_at'>

/** The body of a create call, or the refusal of it. `now` in milliseconds. */
export function readSessionOrder(body: string, now: number): NewSession | Reply {
  const stranger = strangerIn(body, sessionParameters)
  if (stranger !== undefined) {
    return invalid(stranger, `Received unknown parameter: ${stranger}`, 'parameter_unknown')
  }
  const form = parseForm(body)
  const item = (...path: string[]) => textOf(form, 'line_items', '0', ...path)
  if (textOf(form, 'mode') !== 'payment') return required('mode')
  const success_url = textOf(form, 'success_url')
  if (!URL.canParse(success_url)) return invalid('success_url', 'Not a valid URL', 'url_invalid')
  const cancel_url = textOf(form, 'cancel_url')
  if (cancel_url !== '' && !URL.canParse(cancel_url)) {
    return invalid('cancel_url', 'Not a valid URL', 'url_invalid')
  }
  const name = item('price_data', 'product_data', 'name')
  const param = 'line_items[0][price_data][product_data][name]'
  if (name === '') return required(param)
  const currency = item('price_data', 'currency')
  if (!currencies.includes(currency)) {
    return invalid('currency', `Invalid currency: ${currency}`)
  }
  const amount = amountIn(item('price_data', 'unit_amount'), item('quantity'))
  if (amount === undefined)
    return invalid('line_items[0][price_data][unit_amount]', 'Invalid integer')
  if (amount < (least[currency] ?? 1)) {
    const message = 'The Checkout Session’s total amount is too small.'
    return fault(400, { code: 'amount_too_small', message })
  }
  const client_reference_id = textOf(form, 'client_reference_id')
  if (client_reference_id.length > 200) return invalid('client_reference_id', 'Too long')
  const expires_at = Number(textOf(form, 'expires_at') || now / 1000 + day)
  const life = expires_at - now / 1000
  if (!Number.isFinite(life) || life < halfHour || life > day + 60) {
    const message = 'The `expires_at` timestamp must be between 30 minutes and 24 hours from now.'
    return invalid('expires_at', message)
  }
  return {
    ...{ amount, currency, name, success_url, cancel_url, client_reference_id },
    expires_at: Math.floor(expires_at) * 1000,
    metadata: partOf(form, 'metadata'),
    intent_metadata: partOf(nestedIn(form, 'payment_intent_data'), 'metadata'),
  }
}

const required = (param: string): Reply =>
  invalid(param, `Missing required param: ${param}.`, 'parameter_missing')

function nestedIn(form: ReturnType<typeof parseForm>, name: string) {
  const part = form[name]
  return typeof part === 'object' ? part : {}
}

function amountIn(text: string, quantity: string): number | undefined {
  const isWhole = /^\d{1,10}$/.test(text) && !/^0\d/.test(text) && /^[1-9]\d?$/.test(quantity)
  return isWhole ? Number(text) * Number(quantity) : undefined
}

const refundParameters = [
  /^payment_intent$/,
  /^charge$/,
  /^amount$/,
  /^reason$/,
  /^metadata\[\w{1,40}\]$/,
]

export type RefundAsked = Readonly<{
  payment_intent: string
  charge: string
  amount: number | undefined
  reason: string
  metadata: Readonly<Record<string, string>>
}>

export function readRefundOrder(body: string): RefundAsked | Reply {
  const stranger = strangerIn(body, refundParameters)
  if (stranger !== undefined) {
    return invalid(stranger, `Received unknown parameter: ${stranger}`, 'parameter_unknown')
  }
  const form = parseForm(body)
  const text = textOf(form, 'amount')
  if (text !== '' && !/^[1-9]\d{0,9}$/.test(text)) return invalid('amount', 'Invalid integer')
  const reason = textOf(form, 'reason')
  if (!['', 'duplicate', 'fraudulent', 'requested_by_customer'].includes(reason)) {
    return invalid('reason', 'Invalid reason')
  }
  return {
    payment_intent: textOf(form, 'payment_intent'),
    charge: textOf(form, 'charge'),
    amount: text === '' ? undefined : Number(text),
    reason,
    metadata: partOf(form, 'metadata'),
  }
}

export const isReply = (value: object): value is Reply => 'is' in value
