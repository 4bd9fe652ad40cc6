// Reading what callers send. Law: what the operator would refuse is refused here, in its own forms:
// what is malformed by 400 and a code, what no provider would take by 200 and REJECTED.

import { failureOf, idField, type Payment } from './payment.ts'
import { type Limits, type Provider, providers } from './providers.ts'
import { json, type Reply } from './reply.ts'
import type { Operation } from './scenarios.ts'

export type Incoming = Readonly<{
  method: string
  path: string
  query: URLSearchParams
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  body: string
}>

export type Fields = Readonly<Record<string, unknown>>

export const technical = (status: number, code: string, message: string): Reply =>
  json(status, { failureReason: failureOf(code, message) })

/** What a caller without the account's token is answered; undefined for one who has it. */
export function refuseCaller({ headers }: Incoming, token: string): Reply | undefined {
  const given = headers['authorization'] ?? ''
  if (given === '') {
    return technical(401, 'NO_AUTHENTICATION', 'Authentication header is missing')
  }
  if (given === `Bearer ${token}`) return undefined
  return technical(403, 'AUTHENTICATION_ERROR', 'The API token is invalid')
}

export function rejected(
  about: Pick<Payment, 'operation' | 'id'>,
  code: string,
  message?: string,
): Reply {
  return json(200, {
    ...idField(about),
    status: 'REJECTED',
    failureReason: failureOf(code, message),
  })
}

const idNames = { deposits: 'depositId', payouts: 'payoutId', refunds: 'refundId' } as const
const partyNames = { deposits: 'payer', payouts: 'recipient' } as const

const known: Readonly<Record<Operation, readonly string[]>> = {
  deposits: [
    ...['depositId', 'amount', 'currency', 'payer', 'preAuthorisationCode', 'clientReferenceId'],
    ...['customerMessage', 'metadata', 'successfulUrl', 'failedUrl'],
  ],
  payouts: [
    ...['payoutId', 'amount', 'currency', 'recipient', 'clientReferenceId'],
    ...['customerMessage', 'metadata'],
  ],
  refunds: ['refundId', 'depositId', 'amount', 'currency', 'clientReferenceId', 'metadata'],
}

const needed: Readonly<Record<Operation, readonly string[]>> = {
  deposits: ['depositId', 'amount', 'currency', 'payer'],
  payouts: ['payoutId', 'amount', 'currency', 'recipient'],
  refunds: ['refundId', 'depositId'],
}

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
const amountForm = /^(?:0|[1-9]\d{0,17})(?:\.\d{1,2})?$/

/** The fields of a create, of the right form; or the refusal of them. */
export function readBody(operation: Operation, body: string): Fields | Reply {
  const fields = readObject(body)
  if (fields === undefined) return technical(400, 'INVALID_INPUT', 'Unable to parse the payload')
  const strange = Object.keys(fields).find((name) => !known[operation].includes(name))
  if (strange !== undefined) {
    return technical(400, 'UNSUPPORTED_PARAMETER', `Parameter '${strange}' is not supported`)
  }
  const missing = needed[operation].find((name) => (fields[name] ?? '') === '')
  if (missing !== undefined) {
    return technical(400, 'MISSING_PARAMETER', `Parameter '${missing}' is missing`)
  }
  const wrong = wrongIn(operation, fields)
  if (wrong === undefined) return fields
  return technical(400, 'INVALID_PARAMETER', `Parameter '${wrong}' is invalid`)
}

function wrongIn(operation: Operation, fields: Fields): string | undefined {
  const text = (name: string) => fields[name] === undefined || typeof fields[name] === 'string'
  const texts = ['amount', 'currency', 'customerMessage', 'clientReferenceId', 'successfulUrl']
  const notText = texts.find((name) => !text(name))
  if (notText !== undefined) return notText
  const ids = operation === 'refunds' ? ['refundId', 'depositId'] : [idNames[operation]]
  const badId = ids.find((name) => !uuid4.test(String(fields[name])))
  if (badId !== undefined) return badId
  const message = fields['customerMessage']
  if (message !== undefined && !/^[A-Za-z0-9 ]{4,22}$/.test(String(message))) {
    return 'customerMessage'
  }
  if (operation === 'refunds') return undefined
  const party = fields[partyNames[operation]]
  const account = isObject(party) ? party['accountDetails'] : undefined
  const isWhole = isObject(party) && party['type'] === 'MMO' && isObject(account)
  if (!isWhole) return partyNames[operation]
  const texted = ['phoneNumber', 'provider'].every((name) => typeof account[name] === 'string')
  return texted ? undefined : 'accountDetails'
}

type Order = Pick<Payment, 'operation' | 'id' | 'amount' | 'currency' | 'msisdn'> &
  Readonly<{ provider: Provider }>

/** A deposit or payout that some provider would take; or the rejection of it. */
export function readOrder(
  operation: 'deposits' | 'payouts',
  fields: Fields,
  limitsOf: (provider: string) => Limits,
): Order | Reply {
  const id = String(fields[idNames[operation]]).toLowerCase()
  const about = { operation, id }
  const party = fields[partyNames[operation]]
  const account =
    isObject(party) && isObject(party['accountDetails']) ? party['accountDetails'] : {}
  const name = String(account['provider'])
  const [amount, currency] = [String(fields['amount']), String(fields['currency'])]
  const msisdn = String(account['phoneNumber'])
  const provider = providers.get(name)
  if (provider === undefined) return rejected(about, 'INVALID_PROVIDER', `Unknown provider ${name}`)
  if (currency !== provider.currency) {
    return rejected(about, 'INVALID_CURRENCY', `The currency ${currency} is not supported`)
  }
  const fault = amountFault(amount, provider, limitsOf(provider.provider))
  if (fault !== undefined) return rejected(about, fault)
  if (!/^\d{8,15}$/.test(msisdn) || !msisdn.startsWith(provider.prefix)) {
    return rejected(about, 'INVALID_PHONE_NUMBER', 'The phone number is not valid')
  }
  return { operation, id, amount, currency, msisdn, provider }
}

export function amountFault(
  amount: string,
  { decimals }: Provider,
  limits: Limits,
): string | undefined {
  if (!amountForm.test(amount)) return 'INVALID_AMOUNT'
  const hasCents = /\.\d*[1-9]/.test(amount)
  if (decimals === 'NONE' && hasCents) return 'INVALID_AMOUNT'
  const isWithin = Number(amount) >= Number(limits.least) && Number(amount) <= Number(limits.most)
  return isWithin ? undefined : 'AMOUNT_OUT_OF_BOUNDS'
}

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function readObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
