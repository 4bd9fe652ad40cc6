// A checkout session of this operator, and a payout. Their state is a function of their record and
// the clock, so that a restart in the middle of a payment changes nothing.

import { createHash } from 'node:crypto'
import { type Numbers, ordinary, type Scenario, sessionScenario } from './scenarios.ts'

/** What somebody did about it: its payer on the page, or the business by the API. */
export type Act = Readonly<
  { at: number; does: 'pay' | 'expire' | 'refund' } | { at: number; does: 'fail'; code: string }
>

/** What was asked for, when, and what was done since; this is all that is kept. */
export type Session = Readonly<{
  id: string
  amount: string
  currency: string
  client_reference: string | undefined
  error_url: string
  success_url: string
  restrict_payer_mobile: string | undefined
  /** Unix milliseconds. */
  created_at: number
  acts: readonly Act[]
  /**
   * Its answer was lost, so that nobody has its page, and by chance a search does not find it for
   * so long, by the clock.
   */
  lag_ms?: number
}>

export type Pace = Numbers &
  Readonly<{
    /** Divides every delay. */
    speed: number
    /** How long a session may be paid, unscaled. */
    session_life_ms: number
    /** What the payment of a session shows that ended without a try. */
    unpaid_shows: 'cancelled' | 'processing'
    business_name: string
    /** Of the page of a session. */
    page_url: (id: string) => string
    /** A number's story begins when its payer pays on the page, and not by itself. */
    on_page: boolean
  }>

export function scenarioOf({ restrict_payer_mobile, lag_ms }: Session, pace: Pace): Scenario {
  const isPlayed = restrict_payer_mobile !== undefined || pace.auto_pay
  const scenario = isPlayed ? sessionScenario(restrict_payer_mobile ?? '', pace) : ordinary
  return lag_ms === undefined ? scenario : { ...scenario, turns: [], webhooks_ms: [0] }
}

export type State = Readonly<{
  checkout_status: 'open' | 'complete' | 'expired'
  payment_status: 'processing' | 'cancelled' | 'succeeded'
  /** Of the last try that failed. */
  error_code: string
  ended_at: number | undefined
  refunded_at: number | undefined
}>

const fresh: State = {
  ...{ checkout_status: 'open', payment_status: 'processing', error_code: '' },
  ...{ ended_at: undefined, refunded_at: undefined },
}

/** Everything that happens to it, in its order; what is still to come is at the end. */
export function actsOf(one: Session, pace: Pace): Act[] {
  const turns = pace.on_page ? [] : playedFrom(one, pace, one.created_at)
  const over: Act = { at: expiresAt(one, pace), does: 'expire' }
  return [...one.acts, ...turns, over].sort((a, b) => a.at - b.at)
}

const playedFrom = (one: Session, pace: Pace, from_ms: number, first_ms = 0): Act[] =>
  scenarioOf(one, pace).turns.map((turn): Act => {
    const at = from_ms + (turn.after_ms - first_ms) / pace.speed
    if (turn.does === 'fail') return { at, does: 'fail', code: turn.code }
    return { at, does: turn.does === 'pay' ? 'pay' : 'expire' }
  })

/** What comes of it that its payer pays on the page; the first of it at once. */
export function actsOnPaying(one: Session, pace: Pace, now_ms: number): Act[] {
  const first_ms = scenarioOf(one, pace).turns[0]?.after_ms
  return pace.on_page && first_ms !== undefined
    ? playedFrom(one, pace, now_ms, first_ms)
    : [{ at: now_ms, does: 'pay' }]
}

const expiresAt = (one: Session, { session_life_ms, speed }: Pace): number =>
  one.created_at + session_life_ms / speed

export function stateAt(one: Session, pace: Pace, now_ms: number): State {
  return actsOf(one, pace)
    .filter(({ at }) => at <= now_ms)
    .reduce<State>((state, act) => after(state, act, pace), fresh)
}

function after(state: State, act: Act, { unpaid_shows }: Pace): State {
  if (act.does === 'refund') {
    const isPaid = state.checkout_status === 'complete'
    return isPaid ? { ...state, refunded_at: state.refunded_at ?? act.at } : state
  }
  if (state.checkout_status !== 'open') return state
  const ended_at = act.at
  switch (act.does) {
    case 'pay':
      return {
        ...{ ...state, ended_at, error_code: '' },
        ...{ checkout_status: 'complete', payment_status: 'succeeded' },
      }
    case 'fail':
      return { ...state, payment_status: 'cancelled', error_code: act.code }
    default: {
      const payment_status = state.error_code === '' ? unpaid_shows : 'cancelled'
      return { ...state, checkout_status: 'expired', payment_status, ended_at }
    }
  }
}

