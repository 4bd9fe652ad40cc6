// A payment of this operator: deposit, payout or refund. Its state is a function of its record, of
// what was done to it, and of the clock, so that a restart in the middle of it changes nothing.

import { createHash } from 'node:crypto'
import { type Operation, type Scenario, scenarioOf, type Turn } from './scenarios.ts'

/** What the caller sent, when, and what was done to it since. Times in unix milliseconds. */
export type Payment = Readonly<{
  operation: Operation
  id: string
  amount: string
  currency: string
  country: string
  provider: string
  msisdn: string
  message: string
  client_reference: string
  successful_url: string
  failed_url: string
  /** By chance another sum moves, or in another currency, than was asked for. */
  altered?: 'amount' | 'currency'
  /** The deposit that a refund gives back; empty for others. */
  deposit_id: string
  created_at: number
  /** It waits in the queue until this is set; undefined: it never waited. */
  enqueued?: true
  released_at?: number
  cancelled_at?: number
  /** Its payer decides on a page, which is there from this time on; 0: not yet. */
  page_at?: number
  decided?: Readonly<{ at: number; outcome: 'pay' | 'refuse' }>
  /** A test has decided how it ends; its number says nothing any more. */
  resolved?: Readonly<{ at: number; status: 'COMPLETED' | 'FAILED'; reason: string }>
}>

export type Pace = Readonly<{
  /** Divides every delay. */
  speed: number
  /** Also plays numbers ending in 9910 to 9915. */
  misbehaves: boolean
  /** Where its pages are; without a last slash. */
  url: string
}>

export type State = Readonly<{
  status: 'ACCEPTED' | Turn['status']
  reason: string
  next_step: 'FINAL_STATUS' | 'GET_AUTH_URL' | 'REDIRECT_TO_AUTH_URL'
}>

export const scenarioFor = (one: Payment, { misbehaves }: Pick<Pace, 'misbehaves'>): Scenario =>
  scenarioOf(one.operation, one.msisdn, misbehaves)

const cancel_takes_ms = 500

export function stateAt(one: Payment, pace: Pace, now_ms: number): State {
  const base = { reason: '', next_step: 'FINAL_STATUS' as const }
  if (one.resolved !== undefined) return { ...base, ...one.resolved }
  if (one.cancelled_at !== undefined && since(one.cancelled_at, pace, now_ms) >= cancel_takes_ms) {
    return { ...base, status: 'FAILED', reason: 'MANUALLY_CANCELLED' }
  }
  if (one.enqueued === true && (one.released_at ?? Number.POSITIVE_INFINITY) > now_ms) {
    return { ...base, status: 'ENQUEUED' }
  }
  if (one.page_at !== undefined) return pageState(one, now_ms)
  const age_ms = since(one.released_at ?? one.created_at, pace, now_ms)
  const last = scenarioFor(one, pace)
    .turns.filter(({ after_ms }) => after_ms <= age_ms)
    .at(-1)
  return last === undefined
    ? { ...base, status: 'ACCEPTED' }
    : { ...base, status: last.status, reason: last.reason }
}

function pageState(one: Payment, now_ms: number): State {
  const { decided, page_at = 0 } = one
  const base = { reason: '', next_step: 'FINAL_STATUS' as const }
  if (decided?.outcome === 'pay') return { ...base, status: 'COMPLETED' }
  if (decided !== undefined) return { ...base, status: 'FAILED', reason: 'PAYMENT_NOT_APPROVED' }
  const isThere = page_at > 0 && page_at <= now_ms
  const next_step = isThere ? 'REDIRECT_TO_AUTH_URL' : 'GET_AUTH_URL'
  return { reason: '', status: 'PROCESSING', next_step }
}

const since = (from_ms: number, { speed }: Pace, now_ms: number): number =>
  (now_ms - from_ms) * speed

/** For how long a question about it is answered as if it were not there. */
export const isHidden = (one: Payment, pace: Pace, now_ms: number): boolean =>
  since(one.created_at, pace, now_ms) < scenarioFor(one, pace).hidden_ms

