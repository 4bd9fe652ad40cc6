// The filters of the list of transactions (contract: Query parameters of `GET /transactions/`), as
// a schema and as it is read. Every list with these filters takes them from here.

import { Type } from 'typebox'
import { failureCodes } from '../attempts/failure-texts.ts'
import { search_length_max } from '../customers/search/terms.ts'
import { type OpenIncidents, openIncidents } from '../incidents/store.ts'
import { amountFaultText, parseDecimal } from '../money/parse-amount.ts'
import type { FieldErrors, Text } from '../platform/errors.ts'
import {
  checkTimes,
  currencyFilter,
  enumFilter,
  flagFilter,
  flagSchema,
  type Query,
  readTimes,
  timeQuery,
  uuidFilter,
} from '../platform/http/filters.ts'
import { isUuid } from '../platform/ids.ts'
import { flowDirections, transactionStatuses, transactionTypes } from './schema.ts'
import type { TransactionStatus, TransactionType } from './states.ts'
import { type TransactionVia, transactionVias } from './transaction.ts'

/** A reference row as the caller named it. */
export type IdOrCode = Readonly<{ id: string } | { code: string }>

/** A second person's word, a float or a route, an operator's answer. */
export type OpenFor = Readonly<{ approval: boolean; sending: boolean; outcome: boolean }>

export type TransactionFilters = Readonly<{
  status: TransactionStatus | undefined
  transaction_type: TransactionType | undefined
  flow_direction: 'INBOUND' | 'OUTBOUND' | undefined
  currency: string | undefined
  country: IdOrCode | undefined
  network: IdOrCode | undefined
  merchant: string | undefined
  customer: string | undefined
  merchant_reference: string | undefined
  payment_link: string | undefined
  checkout_session: string | undefined
  created_by_member: string | undefined
  api_key: string | undefined
  via: TransactionVia | undefined
  /** Hundredths of its own currency. */
  amount__gte: bigint | undefined
  amount__lte: bigint | undefined
  /** Failed ones alone: why. */
  failure_code: string | undefined
  /** Those alone that an open incident is about, or one that contradicts them. */
  incident: OpenIncidents | undefined
  /** Open ones alone: what they wait for. */
  waits_for: OpenFor | undefined
  /** In UTC with microseconds, as text. */
  created_at__gte: string | undefined
  created_at__lte: string | undefined
}>

const uuid = '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'

const countryText: Text = {
  en: 'Must be the id of a country, or its 2-letter code, such as SN.',
  fr: 'Doit être l’identifiant d’un pays, ou son code à 2 lettres, par exemple SN.',
}
const networkText: Text = {
  en: 'Must be the id of a network, or its code, such as wave_sn.',
  fr: 'Doit être l’identifiant d’un réseau, ou son code, par exemple wave_sn.',
}
const currencyText: Text = {
  en: 'Must be a 3-letter currency code, such as XOF.',
  fr: 'Doit être un code de devise à 3 lettres, par exemple XOF.',
}

const id = Type.Optional(Type.String({ format: 'uuid' }))
const amount = (description: string) => Type.Optional(Type.String({ description }))

/** Query properties of the filters, to spread into a list's query schema. */
export const transactionQuery = {
  status: Type.Optional(Type.Enum([...transactionStatuses])),
  transaction_type: Type.Optional(Type.Enum([...transactionTypes])),
  flow_direction: Type.Optional(Type.Enum([...flowDirections])),
  currency: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{3}$',
      'x-message': currencyText,
      description: 'ISO 4217.',
    }),
  ),
  country: Type.Optional(
    Type.String({
      pattern: `^([A-Za-z]{2}|${uuid})$`,
      'x-message': countryText,
      description: 'The id of a country, or its ISO 3166 alpha-2 code.',
    }),
  ),
  network: Type.Optional(
    Type.String({
      pattern: `^([a-z0-9_]{2,40}|${uuid})$`,
      'x-message': networkText,
      description: 'The id of a network, or its code.',
    }),
  ),
  merchant: id,
  customer: id,
  merchant_reference: Type.Optional(Type.String({ maxLength: 100 })),
  payment_link: Type.Optional(
    Type.String({ format: 'uuid', description: 'The id of the link that they were paid by.' }),
  ),
  checkout_session: Type.Optional(
    Type.String({ format: 'uuid', description: 'The id of the session that they were paid by.' }),
  ),
  created_by_member: Type.Optional(
    Type.String({ format: 'uuid', description: 'The member who made them in the dashboard.' }),
  ),
  api_key: Type.Optional(
    Type.String({ format: 'uuid', description: 'The API key that made them.' }),
  ),
  via: Type.Optional(Type.Enum([...transactionVias], { description: 'How they were made.' })),
  amount__gte: amount('At least this `requested_amount`, whatever the currency.'),
  amount__lte: amount('At most this `requested_amount`, whatever the currency.'),
  failure_code: Type.Optional(
    Type.Enum([...failureCodes], { description: 'Those that have failed for this reason.' }),
  ),
  approval: Type.Optional(
    Type.Enum(['REQUIRED'], { description: 'Payouts that wait for a second member’s word.' }),
  ),
  waiting: Type.Optional({
    ...flagSchema,
    description:
      'Payouts that wait for an operator’s float, in its queue, or for a route ' +
      '(`waiting_reason`). A false one narrows nothing.',
  }),
  outcome: Type.Optional(
    Type.Enum(['UNKNOWN'], {
      description: 'Those whose operator has not said what came of them: never do them anew.',
    }),
  ),
  incident: Type.Optional(
    Type.Enum([...openIncidents], {
      description:
        '`CONTRADICTED`: those of which an operator says what does not match their status ' +
        '(`incident.is_contradiction`): never do them anew before it is resolved. `OPEN`: all ' +
        'about which an incident is open, also because an operator said nothing in time. ' +
        'Whatever their status.',
    }),
  ),
  ...timeQuery,
}

