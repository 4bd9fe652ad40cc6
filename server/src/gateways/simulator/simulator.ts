// The adapter of the sandbox operator, over real HTTP (its contract: simulator/README.md). Law: one
// call is one request, never repeated here, and what comes back is an answer with its hash.

import { createHash } from 'node:crypto'
import { assert } from '../../platform/errors.ts'
import type { Outbound, SendResult } from '../../platform/outbound/outbound.ts'
import type {
  Answer,
  AttemptKey,
  Cancels,
  Direction,
  GatewayFacts,
  GatewayOrder,
  GatewayReply,
  Pays,
  RefundFacts,
  Refunds,
  Resolves,
  Reverses,
  TakesOtp,
} from '../gateway.ts'
import { readSimulatorCallback } from './callback.ts'
import { readConfirmed, readCreated, readReversed, readState, wordFor } from './read-answer.ts'
import { createBody, refundBody } from './wire.ts'

export type SimulatorGatewayOptions = Readonly<{
  /** Ours, the row's code. */
  code: string
  /** Which of the two operators on the one server. */
  operator: 'a' | 'b'
  /** Where the operator listens; read at each call, because its port may be known late. */
  base_url: () => string
  token: string
  callback_secret: string
  outbound: Outbound
}>

export type SimulatorGateway = TakesOtp & Pays & Cancels & Resolves & Refunds & Reverses

const facts: GatewayFacts = {
  create_is_idempotent: true,
  not_found_grace_s: 900,
  call_timeout_ms: 3_000,
  queries_per_second: 50,
  first_ask_after_s: { callbacks_seen: 5, callbacks_silent: 5 },
  callback_address: 'PER_CALL',
  reversal: { window_s: 3 * 24 * 3600, returns_fee: true },
}

const day_s = 24 * 3600

const refund_facts: RefundFacts = {
  partial: true,
  window_s: 180 * day_s,
  idempotent: true,
  returns_fee: false,
  one_at_a_time: false,
}

const paths: Readonly<Record<Direction, string>> = { COLLECT: 'collections', DISBURSE: 'payouts' }

/** The gateway of one sandbox operator. */
export function simulatorGateway(options: SimulatorGatewayOptions): SimulatorGateway {
  const call = callerOf(options)

  async function create(order: GatewayOrder, direction: Direction): Promise<GatewayReply> {
    assert(order.direction === direction, `${order.direction} given to ${direction}`)
    const result = await call({ method: 'POST', path: paths[direction], body: createBody(order) })
    return replyOf(readCreated(order, result), result)
  }

  async function steer(attempt: Steered, action: string, fields: object): Promise<SendResult> {
    const path = `${pathOf(attempt)}/${action}`
    return call({ method: 'POST', path, body: JSON.stringify(fields) })
  }

  return {
    code: options.code,
    facts,
    refund_facts,
    collect: (order) => create(order, 'COLLECT'),
    pay: (order) => create(order, 'DISBURSE'),
    async query(attempt) {
      const result = await call({ method: 'GET', path: pathOf(attempt) })
      return replyOf(readState(attempt, result), result)
    },
    async refund(order) {
      const result = await call({ method: 'POST', path: 'refunds', body: refundBody(order) })
      return replyOf(readCreated({ ...order, flow: 'push' }, result), result)
    },
    async askRefund(key) {
      const result = await call({ method: 'GET', path: pathOf({ ...key, is_refund: true }) })
      return replyOf(readState(key, result), result)
    },
    async confirmOtp(attempt, otp) {
      const result = await steer(attempt, 'otp', { otp })
      const answer = readConfirmed(attempt, result)
      return answer.is === 'wrong_otp' ? { answer, hash: hashOf(result) } : replyOf(answer, result)
    },
    async cancel(attempt) {
      const result = await steer(attempt, 'cancel', {})
      return replyOf(readState(attempt, result), result)
    },
    async reverse(payout) {
      const result = await steer(payout, 'reverse', {})
      return replyOf(readReversed(payout, result), result)
    },
    async resolve(attempt, outcome) {
      const failed = outcome.is === 'FAILED' ? { reason: wordFor(outcome.failure_code) } : {}
      const result = await steer(attempt, 'resolve', { outcome: outcome.is, ...failed })
      return replyOf(readState(attempt, result), result)
    },
    readCallback: (received) => readSimulatorCallback(options, received),
  }
}

type Steered = AttemptKey & Readonly<{ is_refund?: boolean }>

type Call = Readonly<{ method: 'GET' | 'POST'; path: string; body?: string }>

function callerOf(options: SimulatorGatewayOptions): (call: Call) => Promise<SendResult> {
  const { operator, base_url, token, outbound } = options
  const authorization = `Bearer ${token}`
  return ({ method, path, body }) =>
    outbound.send({
      method,
      url: `${base_url()}/${operator}/${path}`,
      headers:
        body === undefined
          ? { authorization }
          : { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
      timeout_ms: facts.call_timeout_ms,
    })
}

function pathOf({ direction, our_key, is_refund }: Steered): string {
  return `${is_refund === true ? 'refunds' : paths[direction]}/${encodeURIComponent(our_key)}`
}

const replyOf = (answer: Answer, result: SendResult): GatewayReply => ({
  answer,
  hash: hashOf(result),
})

/** What the answer rests on: the raw body, or a description of what happened instead of one. */
function hashOf(result: SendResult): Buffer {
  const words = result.is === 'answered' ? result.body : `${result.is} ${result.because}`
  return createHash('sha256').update(words).digest()
}