/** With a planted fault another sum moves than was asked for. */
export function movedAmount(one: Payment, pace: Pace): string {
  if (!scenarioFor(one, pace).wrong_amount && one.altered !== 'amount') return one.amount
  const [units = '0', ...cents] = one.amount.split('.')
  return [String(Math.max(1, Number(units) - 1)), ...cents].join('.')
}

/** A UUID, the same for the same payment. */
function networkId({ id }: Payment): string {
  const hex = createHash('sha256').update(`network ${id}`).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-')
}

const idNames = { deposits: 'depositId', payouts: 'payoutId', refunds: 'refundId' } as const

const messages: Readonly<Record<string, string>> = {
  PAYER_NOT_FOUND: 'The phone number does not belong to the specified provider.',
  RECIPIENT_NOT_FOUND: 'The phone number does not belong to the specified provider.',
  PAYMENT_NOT_APPROVED: 'The customer did not authorise the payment.',
  INSUFFICIENT_BALANCE: 'The customer does not have enough funds to complete this payment.',
  MANUALLY_CANCELLED: 'The payment was cancelled manually.',
}

export const failureOf = (code: string, message = messages[code] ?? code) => ({
  failureCode: code,
  failureMessage: message,
})

export const idField = ({ operation, id }: Pick<Payment, 'operation' | 'id'>) => ({
  [idNames[operation]]: id,
})

/** A time as its samples have it: without milliseconds. */
export const timeOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

/** The fields, in the order of its samples; a callback leaves out the caller's reference. */
export function show(
  one: Payment,
  pace: Pace,
  { now_ms, is_callback }: Readonly<{ now_ms: number; is_callback: boolean }>,
): Record<string, unknown> {
  const { status, reason, next_step } = stateAt(one, pace, now_ms)
  const party = {
    type: 'MMO',
    accountDetails: { phoneNumber: one.msisdn, provider: one.provider },
  }
  const isDeposit = one.operation === 'deposits'
  const amount = status === 'COMPLETED' ? movedAmount(one, pace) : one.amount
  return {
    ...idField(one),
    status,
    ...(isDeposit && next_step !== 'FINAL_STATUS' ? { nextStep: next_step } : {}),
    amount: Number(amount).toFixed(2),
    currency: status === 'COMPLETED' && one.altered === 'currency' ? 'ZMW' : one.currency,
    country: one.country,
    ...(isDeposit ? { payer: party } : { recipient: party }),
    ...(one.message === '' ? {} : { customerMessage: one.message }),
    ...(one.client_reference === '' || is_callback
      ? {}
      : { clientReferenceId: one.client_reference }),
    created: timeOf(one.created_at),
    ...(one.successful_url === '' ? {} : { successfulUrl: one.successful_url }),
    ...(one.failed_url === '' ? {} : { failedUrl: one.failed_url }),
    ...(next_step === 'REDIRECT_TO_AUTH_URL' ? { authorizationUrl: pageOf(one, pace) } : {}),
    ...(status === 'COMPLETED' ? { providerTransactionId: networkId(one) } : {}),
    ...(status === 'FAILED' ? { failureReason: failureOf(reason) } : {}),
  }
}

export const pageOf = ({ id }: Payment, { url }: Pace): string => `${url}/authorize/${id}`

/** The moments at which callbacks of its last change leave, unix milliseconds. */
export function callbackTimes(one: Payment, pace: Pace): number[] {
  const { turns, callbacks_ms } = scenarioFor(one, pace)
  if (one.resolved !== undefined) return [one.resolved.at]
  if (one.cancelled_at !== undefined) return [one.cancelled_at + cancel_takes_ms / pace.speed]
  if (one.enqueued === true && one.released_at === undefined) return []
  if (one.page_at !== undefined) return one.decided === undefined ? [] : [one.decided.at]
  const last = turns.at(-1)
  if (last === undefined) return []
  const from_ms = one.released_at ?? one.created_at
  return callbacks_ms.map((late) => from_ms + (last.after_ms + late) / pace.speed)
}
