// What crosses this operator's wire: the bodies of the three creates, and a payment as it is shown
// by an answer or a callback. Law: what is not as documented is not read.

import { isCurrency, minorUnits } from '../../money/currency.ts'
import { type AmountForm, fromWire, toWire } from '../../money/wire-amount.ts'
import { clip, type Fields, isFields, sentenceIn, wordIn } from '../../platform/json-fields.ts'
import type { AccountEnvironment } from '../adapter.ts'
import type { Direction, GatewayOrder, RefundOrder } from '../gateway.ts'
import { providers } from './settings.ts'
import { numberOnWire } from './test-numbers.ts'

export type Operation = 'deposits' | 'payouts' | 'refunds'

export const operationOf = (direction: Direction): Operation =>
  direction === 'COLLECT' ? 'deposits' : 'payouts'

export const idNames: Readonly<Record<Operation, string>> = {
  deposits: 'depositId',
  payouts: 'payoutId',
  refunds: 'refundId',
}

export const createPath = (operation: Operation): string => `/v2/${operation}`

export const statusPath = (operation: Operation, our_key: string): string =>
  `${createPath(operation)}/${encodeURIComponent(our_key)}`

export const cancelPath = (our_key: string): string =>
  `/v2/payouts/fail-enqueued/${encodeURIComponent(our_key)}`

const formOf = (currency: string): AmountForm => ({
  decimals: minorUnits(currency) === 0 ? 0 : 2,
  wire: 'TEXT',
})

/**
 * Without zeros at the end of decimals: the pattern of one text of the operator's lets none stand
 * there, another text lets them, and none asks for them.
 */
function amountFor(hundredths: bigint, currency: string): string {
  const text = toWire(hundredths, formOf(currency))
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** Letters, digits and spaces, 4 to 22 of them; empty where so many are not left. */
export function messageOf(text: string): string {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '')
  const kept = plain.replace(/[^A-Za-z0-9]+/g, ' ').trim()
  const message = clip(kept, 22).trim()
  return message.length < 4 ? '' : message
}

/** The body of a deposit or payout; undefined for a network that the operator does not reach. */
export function createBody(
  order: GatewayOrder,
  environment: AccountEnvironment,
): string | undefined {
  const provider = Object.hasOwn(providers, order.network_code)
    ? providers[order.network_code]
    : undefined
  if (provider === undefined) return undefined
  const { amount, currency, our_key, direction, return_url } = order
  const phoneNumber = numberOnWire(order.msisdn, environment)
  const party = { type: 'MMO', accountDetails: { phoneNumber, provider } }
  const message = messageOf(order.description)
  const isPage = direction === 'COLLECT' && order.flow === 'redirect' && return_url !== ''
  const isCode = order.otp_kind === 'PRE' && order.otp !== undefined
  return JSON.stringify({
    [idNames[operationOf(direction)]]: our_key,
    amount: amountFor(amount, currency),
    currency,
    ...(direction === 'COLLECT' ? { payer: party } : { recipient: party }),
    ...(isCode ? { preAuthorisationCode: order.otp } : {}),
    ...(message === '' ? {} : { customerMessage: message }),
    ...(isPage ? { successfulUrl: return_url, failedUrl: return_url } : {}),
  })
}

export const refundBody = ({ our_key, of, amount, currency }: RefundOrder): string =>
  JSON.stringify({
    refundId: our_key,
    depositId: of.our_key,
    amount: amountFor(amount, currency),
    currency,
  })

/** A payment as the operator shows it; a text that it did not show is empty. */
export type Shown = Readonly<{
  operation: Operation
  our_key: string
  status: string
  next_step: string
  /** An address of http or https. */
  page: string
  reason: string
  amount: string
  currency: string
  /** What the payer reads in the network's message; empty until there is one. */
  network_id: string
}>

/** Undefined when it has no status, or is not of exactly one operation. */
export function readShown(fields: Fields | undefined): Shown | undefined {
  if (fields === undefined) return undefined
  const status = wordIn(fields, 'status')
  const named = operations.filter((one) => wordIn(fields, idNames[one]) !== '')
  const [operation] = named
  if (status === '' || operation === undefined || named.length > 1) return undefined
  return {
    operation,
    our_key: wordIn(fields, idNames[operation]).toLowerCase(),
    status,
    next_step: wordIn(fields, 'nextStep'),
    page: readAddress(fields['authorizationUrl']),
    reason: readReason(fields),
    amount: wordIn(fields, 'amount'),
    currency: wordIn(fields, 'currency'),
    network_id: wordIn(fields, 'providerTransactionId'),
  }
}

const operations = ['deposits', 'payouts', 'refunds'] as const

const address_max = 2_048

function readAddress(value: unknown): string {
  if (typeof value !== 'string' || value.length > address_max) return ''
  return /^https?:\/\/\S+$/.test(value) && URL.canParse(value) ? value : ''
}

/** Its reference calls it `failureReason`, and one of its guides `rejectionReason`. */
export function readReason(fields: Fields): string {
  const { failureReason: failure, rejectionReason: rejection } = fields
  if (failure === undefined && rejection === undefined) return ''
  if (failure === null || rejection === null) return ''
  if (isFields(failure)) return wordIn(failure, 'failureCode') || 'UNREADABLE'
  if (isFields(rejection)) return wordIn(rejection, 'rejectionCode') || 'UNREADABLE'
  return 'UNREADABLE'
}

/** What staff read of a refusal: its code and sentence. */
export function detailOf(fields: Fields): string {
  const { failureReason: failure, rejectionReason: rejection } = fields
  const sentence = isFields(failure)
    ? sentenceIn(failure, 'failureMessage')
    : isFields(rejection)
      ? sentenceIn(rejection, 'rejectionMessage')
      : ''
  return [readReason(fields), sentence].filter(Boolean).join(' ')
}

/** Hundredths; undefined for what is no amount of this currency. */
export const amountOnWire = (text: string, currency: string): bigint | undefined =>
  isCurrency(currency) ? fromWire(text, formOf(currency)) : undefined
