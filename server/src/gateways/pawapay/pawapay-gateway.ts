// The adapter of pawaPay's merchant API, version 2, over HTTP. Law: one create is sent once, under
// our own id; a repeated one is answered as such and then asked about. A question never moves
// anything, and only what is enqueued can be taken back.

import { createHash } from 'node:crypto'
import { assert } from '../../platform/errors.ts'
import type { SendResult } from '../../platform/outbound/outbound.ts'
import {
  type Account,
  type AdapterModule,
  type AdapterTools,
  byCodeBefore,
  isAskedByPhone,
  onPage,
  onPhone,
} from '../adapter.ts'
import type {
  Answer,
  AttemptKey,
  CancelsQueued,
  Checks,
  Collects,
  Direction,
  GatewayOrder,
  GatewayReply,
  Pays,
  PublishesKeys,
  Refunds,
} from '../gateway.ts'
import type { PublishesAvailability, PublishesRules } from '../published.ts'
import type { ReportsBalance } from '../wallet.ts'
import { checkAccount, setupCall } from './check.ts'
import { type Caller, newCaller } from './client.ts'
import { type Read, readCallback, readCancelled, readCreated, readStatus } from './read-answer.ts'
import { readAvailability, readBalances, readKeys, readSetup, rulesIn } from './read-lists.ts'
import { callbackAddresses, facts, providers, refundFacts, settings } from './settings.ts'
import { tests } from './test-numbers.ts'
import {
  cancelPath,
  createBody,
  createPath,
  type Operation,
  operationOf,
  refundBody,
  statusPath,
} from './wire.ts'

export type PawapayGateway = Collects &
  Pays &
  Refunds &
  CancelsQueued &
  ReportsBalance &
  PublishesKeys &
  PublishesRules &
  PublishesAvailability &
  Checks

export const pawapayAdapter: AdapterModule = {
  adapter: 'pawapay',
  name: 'pawaPay',
  settings,
  does: ['COLLECT', 'DISBURSE', 'REFUND', 'BALANCE'],
  confirms: [onPhone, onPage, byCodeBefore],
  tests,
  // The imitation has no wallet in Nigeria.
  imitates: (network, direction) =>
    network.code !== 'mtn_ng' &&
    network.flow === 'push' &&
    Object.hasOwn(providers, network.code) &&
    isAskedByPhone(network, direction),
  callback_addresses: callbackAddresses,
  usual: () => facts,
  open: (account, tools) => pawapayGateway(account, tools),
}

/** For a page that comes soon: so often it is asked for before the payer is asked to wait. */
const pageAsks = 6
const pagePauseMs = 500

type About = Readonly<{ operation: Operation; attempt: AttemptKey }>

/** The gateway of one account. */
export function pawapayGateway(account: Account, tools: AdapterTools): PawapayGateway {
  const call = newCaller(account, tools)
  const { note } = tools

  async function ask({ operation, attempt }: About, until: number): Promise<GatewayReply> {
    const path = statusPath(operation, attempt.our_key)
    const result = await call({ method: 'GET', path }, until)
    const answer =
      result.is === 'answered' ? readStatus({ operation, attempt }, result, note) : result
    return replyOf(answer, result)
  }

  /** What it has is asked until then; that it cannot be asked proves nothing. */
  async function askTaken(about: About, until: number): Promise<GatewayReply> {
    const asked = await ask(about, until)
    const { answer } = asked
    if (answer.is !== 'not_found' && answer.is !== 'never_sent') return asked
    return { ...asked, answer: { is: 'unknown', because: 'taken, and not shown' } }
  }

  async function create(about: About, body: string, until: number): Promise<GatewayReply> {
    const path = createPath(about.operation)
    const result = await call({ method: 'POST', path, body, is_financial: true }, until)
    const read: Read = result.is === 'answered' ? readCreated(about, result, note) : result
    return read.is === 'taken' ? askTaken(about, until) : replyOf(read, result)
  }

  async function send(order: GatewayOrder, direction: Direction): Promise<GatewayReply> {
    assert(order.direction === direction, `${order.direction} given to ${direction}`)
    const until = deadline()
    const body = createBody(order, account.environment)
    if (body === undefined) return noProvider(order.network_code)
    const about = { operation: operationOf(direction), attempt: order }
    const reply = await create(about, body, until)
    if (!isPageSoon(reply.answer)) return reply
    return (await pageWithin(until, () => ask(about, until))) ?? reply
  }

  return {
    code: account.code,
    facts,
    refund_facts: refundFacts,
    collect: (order) => send(order, 'COLLECT'),
    pay: (order) => send(order, 'DISBURSE'),
    query: (attempt) => ask({ operation: operationOf(attempt.direction), attempt }, deadline()),
    refund: (order) =>
      create({ operation: 'refunds', attempt: order }, refundBody(order), deadline()),
    askRefund: (key) => ask({ operation: 'refunds', attempt: key }, deadline()),
    async cancelQueued(attempt) {
      const until = deadline()
      const result = await call({ method: 'POST', path: cancelPath(attempt.our_key) }, until)
      if (result.is === 'answered') readCancelled(result, note)
      // Whatever it says of the request: only its answer about the payout counts.
      return ask({ operation: 'payouts', attempt }, until)
    },
    readCallback: (received) => readCallback(received, { keys: tools.keys }),
    ...listsOf(call),
    check: (our_address, routes) =>
      checkAccount(account, call, { clock: tools.clock, our_address, routes }),
  }
}

