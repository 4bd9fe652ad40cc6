// The base of the conformance suite: an adapter's harness, the bench that it opens, and the calls
// of the port, with the hash of each answer checked.

import { expect } from 'vitest'
import { assert } from '../platform/errors.ts'
import type { Outbound } from '../platform/outbound/outbound.ts'
import {
  type Answer,
  type Cancels,
  type Collects,
  cancels,
  collects,
  type Direction,
  type FailureCode,
  type Gateway,
  type GatewayOrder,
  type GatewayReply,
  type Memo,
  type Pays,
  pays,
  prepares,
  type Received,
  type Resolves,
  resolves,
  type TakesOtp,
  takesOtp,
} from './gateway.ts'

/** What an order makes its operator do. Orders of one situation share no key and no number. */
export type Situation =
  /** Accepted; confirmed a moment later, by callback too. */
  | 'succeeds'
  /** Accepted; waits for its payer until something is done about it. */
  | 'waits'
  /** Accepted; a moment later the payer's account has too little money. */
  | 'fails'
  | 'waits_for_otp'
  /** Needs the payer's code at once; `succeeds` otherwise. */
  | 'wants_otp'
  | 'redirects'
  | 'refused_by_payer'
  | 'refused_by_gateway'
  /** Accepted; the answer does not come within `call_timeout_ms`; confirmed when queried. */
  | 'answer_lost'
  /** Accepted; the answer is unreadable; confirmed when queried. */
  | 'answer_garbled'
  /** 5xx, and nothing is taken. */
  | 'server_error'
  /** Another amount than the order's moves and is confirmed. */
  | 'other_amount'
  /** As `succeeds`, but its callback carries no signature. */
  | 'callback_unsigned'

export type Callback = Readonly<{
  body: string
  headers: Readonly<Record<string, string>>
  /** What the operator asked for, where its signature covers it; as to any test otherwise. */
  method?: string
  authority?: string
  path?: string
}>

/** The callback as it comes to us at this time. Milliseconds since 1970. */
export const receivedOf = (callback: Callback, at_ms: number): Received => ({
  ...{ method: 'POST', authority: 'pirogue.example', path: '/callbacks/one', query: '' },
  ...callback,
  body: Buffer.from(callback.body),
  at_ms,
})

export type Books = Readonly<{
  /** How many orders the operator took for this order's payer or recipient. */
  orders: number
  /** How many of them moved money, and how much in all, in hundredths. */
  debits: number
  hundredths: bigint
}>

/** What becomes of one call. */
export type Fault = Readonly<{
  /** Whether the operator gets the call, and does what it asks. */
  reaches: boolean
  /**
   * What is answered in place of the operator; `broken`: nothing; `cut`: half of its answer;
   * `theirs`: what it answered.
   */
  answer:
    | 'theirs'
    | 'broken'
    | 'cut'
    | Readonly<{ status: number; body: string; headers?: Readonly<Record<string, string>> }>
  /** The answer is kept back until then. */
  after?: Promise<unknown>
}>

export type Passed = Readonly<{ method: string; path: string }>

/** A wire between an adapter and its operator, which passes everything on. */
export type WireBetween = Readonly<{
  url: string
  /** The same over TLS, by a certificate that nobody vouches for. */
  tls_url: string
  /** What it leads to. */
  operator_url: string
  /** Every call that came, in its order. */
  passed: Passed[]
  /** Asked about each call, with how many of this rule's came before; undefined: it passes. */
  spoils(rule: ((call: Passed, nth: number) => Fault | undefined) | undefined): void
  close(): Promise<void>
}>

export type Bench = Readonly<{
  gateway: Gateway
  /** The same adapter, pointed at a port on which nothing listens. */
  unreachable: Gateway
  /** The same adapter with another callback secret (the same, where callbacks have none). */
  stranger: Gateway
  /** A wire to the operator, and the same adapter with that wire's address. */
  openWire(): Promise<WireBetween>
  at(url: string): Gateway
  order(situation: Situation, direction: Direction): GatewayOrder
  books(order: GatewayOrder): Promise<Books>
  /** The first callback that the operator delivers for the order, as it was received. */
  callback(order: GatewayOrder): Promise<Callback>
  otps: Readonly<{ right: string; wrong: string }>
  close(): Promise<void>
}>

export type Ability = 'collect' | 'pay' | 'confirmOtp' | 'cancel' | 'resolve' | 'refund'