/** A merchant's own lists also search. */
export const searchQuery = {
  search: Type.Optional(
    Type.String({
      maxLength: search_length_max,
      description:
        'Words, whole or in part, from the reference, the gateway’s reference, the customer’s ' +
        'name, e-mail or phone, or the slug of the session or link; in any order, ignoring case ' +
        'and accents. A phone may be given in any format, or in part. A word of one or two ' +
        'characters only matches the start of a word.',
    }),
  ),
}

/** Reads a query that has passed `transactionQuery` and `checkTransactionQuery`. */
export function readTransactionFilters(query: Query): TransactionFilters {
  const waits_for = readOpenFor(query)
  const failure_code = enumFilter(query, 'failure_code', failureCodes)
  // What waits is pending, what has a reason has failed; by its status it is found among few.
  const failed = failure_code === undefined ? undefined : 'FAILED'
  const meant = waits_for ? 'PENDING' : failed
  return {
    status: meant ?? enumFilter(query, 'status', transactionStatuses),
    failure_code,
    incident: enumFilter(query, 'incident', openIncidents),
    waits_for,
    transaction_type: enumFilter(query, 'transaction_type', transactionTypes),
    flow_direction: enumFilter(query, 'flow_direction', flowDirections),
    currency: currencyFilter(query),
    country: named(query['country'], (code) => code.toUpperCase()),
    network: named(query['network'], (code) => code),
    merchant: uuidFilter(query, 'merchant'),
    customer: uuidFilter(query, 'customer'),
    merchant_reference: query['merchant_reference'],
    payment_link: uuidFilter(query, 'payment_link'),
    checkout_session: uuidFilter(query, 'checkout_session'),
    created_by_member: uuidFilter(query, 'created_by_member'),
    api_key: uuidFilter(query, 'api_key'),
    via: enumFilter(query, 'via', transactionVias),
    amount__gte: hundredthsOf(query['amount__gte']),
    amount__lte: hundredthsOf(query['amount__lte']),
    ...readTimes(query),
  }
}

function named(text: string | undefined, codeOf: (text: string) => string): IdOrCode | undefined {
  if (text === undefined) return undefined
  return isUuid(text) ? { id: text.toLowerCase() } : { code: codeOf(text) }
}

function readOpenFor(query: Query): OpenFor | undefined {
  const approval = enumFilter(query, 'approval', ['REQUIRED']) !== undefined
  const sending = flagFilter(query, 'waiting') === true
  const outcome = enumFilter(query, 'outcome', ['UNKNOWN']) !== undefined
  return approval || sending || outcome ? { approval, sending, outcome } : undefined
}

function hundredthsOf(text: string | undefined): bigint | undefined {
  const reading = text ? parseDecimal(text) : undefined
  return reading?.is === 'amount' ? reading.hundredths : undefined
}

/** An absent bound is none. */
function checkAmounts(query: Query): FieldErrors {
  const wrong: Record<string, readonly Text[]> = {}
  for (const name of ['amount__gte', 'amount__lte']) {
    const reading = query[name] ? parseDecimal(query[name]) : undefined
    if (reading?.is === 'invalid') wrong[name] = [amountFaultText[reading.why]]
  }
  return wrong
}

const onlyPending: Text = {
  en: 'Must be PENDING or left out together with approval, waiting or outcome.',
  fr: 'Doit être PENDING ou absent avec approval, waiting ou outcome.',
}

const onlyFailed: Text = {
  en: 'Must be FAILED or left out together with failure_code.',
  fr: 'Doit être FAILED ou absent avec failure_code.',
}

const notBoth: Text = {
  en: 'Not together with approval, waiting or outcome: what waits has not failed.',
  fr: 'Pas avec approval, waiting ou outcome : ce qui attend n’a pas échoué.',
}

/** An absent status is the one that the other filters mean; no row waits and has failed. */
function checkStatus(query: Query): FieldErrors {
  const { status, failure_code } = query
  const waits = readOpenFor(query) !== undefined
  if (waits && failure_code) return { failure_code: [notBoth] }
  if (waits && (status || 'PENDING') !== 'PENDING') return { status: [onlyPending] }
  if (failure_code && (status || 'FAILED') !== 'FAILED') return { status: [onlyFailed] }
  return {}
}

/** What the schema cannot express. For a list's `check_query`. */
export function checkTransactionQuery(query: Query): FieldErrors {
  return { ...checkTimes(query), ...checkAmounts(query), ...checkStatus(query) }
}
