// What crosses the wire to and from the sandbox operator: JSON is read by narrowing, field by
// field, and amounts change form here only. Law: what is not exactly as documented is not read.

import { isCurrency, smallestUnit } from '../../money/currency.ts'
import { formatAmount } from '../../money/format.ts'
import { parseAmount } from '../../money/parse-amount.ts'
import { assert } from '../../platform/errors.ts'
import { clip, type Fields, isFields, wordIn } from '../../platform/json-fields.ts'
import type { GatewayOrder, RefundOrder } from '../gateway.ts'

const statuses = ['PENDING', 'OTP_REQUIRED', 'SUCCESSFUL', 'FAILED'] as const

/** An order as the operator shows it; a text it did not show, or not readably, is empty. */
export type OperatorOrder = Readonly<{
  id: string
  reference: string
  status: (typeof statuses)[number]
  amount: string
  currency: string
  reason: string
  /** Where the payer decides; http(s) or empty. */
  checkout_url: string
}>

function addressIn(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string' || value.length > 2048 || !URL.canParse(value)) return ''
  const { protocol, href } = new URL(value)
  return protocol === 'https:' || protocol === 'http:' ? href : ''
}

/** Undefined when it has no reference, no id or no status that is documented. */
export function readOrder(value: unknown): OperatorOrder | undefined {
  if (!isFields(value)) return undefined
  const status = statuses.find((one) => one === value['status'])
  const id = wordIn(value, 'id')
  const reference = wordIn(value, 'reference')
  if (status === undefined || id === '' || reference === '') return undefined
  return {
    id,
    reference,
    status,
    amount: wordIn(value, 'amount'),
    currency: wordIn(value, 'currency'),
    reason: wordIn(value, 'reason'),
    checkout_url: addressIn(value, 'checkout_url'),
  }
}

/** Hundredths as the operator wants them: `"10325"` XOF (it has no smaller unit), `"10.50"` GHS. */
function toWireAmount(hundredths: bigint, currency: string): string {
  assert(hundredths > 0n, `an order of ${hundredths} hundredths`)
  const unit = smallestUnit(currency)
  assert(hundredths % unit === 0n, `${hundredths} hundredths cannot be paid in ${currency}`)
  const text = formatAmount(hundredths)
  return unit === 100n ? text.slice(0, -'.00'.length) : text
}

/** Hundredths; undefined when the text is no amount that this currency can carry. */
export function fromWireAmount(text: string, currency: string): bigint | undefined {
  if (!isCurrency(currency)) return undefined
  const reading = parseAmount(text, currency)
  return reading.is === 'amount' ? reading.hundredths : undefined
}

/** The body of a refund: what it gives back is named by our reference of the collection. */
export function refundBody({ our_key, of, currency, reason, ...order }: RefundOrder): string {
  const text = clip(reason, 250)
  return JSON.stringify({
    reference: our_key,
    collection: of.our_key,
    amount: toWireAmount(order.amount, currency),
    currency,
    callback_url: order.callback_url,
    ...(text === '' ? {} : { reason: text }),
  })
}

/** The body of a create call. The operator takes 500 UTF-16 units of description, hence 250. */
export function createBody(order: GatewayOrder): string {
  const { our_key, currency, msisdn, flow, otp_kind, otp, callback_url, return_url } = order
  const description = clip(order.description, 250)
  return JSON.stringify({
    reference: our_key,
    amount: toWireAmount(order.amount, currency),
    currency,
    msisdn: msisdn.replace(/^\+/, ''),
    network: order.network_code,
    flow,
    otp_kind,
    callback_url,
    ...(otp === undefined || otp === '' ? {} : { otp }),
    ...(description === '' ? {} : { description }),
    ...(return_url === '' ? {} : { return_url }),
  })
}