/** It names every provider of the operator's. Bytes. */
const long = 1024 * 1024

type Lists = Pick<PawapayGateway, 'balances' | 'publishedKeys' | 'rules' | 'availability'>

const listsOf = (call: Caller): Lists => ({
  async balances() {
    const result = await call({ method: 'GET', path: '/v2/wallet-balances' }, deadline())
    return result.is === 'answered' ? (readBalances(result) ?? []) : []
  },
  async publishedKeys() {
    const result = await call({ method: 'GET', path: '/v2/public-key/http' }, deadline())
    return result.is === 'answered' ? readKeys(result) : undefined
  },
  async rules() {
    const result = await call(setupCall, deadline())
    const setup = result.is === 'answered' ? readSetup(result) : undefined
    return setup === undefined ? undefined : rulesIn(setup)
  },
  async availability() {
    const path = '/v2/availability'
    const result = await call({ method: 'GET', path, is_open: true, max_bytes: long }, deadline())
    return result.is === 'answered' ? readAvailability(result) : undefined
  },
})

/** The page is mostly there within a second: the payer then has it with the first answer. */
async function pageWithin(
  until: number,
  askNow: () => Promise<GatewayReply>,
): Promise<GatewayReply | undefined> {
  for (let asks = 0; asks < pageAsks; asks += 1) {
    // A third of the time is left for whatever is written of the answer.
    if (performance.now() + pagePauseMs > until - facts.call_timeout_ms / 3) return undefined
    await new Promise((resolve) => setTimeout(resolve, pagePauseMs))
    const asked = await askNow()
    const { answer } = asked
    if (answer.is === 'waiting' ? !isPageSoon(answer) : isEnd(answer)) return asked
  }
  return undefined
}

/** Everything that one verb sends ends by then; by `performance.now()`. */
const deadline = (): number => performance.now() + facts.call_timeout_ms

const isPageSoon = (answer: Answer): boolean =>
  answer.is === 'waiting' && answer.next === 'page_soon'

const isEnd = ({ is }: Answer): boolean => is === 'confirmed' || is === 'refused'

/** Refused by ourselves, before anything left. */
const noProvider = (network_code: string): GatewayReply => {
  const because = `no provider of this operator for ${network_code}`
  return {
    answer: {
      ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED', detail: because },
      ...{ external_reference: '', alarm: 'CONFIGURATION' },
    },
    hash: createHash('sha256').update(because).digest(),
  }
}

const replyOf = (answer: Answer, result: SendResult): GatewayReply => ({
  answer,
  hash: hashOf(result),
})

/** What the answer rests on: the status and raw body, or what happened instead of one. */
function hashOf(result: SendResult): Buffer {
  const words =
    result.is === 'answered' ? `${result.status} ${result.body}` : `${result.is} ${result.because}`
  return createHash('sha256').update(words).digest()
}