export type GatewayHarness = Readonly<{
  declares: Readonly<{
    abilities: readonly Ability[]
    /** `ALWAYS`: every payer goes to a page. */
    redirects: boolean | 'ALWAYS'
    /** `BEARER`: they bring a token that the answer to the create gave. */
    callbacks: 'SIGNED' | 'BEARER' | 'UNSIGNED'
    create_is_idempotent: boolean
    /** `LATER`: a create is always accepted, and a refusal is learnt by asking. Default AT_ONCE. */
    refusals?: 'AT_ONCE' | 'LATER'
    /** `AT_ONCE`: a payout ends with the answer to its create. Default LATER. */
    payouts?: 'AT_ONCE' | 'LATER'
    /** Where it differs from what is collected. */
    payout_is_idempotent?: boolean
    /** `NOT_FINAL`: a payer may try again, so a callback of a failure ends nothing. */
    failed_callbacks?: 'FINAL' | 'NOT_FINAL'
    /**
     * For how long a signature proves something (seconds, from when it was made and before), and
     * what it is afterwards. Default five minutes, and nothing.
     */
    freshness?: Readonly<{ for_s: number; ahead_s: number; stale: 'BEARER' | 'UNSIGNED' }>
    /** What a payout that `fails` fails with, where the operator names no empty account. */
    payout_fails_with?: FailureCode
    /** Each payer is sent to a page of the operator's, whatever they then do there. */
    pages_only?: boolean
    /** A key sent again is answered with what it was answered first, whatever came after. */
    replays_first_answer?: boolean
    /** A callback of a failure does not say why, and is a reason to ask. */
    asks_why?: boolean
    /**
     * Its reference is made first, and its failures have few names: what it cannot find was never
     * prepared, and what it refuses before it takes money is refused at once.
     */
    prepares?: boolean
    /**
     * It is asked by what its answer gave, so what was never answered cannot be asked about; and it
     * names no amount: what it confirms is what the question named.
     */
    asked_by_answer?: boolean
    /** What every failure of a payer is called, where the operator names no reason. */
    failures_are?: FailureCode
    /** A status alone refuses a create, whatever page comes with it: of our own sandbox only. */
    statuses_refuse?: boolean
    /** The operator's calls that take no part in a payment: for tokens. Absent: it has none. */
    token_calls?: RegExp
  }>
  /** The adapter must send through this client only, and take the time from this clock (ms). */
  open(deps: { outbound: Outbound; clock: () => number }): Promise<Bench>
}>

export type Suite = {
  readonly declares: GatewayHarness['declares']
  bench(): Bench
  /** What the client believes about our database, and how far the adapter's clock is off. */
  readonly world: { transaction_is_open: boolean; clock_is_off_ms: number }
}

const collector = (gateway: Gateway): Collects => narrowed(gateway, collects)
const payer = (gateway: Gateway): Pays => narrowed(gateway, pays)
export const otpTaker = (gateway: Gateway): TakesOtp => narrowed(gateway, takesOtp)
export const canceller = (gateway: Gateway): Cancels => narrowed(gateway, cancels)
export const resolver = (gateway: Gateway): Resolves => narrowed(gateway, resolves)

function narrowed<T extends Gateway>(gateway: Gateway, able: (one: Gateway) => one is T): T {
  assert(able(gateway), `${gateway.code} lacks an ability it declares`)
  return gateway
}

/** What operators have called orders, and gave with it, by our key: kept as an attempt keeps it. */
const references = new Map<string, string>()
const memos = new Map<string, Memo>()

export function asKept(order: GatewayOrder): GatewayOrder {
  const memo = memos.get(order.our_key)
  return {
    ...order,
    external_reference: references.get(order.our_key) ?? order.external_reference,
    ...(memo === undefined ? {} : { memo }),
  }
}

/** What a process that died with the answer in hand has not kept. */
export function forget(gateway: Gateway, { our_key }: GatewayOrder): void {
  memos.delete(our_key)
  if (!prepares(gateway)) references.delete(our_key)
}

export async function sendForReply(gateway: Gateway, order: GatewayOrder): Promise<GatewayReply> {
  if (prepares(gateway) && !references.has(order.our_key)) {
    const { answer, hash } = await gateway.prepare(order)
    if (answer.is !== 'prepared') return { answer, hash }
    references.set(order.our_key, answer.external_reference)
  }
  const sent = asKept(order)
  const reply = await (order.direction === 'COLLECT'
    ? collector(gateway).collect(sent)
    : payer(gateway).pay(sent))
  const { answer } = reply
  if (answer.is !== 'waiting' || answer.memo === undefined) return reply
  const { memo, ...told } = answer
  memos.set(order.our_key, memo)
  references.set(order.our_key, answer.external_reference)
  return { ...reply, answer: told }
}

