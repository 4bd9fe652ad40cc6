// What crosses this operator's wire: the body of a create call, and a transaction as it is shown.
// Law: what is not as documented is not read.

import { minorUnits } from '../../money/currency.ts'
import { type AmountForm, fromWire, toWire } from '../../money/wire-amount.ts'
import {
  clip,
  type Fields,
  isFields,
  readFields,
  sentenceIn,
  wordIn,
} from '../../platform/json-fields.ts'
import type { AccountEnvironment } from '../adapter.ts'
import type { Direction, GatewayOrder } from '../gateway.ts'
import type { WalletPurposes } from '../wallet.ts'
import { numberOnWire } from './test-numbers.ts'

/** The operator's two products: each has its own subscription key, API user and token. */
export const products = { COLLECT: 'collection', DISBURSE: 'disbursement' } as const
export type Product = (typeof products)[Direction]

/** One wallet for each. */
export const purposesOf = {
  collection: ['COLLECT'],
  disbursement: ['DISBURSE'],
} as const satisfies Record<Product, WalletPurposes>

const operations = { COLLECT: 'requesttopay', DISBURSE: 'transfer' } as const

export const createPath = (direction: Direction): string =>
  `/${products[direction]}/v1_0/${operations[direction]}`

export const statusPath = (direction: Direction, our_key: string): string =>
  `${createPath(direction)}/${encodeURIComponent(our_key)}`

/** The operator's sandbox takes one currency only, whatever the country. */
export type WireCurrency = Readonly<{ wire_currency: string }>
type Wire = WireCurrency & Readonly<{ environment: AccountEnvironment }>

const currencyOnWire = (currency: string, { wire_currency }: WireCurrency): string =>
  wire_currency === '' ? currency : wire_currency

/** By our currency's own units: what is sent in place of it is the same figure. */
const formOf = (currency: string): AmountForm => ({
  decimals: minorUnits(currency) === 0 ? 0 : 2,
  wire: 'TEXT',
})

const noteMax = 160

/** The operator refuses an apostrophe, and a note of more than 160 characters. */
export function noteOf(text: string): string {
  const plain = text.normalize('NFC').replace(/['’‘`"<>&\\]/gu, ' ')
  return clip(
    plain
      .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
      .replace(/ +/g, ' ')
      .trim(),
    noteMax,
  )
}

/** The body of a create call. */
export function createBody(order: GatewayOrder, wire: Wire): string {
  const { amount, currency, our_key, direction } = order
  const party = { partyIdType: 'MSISDN', partyId: numberOnWire(order.msisdn, wire.environment) }
  const note = noteOf(order.description)
  return JSON.stringify({
    amount: toWire(amount, formOf(currency)),
    currency: currencyOnWire(currency, wire),
    externalId: our_key,
    ...(direction === 'COLLECT' ? { payer: party } : { payee: party }),
    payerMessage: note,
    payeeNote: note,
  })
}

/** A transaction as the operator shows it; a text that it did not show is empty. */
export type Shown = Readonly<{
  status: string
  reason: string
  amount: string
  currency: string
  external_id: string
  /** What the payer reads in the operator's message; empty until there is one. */
  financial_id: string
}>

/** Undefined when it has no status. */
export function readShown(fields: Fields | undefined): Shown | undefined {
  if (fields === undefined) return undefined
  const status = wordIn(fields, 'status')
  if (status === '') return undefined
  return {
    status,
    reason: readReason(fields['reason']),
    amount: readText(fields['amount']),
    currency: wordIn(fields, 'currency'),
    external_id: wordIn(fields, 'externalId'),
    financial_id: readText(fields['financialTransactionId']),
  }
}

/** A text, or an object with a code; a reason of any other form is one that is not listed. */
function readReason(value: unknown): string {
  if (value === undefined || value === null || value === '') return ''
  if (typeof value === 'string') return wordIn({ value }, 'value') || 'UNREADABLE'
  return (isFields(value) && wordIn(value, 'code')) || 'UNREADABLE'
}

/** The operator's own samples show these as numbers, its schema as texts. */
function readText(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  return wordIn({ value }, 'value')
}

/** Hundredths; undefined for what is no amount in this currency. */
export const amountOnWire = (text: string, currency: string): bigint | undefined =>
  fromWire(text, formOf(currency))

/** The same of what an account holds: it may be nothing. */
export const balanceOnWire = (text: string, currency: string): bigint | undefined =>
  /^0+(?:\.0{1,2})?$/.test(text) ? 0n : amountOnWire(text, currency)

/** Our currency for what the operator wrote; its own word where it is not what we asked with. */
export const currencyOffWire = (shown: string, asked: string, wire: WireCurrency): string =>
  shown === currencyOnWire(asked, wire) ? asked : shown

/** The code of a refusal, by either of the two layers that answer. */
export const codeOf = (fields: Fields | undefined): string =>
  fields === undefined ? '' : wordIn(fields, 'code')

export const detailOf = (status: number, fields: Fields | undefined): string => {
  const message = fields === undefined ? '' : sentenceIn(fields, 'message')
  return ['status', String(status), codeOf(fields), message].filter(Boolean).join(' ')
}

/** The account's balance as the operator wrote it; undefined when it did not. */
export function readBalanceText(
  answered: Readonly<{ status: number; body: string }>,
): { amount: string; currency: string } | undefined {
  const fields = answered.status === 200 ? readFields(answered.body) : undefined
  if (fields === undefined) return undefined
  const [amount, currency] = [readText(fields['availableBalance']), wordIn(fields, 'currency')]
  return amount !== '' && currency !== '' ? { amount, currency } : undefined
}

/** What the account has of this currency; undefined where it shows another. */
export function balanceIn(
  answered: Readonly<{ status: number; body: string }>,
  currency: string,
  wire: WireCurrency,
): bigint | undefined {
  const shown = readBalanceText(answered)
  if (shown === undefined) return undefined
  const isOurs = currencyOffWire(shown.currency, currency, wire) === currency
  return isOurs ? balanceOnWire(shown.amount, currency) : undefined
}
