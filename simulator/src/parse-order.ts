// Reads what a caller sent, field by field. Law: nothing unread reaches an order, and a bad field
// is named in the 400 that answers it.

import { parseAmount } from './amount.ts'
import type { Resolving } from './dialects/resolving.ts'
import type { Kind, OrderRequest } from './order.ts'

/** The caller's mistake: answered 400 `INVALID_REQUEST` with the field's name. */
export class InvalidField extends Error {
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

export type Fields = Readonly<Record<string, unknown>>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A JSON object, or an InvalidField for anything else. */
export function parseFields(raw: string): Fields {
  let value: unknown
  try {
    value = JSON.parse(raw)
  } catch {
    throw new InvalidField('body', 'The body is not JSON.')
  }
  if (!isFields(value)) throw new InvalidField('body', 'The body must be a JSON object.')
  return value
}

export type Bounds = Readonly<{ length_max: number; pattern?: RegExp }>

/** An optional text; null counts as absent. */
export function optionalText(fields: Fields, name: string, bounds: Bounds): string | undefined {
  const value = fields[name] ?? undefined
  if (value === undefined) return undefined
  const fits = typeof value === 'string' && value.length > 0 && value.length <= bounds.length_max
  if (!fits || bounds.pattern?.test(value) === false) {
    throw new InvalidField(name, `Not a valid ${name} (text, up to ${bounds.length_max}).`)
  }
  return value
}

export function requiredText(fields: Fields, name: string, bounds: Bounds): string {
  const value = optionalText(fields, name, bounds)
  if (value === undefined) throw new InvalidField(name, `${name} is required.`)
  return value
}

function optionalUrl(fields: Fields, name: string): string | undefined {
  const text = optionalText(fields, name, { length_max: 2048 })
  if (text === undefined) return undefined
  const protocol = URL.canParse(text) ? new URL(text).protocol : ''
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new InvalidField(name, `${name} must be an absolute http or https address.`)
  }
  return text
}

function oneOf<T extends string>(fields: Fields, name: string, values: readonly [T, ...T[]]): T {
  const value = fields[name] ?? values[0]
  const found = values.find((each) => each === value)
  if (found === undefined) throw new InvalidField(name, `${name} is one of ${values.join(', ')}.`)
  return found
}

/** What every order has: whose it is, how much, and where its end is reported. */
function parseSum(fields: Fields) {
  const currency = requiredText(fields, 'currency', { length_max: 3, pattern: /^[A-Z]{3}$/ })
  const amountText = requiredText(fields, 'amount', { length_max: 15 })
  const amount = parseAmount(amountText, currency)
  if (amount === undefined) throw new InvalidField('amount', `Not an amount of ${currency}.`)
  const callback_url = optionalUrl(fields, 'callback_url')
  if (callback_url === undefined) throw new InvalidField('callback_url', 'It is required.')
  const reference = requiredText(fields, 'reference', { length_max: 64 })
  return { reference, amount, currency, callback_url }
}

/** What a refund asks for; the rest of its order is the collection's. */
export type RefundRequest = ReturnType<typeof parseRefund>

/** The body of a refund: `collection` is the reference of what it gives back. */
export const parseRefund = (fields: Fields) => ({
  ...parseSum(fields),
  collection: requiredText(fields, 'collection', { length_max: 64 }),
  reason: optionalText(fields, 'reason', { length_max: 500 }),
})

/**
 * The body of a create call. A payout has no page and no OTP: its flow is always a push.
 * `otp` is not part of the result: it is compared once and never kept.
 */
export function parseOrder(fields: Fields, kind: Kind): OrderRequest {
  const sum = parseSum(fields)
  const flow = oneOf(fields, 'flow', ['push', 'redirect'])
  const otp_kind = oneOf(fields, 'otp_kind', ['NONE', 'PRE', 'POST'])
  return {
    ...sum,
    msisdn: requiredText(fields, 'msisdn', { length_max: 15, pattern: /^[1-9]\d{6,14}$/ }),
    network: requiredText(fields, 'network', { length_max: 64 }),
    flow: kind === 'PAYOUT' ? 'push' : flow,
    otp_kind: kind === 'PAYOUT' ? 'NONE' : otp_kind,
    description: optionalText(fields, 'description', { length_max: 500 }),
    return_url: optionalUrl(fields, 'return_url'),
  }
}

/** What a test ends at a dialect, and how. */
export function parseResolving(fields: Fields): Resolving {
  const oneOf = <T extends string>(name: string, words: readonly T[]): T => {
    const text = requiredText(fields, name, { length_max: 16 })
    const found = words.find((word) => word === text)
    if (found === undefined) throw new InvalidField(name, `It is one of ${words.join(', ')}.`)
    return found
  }
  return {
    direction: oneOf('direction', ['COLLECT', 'DISBURSE']),
    is_refund: fields['is_refund'] === true,
    our_key: requiredText(fields, 'our_key', { length_max: 64 }),
    external_reference: optionalText(fields, 'external_reference', { length_max: 256 }) ?? '',
    outcome: oneOf('outcome', ['SUCCESS', 'FAILED']),
    failure_code: optionalText(fields, 'failure_code', { length_max: 64 }) ?? 'NOT_APPROVED',
  }
}
