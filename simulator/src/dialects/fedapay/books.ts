// What the operator remembers: transactions and payouts, each with when its money was asked for,
// and webhooks. One JSON line each in a file, where there is one, written before it is answered.
// What a thing is at a moment follows from its record and the clock.

import { appendFileSync } from 'node:fs'
import { linesOf } from '../kept-lines.ts'
import { type Kind, type Scenario, scenarioOf } from './scenarios.ts'

export type Thing = Readonly<{
  kind: Kind
  id: number
  reference: string
  merchant_reference: string | null
  amount: number
  currency: string
  description: string
  callback_url: string | null
  mode: string | null
  created_at: number
  /** When its money was asked for, and of whom; 0: it has not been. */
  asked_at: number
  number: string
  /** By chance another sum moves, or in another currency, than was asked for. */
  altered?: 'amount' | 'currency'
  /** It waits in the queue until `released_at` is set; undefined: it never waited. */
  scheduled?: true
  released_at?: number
  /** What its owner gave back on the dashboard. */
  given_back?: 'WHOLE' | 'PART'
  /** A test has decided how it ends; its number says nothing any more. */
  resolved?: Readonly<{ at: number; status: string; error_code: string | null }>
}>

export type Webhook = Readonly<{ url: string; secret: string }>

type Line = { thing: Thing } | { webhook: Webhook } | { only_webhook: Webhook }

export type Pace = Readonly<{
  /** Divides every delay. */
  speed: number
  /** Also plays numbers ending in 9910 and following. */
  misbehaves: boolean
}>

export type Books = Readonly<{
  things: ReadonlyMap<string, Thing>
  webhooks: ReadonlyMap<string, Webhook>
  keep(line: Line): void
  /** The next number of a series. */
  nextId(kind: Kind): number
}>

export const keyOf = ({ kind, id }: Pick<Thing, 'kind' | 'id'>): string => `${kind} ${id}`

export function openBooks(file: string | undefined): Books {
  const things = new Map<string, Thing>()
  const webhooks = new Map<string, Webhook>()
  const take = (line: Line): void => {
    if ('thing' in line) things.set(keyOf(line.thing), line.thing)
    else if ('webhook' in line) webhooks.set(line.webhook.url, line.webhook)
    else {
      webhooks.clear()
      webhooks.set(line.only_webhook.url, line.only_webhook)
    }
  }
  for (const line of file === undefined ? [] : linesOf<Line>(file)) take(line)
  return {
    things,
    webhooks,
    keep(line) {
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
      take(line)
    },
    nextId: (kind) => [...things.values()].filter((one) => one.kind === kind).length + 1,
  }
}

export const scenarioFor = ({ kind, number }: Thing, { misbehaves }: Pace): Scenario =>
  scenarioOf(kind, number, misbehaves)

/** Since when it moves: what was scheduled does so once it is let go on. */
export const begunAt = ({ released_at, asked_at }: Thing): number => released_at ?? asked_at

export function stateOf(thing: Thing, pace: Pace, now: number) {
  const begun = thing.kind === 'payout' ? 'started' : 'pending'
  if (thing.asked_at === 0) return { status: 'pending', error_code: null }
  if (thing.resolved !== undefined) return givenBack(thing, thing.resolved)
  if (thing.scheduled === true && thing.released_at === undefined) {
    return { status: 'scheduled', error_code: null }
  }
  const age_ms = (now - begunAt(thing)) * pace.speed
  const over = scenarioFor(thing, pace).turns.filter((turn) => turn.after_ms <= age_ms)
  return givenBack(thing, over.at(-1) ?? { status: begun, error_code: null })
}

type State = Readonly<{ status: string; error_code: string | null }>

/** Of a part its documents have a word, and no sum. */
function givenBack({ given_back }: Thing, state: State): State {
  if (given_back === undefined) return state
  const status = given_back === 'WHOLE' ? 'refunded' : `${state.status}_partially_refunded`
  return { ...state, status }
}

/** Whole units. By chance, or with a planted fault, another sum moves than was asked for. */
export function movedAmount(thing: Thing, pace: Pace): number {
  const isOther = thing.altered === 'amount' || scenarioFor(thing, pace).wrong_amount
  return thing.asked_at > 0 && isOther ? Math.max(1, thing.amount - 100) : thing.amount
}

/** Its currencies, each with its number. */
export const currencies: Readonly<Record<string, Readonly<{ id: number; name: string }>>> = {
  XOF: { id: 1, name: 'FCFA' },
  GNF: { id: 2, name: 'GNF' },
  XAF: { id: 3, name: 'FCFA' },
}

export const movedCurrency = ({ altered, currency }: Thing): string => {
  if (altered !== 'currency') return currency
  return currency === 'GNF' ? 'XOF' : 'GNF'
}

export const showCurrencyOf = (iso: string) => {
  const { id = 0, name = iso } = currencies[iso] ?? {}
  return { klass: 'v1/currency', id, iso, name }
}

const moment = (ms: number): string => new Date(ms).toISOString()

export function show(thing: Thing, pace: Pace, now: number, with_currency: boolean) {
  const { status, error_code } = stateOf(thing, pace, now)
  const amount = movedAmount(thing, pace)
  const currency = showCurrencyOf(movedCurrency(thing))
  return {
    klass: `v1/${thing.kind}`,
    id: thing.id,
    reference: thing.reference,
    amount,
    description: thing.description || null,
    // A payout has none.
    ...(thing.kind === 'transaction' ? { callback_url: thing.callback_url } : {}),
    status,
    customer_id: null,
    currency_id: currency.id,
    mode: thing.mode,
    merchant_reference: thing.merchant_reference,
    last_error_code: error_code,
    last_error_message: error_code === null ? null : `The operator said ${error_code}`,
    created_at: moment(thing.created_at),
    updated_at: moment(thing.asked_at || thing.created_at),
    ...(with_currency ? { currency } : {}),
  }
}
