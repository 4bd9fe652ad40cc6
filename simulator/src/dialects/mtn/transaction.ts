// A transaction of this operator. Its state is a function of its record and the clock, so that a
// restart in the middle of a payment changes nothing.

import { createHash } from 'node:crypto'
import { type Product, type Scenario, scenarioOf, withoutFunds } from './scenarios.ts'

/** What the caller sent and when; this is all that is kept. */
export type Transaction = Readonly<{
  product: Product
  reference: string
  external_id: string
  amount: string
  currency: string
  msisdn: string
  payer_message: string
  payee_note: string
  callback_url: string
  /** There was less in the account than this when it was asked for. */
  short?: true
  /** By chance another sum moves, or in another currency, than was asked for. */
  altered?: 'amount' | 'currency'
  /** Unix milliseconds. */
  created_at: number
  /** A test has decided how it ends; its number says nothing any more. */
  resolved?: Readonly<{ at: number; status: 'SUCCESSFUL' | 'FAILED'; reason: string }>
}>

export type Pace = Readonly<{
  /** Divides every delay. */
  speed: number
  /** Also plays numbers ending in 9910 to 9915. */
  misbehaves: boolean
  /** How a reason is written: the sandbox sends a text, the schema has an object. */
  reason_shape: 'TEXT' | 'OBJECT'
}>

export type State = Readonly<{ status: 'PENDING' | 'SUCCESSFUL' | 'FAILED'; reason: string }>

export function scenarioFor(one: Transaction, { misbehaves }: Pace): Scenario {
  const scenario = scenarioOf(one.product, one.msisdn, misbehaves)
  return one.short === true ? withoutFunds(scenario) : scenario
}

export function stateAt(one: Transaction, pace: Pace, now_ms: number): State {
  if (one.resolved !== undefined) return one.resolved
  const age_ms = (now_ms - one.created_at) * pace.speed
  const over = scenarioFor(one, pace).turns.filter((turn) => turn.after_ms <= age_ms)
  const last = over.at(-1)
  return last ?? { status: 'PENDING', reason: '' }
}

/** For how long a question about it is answered as if it were not there. */
export const isHidden = (one: Transaction, pace: Pace, now_ms: number): boolean =>
  (now_ms - one.created_at) * pace.speed < scenarioFor(one, pace).hidden_ms

/** Whole units as text. With a planted fault another sum moves than was asked for. */
export function movedAmount(one: Transaction, pace: Pace): string {
  if (!scenarioFor(one, pace).wrong_amount && one.altered !== 'amount') return one.amount
  const [units = '0', ...cents] = one.amount.split('.')
  return [String(Math.max(1, Number(units) - 1)), ...cents].join('.')
}

/** No country's of ours. */
const movedCurrency = ({ altered, currency }: Transaction): string =>
  altered === 'currency' ? 'ZMW' : currency

/** Ten digits, the same for the same transaction. */
const financialId = ({ product, reference }: Transaction): string => {
  const digest = createHash('sha256').update(`${product} ${reference}`).digest()
  return String(1_000_000_000 + (digest.readUInt32BE(0) % 1_000_000_000))
}

const messages: Readonly<Record<string, string>> = {
  PAYER_NOT_FOUND: 'Payer not found',
  PAYEE_NOT_FOUND: 'Payee does not exist',
  NOT_ENOUGH_FUNDS: 'The payer does not have enough funds.',
}

/** The fields, in the order of the operator's samples. */
export function show(one: Transaction, pace: Pace, now_ms: number): Record<string, unknown> {
  const { status, reason } = stateAt(one, pace, now_ms)
  const party = { partyIdType: 'MSISDN', partyId: one.msisdn }
  const written =
    pace.reason_shape === 'TEXT' ? reason : { code: reason, message: messages[reason] ?? reason }
  return {
    ...(status === 'SUCCESSFUL' ? { financialTransactionId: financialId(one) } : {}),
    externalId: one.external_id,
    amount: status === 'SUCCESSFUL' ? movedAmount(one, pace) : one.amount,
    currency: status === 'SUCCESSFUL' ? movedCurrency(one) : one.currency,
    ...(one.product === 'collection' ? { payer: party } : { payee: party }),
    ...(one.payer_message === '' ? {} : { payerMessage: one.payer_message }),
    ...(one.payee_note === '' ? {} : { payeeNote: one.payee_note }),
    status,
    ...(reason === '' ? {} : { reason: written }),
  }
}

/** The moments at which its callbacks leave, unix milliseconds. */
export function callbackTimes(one: Transaction, pace: Pace): number[] {
  if (one.callback_url === '') return []
  if (one.resolved !== undefined) return [one.resolved.at]
  const { turns, callbacks_ms } = scenarioFor(one, pace)
  const last = turns.at(-1)
  if (last === undefined) return []
  return callbacks_ms.map((late) => one.created_at + (last.after_ms + late) / pace.speed)
}
