// The port as one line of work sees it: each call to an operator is two steps, the way there and
// the way back, and anything may happen between them. Plants make the adapter break its promises.

import type {
  Answer,
  AttemptKey,
  CallbackReading,
  Cancels,
  Gateway,
  GatewayFacts,
  GatewayOrder,
  GatewayReply,
  OtpReply,
  Pays,
  Received,
  Refunds,
  Resolves,
  TakesOtp,
} from '../../src/gateways/gateway.ts'
import { type Desk, sign } from './operator.ts'
import { codes } from './stage.ts'
import type { Line } from './turns.ts'

/** What a planted bug makes of the adapter. */
export type AdapterPlant = Readonly<{
  trusts_unsigned?: boolean
  resends_on_time_out?: boolean
  resends_payouts?: boolean
  ignores_amount?: boolean
  /** What is paid out is reckoned once more as it is sent, by the prices of that moment. */
  pays_by_new_prices?: boolean
  /** The second operator rounds up what it is asked to collect. */
  rounds_up?: boolean
}>

/** What prices have risen by in this world, in parts per million. */
export type Dearer = () => bigint

const factsOf = ({ traits }: Desk): GatewayFacts => ({
  create_is_idempotent: traits.create_is_idempotent,
  not_found_grace_s: 900,
  call_timeout_ms: 3000,
  queries_per_second: 1000,
  first_ask_after_s: { callbacks_seen: 2, callbacks_silent: 2 },
  callback_address: traits.callback_address,
  signature_headers: ['x-signature'],
})

export function gatewayOf(desk: Desk, line: Line, plant: AdapterPlant, dearer: Dearer): Gateway {
  const call = async <T>(what: string, work: () => T): Promise<T> => {
    const answer = await line.step(() => `→ ${desk.code} ${what}`, work)
    return line.step(
      () => `← ${desk.code} ${JSON.stringify(answer, plain)}`,
      () => answer,
    )
  }
  const seen = (reply: GatewayReply, our_key: string): GatewayReply =>
    plant.ignores_amount === true
      ? { ...reply, answer: withRequestedAmount(desk, reply.answer, our_key) }
      : reply
  const amountOf = ({ direction, amount }: GatewayOrder): bigint => {
    if (direction === 'DISBURSE') {
      return plant.pays_by_new_prices === true ? amount - (amount * dearer()) / 1_000_000n : amount
    }
    return plant.rounds_up === true && desk.code === codes[1] ? amount + 1_00n : amount
  }
  const sending = (what: string, resends: boolean | undefined) => async (order: GatewayOrder) => {
    const send = () => {
      const before = desk.sends(order.our_key)
      const sent = { ...order, amount: amountOf(order) }
      return call(what, () => desk.create(sent, { sends_before: before, line: line.name }))
    }
    const reply = seen(await send(), order.our_key)
    return resends === true && reply.answer.is === 'unknown' ? send() : reply
  }
  const giveBack = sending('refund', plant.resends_payouts)
  const gateway: TakesOtp & Pays & Refunds = {
    code: desk.code,
    facts: factsOf(desk),
    collect: sending('collect', plant.resends_on_time_out),
    pay: sending('pay', plant.resends_payouts),
    refund_facts: {
      partial: true,
      window_s: 20 * 86_400,
      idempotent: desk.traits.create_is_idempotent,
      returns_fee: false,
      one_at_a_time: false,
      ...desk.traits.giving_back,
    },
    refund: ({ reason: description, ...order }) => giveBack({ ...order, ...nobody, description }),
    askRefund: async (key) => seen(await call('ask', () => desk.query(key)), key.our_key),
    query: async (attempt) => seen(await call('ask', () => desk.query(attempt)), attempt.our_key),
    async confirmOtp(attempt, otp): Promise<OtpReply> {
      const answer = await call('confirm', () => desk.confirmOtp(attempt, otp))
      if (answer === 'wrong') return { answer: { is: 'wrong_otp' }, hash: Buffer.alloc(32) }
      return seen(answer, attempt.our_key)
    },
    readCallback: (received) => readCallback(desk, plant, received),
  }
  const resolving: TakesOtp & Pays & Refunds & Resolves = {
    ...gateway,
    resolve: async (attempt, { is }) =>
      seen(await call('resolve', () => desk.resolve(attempt, is === 'SUCCESS')), attempt.our_key),
  }
  if (desk.traits.giving_back === null) return withoutRefunds(resolving)
  if (!desk.traits.cancels) return resolving
  const cancel = async (attempt: AttemptKey) =>
    seen(await call('cancel', () => desk.cancel(attempt)), attempt.our_key)
  const able: TakesOtp & Pays & Refunds & Resolves & Cancels = { ...resolving, cancel }
  return able
}

/** What it collected is given back as a payout. */
function withoutRefunds(gateway: TakesOtp & Pays & Refunds & Resolves): Gateway {
  const { refund: _, askRefund: _ask, refund_facts: _facts, ...others } = gateway
  return others
}

/** An order of money back names no phone: its collection does. */
const nobody = {
  network_code: '',
  country_code: '',
  msisdn: '',
  flow: 'push',
  otp_kind: 'NONE',
  otp: undefined,
  return_url: '',
} as const

const plain = (key: string, value: unknown): unknown => {
  if (key === 'hash') return undefined
  return typeof value === 'bigint' ? value.toString() : value
}

/** The answer as one would read it who never looks at the amount. */
function withRequestedAmount(desk: Desk, answer: Answer, our_key: string): Answer {
  const order = desk.orders.find((one) => one.our_key === our_key)
  if (answer.is !== 'confirmed' || order === undefined) return answer
  return { ...answer, amount: order.requested.amount }
}

type CallbackBody = {
  our_key: string
  external_reference: string
  state: 'waiting' | 'paid' | 'refused'
  amount: string
  currency: string
}

function readCallback(
  desk: Desk,
  plant: AdapterPlant,
  { headers, ...received }: Received,
): CallbackReading {
  const body = received.body.toString()
  // Only this file's operator and forgers write these bodies, and always in this form.
  const stated = JSON.parse(body) as CallbackBody
  const signed = headers['x-signature'] === sign(body) || plant.trusts_unsigned === true
  const answer = plant.ignores_amount
    ? withRequestedAmount(desk, answerOf(stated), stated.our_key)
    : answerOf(stated)
  return { proof: signed ? 'SIGNED' : 'UNSIGNED', key: stated.our_key, answer }
}

function answerOf({ external_reference, state, amount, currency }: CallbackBody): Answer {
  if (state === 'paid') {
    return { is: 'confirmed', external_reference, amount: BigInt(amount), currency }
  }
  if (state === 'waiting') return { is: 'waiting', external_reference, next: 'payer' }
  const failure_code = 'NOT_APPROVED'
  return { is: 'refused', by: 'payer', failure_code, detail: 'said no', external_reference }
}