export async function send(gateway: Gateway, order: GatewayOrder): Promise<Answer> {
  const reply = await sendForReply(gateway, order)
  expect(reply.hash).toHaveLength(32)
  return withoutTheirs(reply.answer)
}

/** Beside the reference that it is asked by, an operator may name what its payer sees. */
function withoutTheirs(answer: Answer): Answer {
  if (answer.is !== 'confirmed' || answer.operator_reference === undefined) return answer
  const { operator_reference, ...rest } = answer
  expect(operator_reference).toMatch(/^\S{1,200}$/)
  return rest
}

export async function query(gateway: Gateway, order: GatewayOrder): Promise<Answer> {
  const reply = await gateway.query(asKept(order))
  expect(reply.hash).toHaveLength(32)
  return withoutTheirs(reply.answer)
}

/** Queries until the operator answers anything but "wait"; at most ten seconds. */
export async function queryUntilEnded(gateway: Gateway, order: GatewayOrder): Promise<Answer> {
  const give_up = Date.now() + 10_000
  for (;;) {
    const answer = await query(gateway, order)
    if (answer.is !== 'waiting' || Date.now() > give_up) return answer
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** The answer to a send that is refused: of itself, or when it is asked about. */
export async function sendForRefusal(suite: Suite, order: GatewayOrder): Promise<Answer> {
  const { gateway } = suite.bench()
  const answer = await send(gateway, order)
  if (suite.declares.refusals !== 'LATER' || answer.is === 'refused') return answer
  expect(answer).toEqual(awaitingPayer(suite, order))
  return queryUntilEnded(gateway, order)
}

/** The end of what is taken and then fails: at once, or when it is asked about. */
export async function sendForFailure(suite: Suite, order: GatewayOrder): Promise<Answer> {
  const { gateway } = suite.bench()
  const answer = await send(gateway, order)
  if (order.direction === 'DISBURSE' && suite.declares.payouts === 'AT_ONCE') return answer
  expect(answer).toEqual(awaitingPayer(suite, order))
  return queryUntilEnded(gateway, order)
}

/** What a create is answered with that waits for its payer. */
export const awaitingPayer = ({ declares }: Suite, { direction }: GatewayOrder) =>
  direction === 'COLLECT' && (declares.redirects === 'ALWAYS' || declares.pages_only === true)
    ? waiting({ redirect_to: expect.stringMatching(/^https?:\/\/./) })
    : waiting('payer')

/** What a question about it is answered with until then. */
export const stillAwaiting = (suite: Suite, order: GatewayOrder) =>
  suite.declares.asked_by_answer ? waiting('payer') : awaitingPayer(suite, order)

/** What a question is answered with about what was never answered. */
export const notThere = ({ declares }: Suite) =>
  declares.asked_by_answer
    ? { is: 'unknown', because: expect.stringMatching(/./), cannot_ask: true }
    : { is: 'not_found' }

/** What a question is answered with about what was paid. */
export const paid = ({ declares }: Suite, order: GatewayOrder) =>
  declares.asked_by_answer ? { ...confirmed(order), amount_is: 'ASKED' } : confirmed(order)

/** What is in the books of an order whose answer was lost: paid, or a page that nobody has. */
export const lostBooks = ({ declares }: Suite, order: GatewayOrder): Books =>
  declares.asked_by_answer ? { orders: 1, debits: 0, hundredths: 0n } : once(order)

/** What a create is answered with that was taken, and will be paid. */
export const taken = (suite: Suite, order: GatewayOrder) =>
  order.direction === 'DISBURSE' && suite.declares.payouts === 'AT_ONCE'
    ? confirmed(order)
    : awaitingPayer(suite, order)

/** What is in the books of an order that was refused. */
export const refusedBooks = ({ declares }: Suite): Books =>
  declares.refusals === 'LATER'
    ? { orders: expect.toBeOneOf([0, 1]), debits: 0, hundredths: 0n }
    : nothing

export const nothing: Books = { orders: 0, debits: 0, hundredths: 0n }
export const once = ({ amount }: GatewayOrder): Books => ({
  orders: 1,
  debits: 1,
  hundredths: amount,
})

export const confirmed = ({ amount, currency }: GatewayOrder) => ({
  is: 'confirmed',
  external_reference: expect.stringMatching(/./),
  amount,
  currency,
})

export const waiting = (next: unknown) => ({
  is: 'waiting',
  external_reference: expect.stringMatching(/./),
  next,
})
