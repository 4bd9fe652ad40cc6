// Reading what callers send: who they are, and whether a call is one that this operator takes. Law:
// what the operator would refuse is refused here, in its own form.

import { coded, invalid, type Reply } from './reply.ts'

export type Incoming = Readonly<{
  method: string
  path: string
  query: URLSearchParams
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  body: string
}>

/** Undefined when the key is the business's own. */
export function refuseKey(api_key: string, { headers }: Incoming): Reply | undefined {
  const given = headers['authorization']
  if (given === undefined) return coded(401, 'missing-auth-header')
  const [scheme = '', key = '', ...more] = given.split(' ')
  if (scheme.toLowerCase() !== 'bearer' || more.length > 0) return coded(401, 'invalid-auth')
  if (key === '') return coded(401, 'api-key-not-provided')
  return key === api_key ? undefined : coded(401, 'no-matching-api-key')
}

export type SessionAsked = Readonly<{
  amount: string
  currency: string
  client_reference: string | undefined
  error_url: string
  success_url: string
  restrict_payer_mobile: string | undefined
}>

export type PayoutAsked = Readonly<{
  receive_amount: string
  currency: string
  mobile: string
  name: string | undefined
  client_reference: string | undefined
  payment_reason: string | undefined
}>

const wholeAmount = /^[1-9]\d{0,11}$/
const mobileForm = /^\+\d{8,15}$/
const textMax = 255
const reasonMax = 40

export const isReply = (value: object): value is Reply => 'is' in value

export function readSessionAsked(body: string, currency: string): SessionAsked | Reply {
  const known = [
    ...['amount', 'currency', 'client_reference', 'error_url', 'success_url'],
    ...['restrict_payer_mobile', 'aggregated_merchant_id'],
  ]
  const fields = readTexts(body, known)
  if (isReply(fields)) return fields
  const { amount = '', error_url = '', success_url = '' } = fields
  if (!wholeAmount.test(amount)) return invalid('amount', 'must be a whole amount')
  if (fields['currency'] !== currency) return invalid('currency', `must be ${currency}`)
  if (!isAddress(error_url)) return invalid('error_url', 'must be an https address')
  if (!isAddress(success_url)) return invalid('success_url', 'must be an https address')
  const { client_reference, restrict_payer_mobile } = fields
  if ((client_reference ?? '').length > textMax) return invalid('client_reference', 'too long')
  if (restrict_payer_mobile !== undefined && !mobileForm.test(restrict_payer_mobile)) {
    return invalid('restrict_payer_mobile', 'must be a phone number')
  }
  return { amount, currency, client_reference, error_url, success_url, restrict_payer_mobile }
}

export function readPayoutAsked(body: string, currency: string): PayoutAsked | Reply {
  const known = [
    ...['currency', 'receive_amount', 'mobile', 'name', 'national_id', 'client_reference'],
    ...['payment_reason', 'aggregated_merchant_id'],
  ]
  const fields = readTexts(body, known)
  if (isReply(fields)) return fields
  const { receive_amount = '', mobile = '', payment_reason, name, client_reference } = fields
  if (!wholeAmount.test(receive_amount)) return invalid('receive_amount', 'must be a whole amount')
  if (fields['currency'] !== currency) return coded(400, 'currency-mismatch')
  if (!mobileForm.test(mobile)) return invalid('mobile', 'must be a phone number')
  if ((payment_reason ?? '').length > reasonMax) return invalid('payment_reason', 'too long')
  if ((client_reference ?? '').length > textMax) return invalid('client_reference', 'too long')
  return { receive_amount, currency, mobile, name, client_reference, payment_reason }
}

/** Only https, but for this machine itself, where no certificate can be had. */
function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  const isHere = hostname === '127.0.0.1' || hostname === 'localhost'
  return protocol === 'https:' || (protocol === 'http:' && isHere)
}

type Texts = Readonly<Record<string, string | undefined>>

/** A field that the operator does not know is refused, and so is one that is no text. */
function readTexts(body: string, known: readonly string[]): Texts | Reply {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return coded(400, 'request-not-json')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return coded(400, 'request-parsing-error')
  }
  for (const [name, text] of Object.entries(value)) {
    if (!known.includes(name)) return invalid(name, 'extra fields not permitted')
    if (typeof text !== 'string') return invalid(name, 'must be a string')
  }
  return { ...value }
}
