// What crosses this operator's wire, as JSON both ways. Law: what is not as documented is not read,
// and no customer is named: one of a known e-mail would be overwritten.

import { minorUnits } from '../../money/currency.ts'
import { type AmountForm, fromWire, toWire } from '../../money/wire-amount.ts'
import { clip, type Fields, isFields, sentenceIn, wordIn } from '../../platform/json-fields.ts'
import type { Direction, GatewayOrder } from '../gateway.ts'
import { shortReference } from '../reference-codec.ts'

const whole: AmountForm = { decimals: 0, wire: 'INTEGER' }

/** It takes whole units alone. */
export const isTaken = (currency: string, amount: bigint): boolean =>
  minorUnits(currency) === 0 || amount % 100n === 0n

/** Hundredths; undefined for what is no whole amount. */
export const amountOffWire = (value: unknown): bigint | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value)
    ? fromWire(String(value), whole)
    : undefined

const collections = { COLLECT: 'transactions', DISBURSE: 'payouts' } as const
const objects = { COLLECT: 'v1/transaction', DISBURSE: 'v1/payout' } as const

/** `transactions/109`: its ids of collections and of payouts are numbers of two series. */
export const referenceOf = (direction: Direction, id: number): string =>
  `${collections[direction]}/${id}`

/** The number in such a reference of this direction; undefined for any other text. */
export function idIn(direction: Direction, reference: string): number | undefined {
  const [, id] = new RegExp(`^${collections[direction]}/(\\d{1,15})$`).exec(reference) ?? []
  return id === undefined ? undefined : Number(id)
}

export const preparePath = (direction: Direction): string => `/v1/${collections[direction]}`
export const showPath = (reference: string): string => `/v1/${reference}?include=currency`

const textMost = 200

/** What the payer reads; a reference where the merchant has written nothing. */
function descriptionOf({ description, our_key }: GatewayOrder): string {
  const plain = description
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
    .trim()
  return clip(plain, textMost) || shortReference(our_key)
}

export function prepareBody(order: GatewayOrder, mode: string | undefined): string {
  const { amount, currency, our_key, direction, return_url } = order
  const common = {
    amount: Number(toWire(amount, whole)),
    currency: { iso: currency },
    merchant_reference: shortReference(our_key),
  }
  if (direction === 'DISBURSE') return JSON.stringify({ ...common, mode })
  return JSON.stringify({
    description: descriptionOf(order),
    ...common,
    ...(return_url === '' ? {} : { callback_url: return_url }),
  })
}

const phoneOf = ({ msisdn, country_code }: GatewayOrder) => ({
  number: msisdn,
  country: country_code,
})

export const chargeBody = (order: GatewayOrder, token: string): string =>
  JSON.stringify({ token, phone_number: phoneOf(order) })

export const startBody = (order: GatewayOrder, id: number): string =>
  JSON.stringify({ payouts: [{ id, phone_number: phoneOf(order) }] })

/** A transaction or payout as the operator shows it; a text that it did not show is empty. */
export type Shown = Readonly<{
  id: number
  status: string
  amount: unknown
  /** Empty where it names its currency by a number only. */
  currency: string
  currency_id: number
  merchant_reference: string
  /** Its own name of it, beside its number. */
  reference: string
  error_code: string
  error_message: string
}>

/** Undefined when it has no id or status. */
export function readShown(value: unknown): Shown | undefined {
  if (!isFields(value)) return undefined
  const { id, amount, currency_id, currency } = value
  const status = wordIn(value, 'status')
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1 || status === '')
    return undefined
  return {
    ...{ id, status, amount },
    currency: isFields(currency) ? wordIn(currency, 'iso').toUpperCase() : '',
    currency_id: typeof currency_id === 'number' ? currency_id : 0,
    merchant_reference: wordIn(value, 'merchant_reference'),
    reference: wordIn(value, 'reference'),
    error_code: wordIn(value, 'last_error_code'),
    error_message: sentenceIn(value, 'last_error_message'),
  }
}

export const readOne = (direction: Direction, fields: Fields | undefined): Shown | undefined =>
  readShown(fields?.[objects[direction]])

/** The one payout of a start. */
export function readStarted(fields: Fields | undefined, id: number): Shown | undefined {
  const all = fields?.['v1/payouts']
  const found = (Array.isArray(all) ? all : []).map(readShown).filter((one) => one?.id === id)
  return found.length === 1 ? found[0] : undefined
}

export function readToken(fields: Fields | undefined): { token: string; url: string } | undefined {
  const token = fields?.['token']
  const url = fields?.['url']
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,2048}$/.test(token)) return undefined
  const isPage = typeof url === 'string' && /^https?:\/\/\S{1,2000}$/.test(url)
  return { token, url: isPage ? url : '' }
}

export const currencyIn = (fields: Fields | undefined): string => {
  const currency = fields?.['v1/currency']
  return isFields(currency) ? wordIn(currency, 'iso').toUpperCase() : ''
}

export const detailOf = (status: number, fields: Fields | undefined): string =>
  ['status', String(status), fields === undefined ? '' : sentenceIn(fields, 'message')]
    .filter(Boolean)
    .join(' ')

/** Whom an event is about; undefined for what is none. */
export function readEvent(
  fields: Fields | undefined,
): Readonly<{ direction: Direction; shown: Shown }> | undefined {
  const entity = fields?.['entity']
  const shown = readShown(entity)
  if (shown === undefined || !isFields(entity) || fields === undefined) return undefined
  const kind = wordIn(entity, 'klass') || `v1/${wordIn(fields, 'object')}`
  if (kind === objects.COLLECT) return { direction: 'COLLECT', shown }
  return kind === objects.DISBURSE ? { direction: 'DISBURSE', shown } : undefined
}