/** Whole units as text. With a planted fault another sum moves than was asked for. */
export const movedAmount = (amount: string, wrong: boolean): string =>
  wrong ? String(Math.max(1, Number(amount) - 1)) : amount

const second = (ms: number): string => new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z')

const transactionId = (id: string): string =>
  `T${createHash('sha256').update(id).digest('hex').slice(0, 10).toUpperCase()}`

const errorTexts: Readonly<Record<string, string>> = {
  'insufficient-funds': 'The customer does not have enough money.',
  'payment-failure': 'The payment failed.',
  'blocked-account': 'The account of the customer is blocked.',
}

/** The fields, in the order of the operator's samples. */
export function showSession(one: Session, pace: Pace, now_ms: number): Record<string, unknown> {
  const state = stateAt(one, pace, now_ms)
  const { checkout_status, payment_status, error_code } = state
  const wrong = scenarioOf(one, pace).wrong_amount && payment_status === 'succeeded'
  const error = { code: error_code, message: errorTexts[error_code] ?? error_code }
  return {
    id: one.id,
    amount: movedAmount(one.amount, wrong),
    checkout_status,
    client_reference: one.client_reference ?? null,
    currency: one.currency,
    error_url: one.error_url,
    last_payment_error: error_code === '' ? null : error,
    business_name: pace.business_name,
    payment_status,
    ...(one.restrict_payer_mobile === undefined
      ? {}
      : { restrict_payer_mobile: one.restrict_payer_mobile }),
    ...(payment_status === 'succeeded' ? { transaction_id: transactionId(one.id) } : {}),
    success_url: one.success_url,
    wave_launch_url: pace.page_url(one.id),
    ...(state.ended_at === undefined ? {} : { when_completed: second(state.ended_at) }),
    when_created: second(one.created_at),
    when_expires: second(expiresAt(one, pace)),
  }
}

/** What its webhooks report, each with the moment at which it happened. */
export type Notice = Readonly<{ at: number; type: string }>

export function noticesOf(one: Session, pace: Pace): Notice[] {
  let state = fresh
  const notices: Notice[] = []
  for (const act of actsOf(one, pace)) {
    const isOpen = state.checkout_status === 'open'
    state = after(state, act, pace)
    if (!isOpen) break
    if (act.does === 'pay') notices.push({ at: act.at, type: 'checkout.session.completed' })
    if (act.does === 'fail') notices.push({ at: act.at, type: 'checkout.session.payment_failed' })
  }
  return notices
}

export type Payout = Readonly<{
  id: string
  key: string
  /** Of the body: the same key with another one is refused. */
  body_hash: string
  receive_amount: string
  currency: string
  mobile: string
  name: string | undefined
  client_reference: string | undefined
  payment_reason: string | undefined
  status: 'succeeded' | 'processing' | 'late' | 'failed' | 'reversed'
  /** Why it failed; absent: as the operator says it of most. */
  error_code?: string
  wrong_amount: boolean
  created_at: number
}>

/** A late one ends a moment after it was asked for. */
export function payoutStatus(one: Payout, { speed }: Pick<Pace, 'speed'>, now_ms: number) {
  if (one.status !== 'late') return one.status
  return (now_ms - one.created_at) * speed < 2_000 ? 'processing' : 'succeeded'
}

/** One per cent, whole units. */
export const feeOf = (amount: string): string => String(Math.ceil(Number(amount) / 100))

export function showPayout(one: Payout, pace: Pace, now_ms: number): Record<string, unknown> {
  const status = payoutStatus(one, pace, now_ms)
  const optional = (name: string, value: string | undefined) =>
    value === undefined ? {} : { [name]: value }
  const error = { error_code: one.error_code ?? 'recipient-account-blocked' }
  return {
    id: one.id,
    currency: one.currency,
    receive_amount: movedAmount(one.receive_amount, one.wrong_amount),
    fee: feeOf(one.receive_amount),
    mobile: one.mobile,
    ...optional('name', one.name),
    ...optional('client_reference', one.client_reference),
    ...optional('payment_reason', one.payment_reason),
    status,
    ...(status === 'failed'
      ? { payout_error: { ...error, error_message: 'The payout failed.' } }
      : {}),
    timestamp: second(one.created_at),
  }
}
