// Reading what callers send: who they are, and whether a create call is one that this operator
// takes. Law: what the operator would refuse is refused here, in its own form.

import type { ApiUser, Books } from './books.ts'
import { accessDenied, coded, gate, type Reply, unauthorized } from './reply.ts'
import type { Product } from './scenarios.ts'

export type Incoming = Readonly<{
  method: string
  path: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  body: string
}>

/** The codes of the countries, and of the sandbox. */
export type Access = Readonly<{ books: Books; target_environment: string }>

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** Undefined when the key is one that was given; the gate refuses any other. */
export function refuseKey({ headers }: Incoming): Reply | undefined {
  return /^[0-9a-f]{32}$/i.test(headers['ocp-apim-subscription-key'] ?? '')
    ? undefined
    : accessDenied()
}

export const referenceOf = ({ headers }: Incoming): string | undefined => {
  const reference = headers['x-reference-id'] ?? ''
  return uuid4.test(reference) ? reference.toLowerCase() : undefined
}

/** The caller of a product's route, or what they are refused with. */
export function enter(access: Access, incoming: Incoming, product: Product): ApiUser | Reply {
  const refusal = refuseKey(incoming)
  if (refusal !== undefined) return refusal
  const [, token = ''] = /^Bearer (\S+)$/.exec(incoming.headers['authorization'] ?? '') ?? []
  const user = access.books.userOfToken(product, token)
  if (user === undefined) return unauthorized()
  if (user.subscription_key !== incoming.headers['ocp-apim-subscription-key']) {
    return accessDenied()
  }
  const isHere = incoming.headers['x-target-environment'] === access.target_environment
  return isHere ? user : coded(500, 'NOT_ALLOWED_TARGET_ENVIRONMENT')
}

/** The user of a Basic header; undefined when the pair is none that was given. */
export function userOfPair(books: Books, { headers }: Incoming): ApiUser | undefined {
  const [, encoded = ''] = /^Basic (\S+)$/.exec(headers['authorization'] ?? '') ?? []
  const [id = '', api_key = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  const user = books.users.get(id)
  return user !== undefined && user.api_key !== '' && user.api_key === api_key ? user : undefined
}

export type Order = Readonly<{
  amount: string
  currency: string
  external_id: string
  msisdn: string
  payer_message: string
  payee_note: string
}>

const amountForm = /^(?:[1-9]\d{0,11}|0)(?:\.\d{1,2})?$/
const noteMax = 160
const parties = { collection: 'payer', disbursement: 'payee' } as const

const badRequest = (): Reply => gate(400, 'Bad request')

/** The body of a create call, or the refusal of it. */
export function readOrder(product: Product, body: string, currency: string): Order | Reply {
  const fields = readObject(body)
  const party = fields && readObject(JSON.stringify(fields[parties[product]] ?? null))
  if (fields === undefined || party === undefined) return badRequest()
  const known = ['amount', 'currency', 'externalId', parties[product], 'payerMessage', 'payeeNote']
  if (Object.keys(fields).some((name) => !known.includes(name))) return badRequest()
  const text = (name: string): string | undefined => {
    const value = fields[name] ?? ''
    return typeof value === 'string' ? value : undefined
  }
  const [payer_message, payee_note] = [text('payerMessage'), text('payeeNote')]
  const [amount, asked, external_id] = [text('amount'), text('currency'), text('externalId')]
  if (payer_message === undefined || payee_note === undefined) return badRequest()
  if (amount === undefined || asked === undefined || external_id === undefined) return badRequest()
  const notes = [payer_message, payee_note]
  if (notes.some((note) => [...note].length > noteMax || note.includes("'"))) return badRequest()
  if (!amountForm.test(amount) || Number(amount) <= 0) return badRequest()
  const msisdn = party['partyId']
  if (party['partyIdType'] !== 'MSISDN' || typeof msisdn !== 'string') return badRequest()
  if (!/^\d{8,15}$/.test(msisdn)) return badRequest()
  if (asked !== currency) return coded(500, 'INVALID_CURRENCY')
  return { amount, currency: asked, external_id, msisdn, payer_message, payee_note }
}

/** Every host to which callbacks of this user may go. */
export const hostsOf = ({ callback_host, other_hosts = [] }: ApiUser): readonly string[] => [
  callback_host,
  ...other_hosts,
]

/** The callback address; a refusal where its host is none that was registered. */
export function callbackOf(user: ApiUser, { headers }: Incoming): string | Reply {
  const url = headers['x-callback-url'] ?? ''
  if (url === '') return ''
  if (!URL.canParse(url)) return badRequest()
  return hostsOf(user).includes(new URL(url).hostname)
    ? url
    : coded(500, 'INVALID_CALLBACK_URL_HOST')
}

export function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { ...value } : undefined
  } catch {
    return undefined
  }
}
