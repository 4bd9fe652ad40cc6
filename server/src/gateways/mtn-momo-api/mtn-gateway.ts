// The adapter of MTN MoMo's open API, over HTTP. Law: one create is sent once; it is repeated only
// after a 401, with the same key, because the operator answers that before it takes anything. A
// question never moves anything.

import { createHash } from 'node:crypto'
import { assert } from '../../platform/errors.ts'
import {
  type Account,
  type AdapterModule,
  type AdapterTools,
  isAskedByPhone,
  onPhone,
} from '../adapter.ts'
import type {
  Answer,
  AttemptKey,
  Checks,
  Collects,
  Direction,
  GatewayOrder,
  GatewayReply,
  Pays,
} from '../gateway.ts'
import type { LooksUpHolder } from '../holder.ts'
import type { ReportsBalance, WalletBalance } from '../wallet.ts'
import { checkAccount } from './check.ts'
import { type Caller, type CallResult, newCaller } from './client.ts'
import { askHolder } from './holder.ts'
import {
  type Read,
  readCallback,
  readCreated,
  readStatus,
  readUnanswered,
  readWithBalance,
  refusedHere,
} from './read-answer.ts'
import { facts, settings } from './settings.ts'
import { tests } from './test-numbers.ts'
import {
  balanceIn,
  balanceOnWire,
  createBody,
  createPath,
  type Product,
  products,
  purposesOf,
  readBalanceText,
  statusPath,
} from './wire.ts'

export type MtnGateway = Collects &
  Pays &
  ReportsBalance &
  Checks &
  Partial<Pick<LooksUpHolder, 'holder'>>

export const mtnAdapter: AdapterModule = {
  adapter: 'mtn',
  name: 'MTN MoMo',
  settings,
  does: ['COLLECT', 'DISBURSE', 'BALANCE'],
  confirms: [onPhone],
  tests,
  imitates: (network, direction) =>
    network.code.startsWith('mtn_') && isAskedByPhone(network, direction),
  usual: () => facts,
  open: (account, tools) => mtnGateway(account, tools),
}

const contextOf = ({ environment, settings: given }: Account, { note }: AdapterTools) => ({
  ...{ environment, note },
  wire_currency: given['wire_currency'] ?? '',
})

/** The gateway of one account. */
export function mtnGateway(account: Account, tools: AdapterTools): MtnGateway {
  const call = newCaller(account, tools)
  const context = contextOf(account, tools)

  async function ask(attempt: AttemptKey, until: number): Promise<GatewayReply> {
    const { direction, our_key } = attempt
    const path = statusPath(direction, our_key)
    const result = await call.send({ method: 'GET', product: products[direction], path }, until)
    const read = result.is === 'answered' ? readStatus(attempt, result, context) : unsaid(result)
    if (read.is !== 'ask_balance') return replyOf(settled(read), result)
    const balance = await balanceOf(products[direction], attempt.currency, until)
    return replyOf(readWithBalance(attempt, read, balance), result)
  }

  async function create(order: GatewayOrder, direction: Direction): Promise<GatewayReply> {
    assert(order.direction === direction, `${order.direction} given to ${direction}`)
    const until = deadline()
    const result = await call.send(
      {
        method: 'POST',
        product: products[direction],
        path: createPath(direction),
        reference: order.our_key,
        callback_url: order.callback_url,
        body: createBody(order, context),
      },
      until,
    )
    const read =
      result.is === 'answered' ? readCreated(order, result, context) : readUnanswered(result)
    if (read.is !== 'taken') return replyOf(settled(read), result)
    const asked = await ask(order, until)
    const { answer } = asked
    if (answer.is !== 'not_found' && answer.is !== 'never_sent') return asked
    return { ...asked, answer: { is: 'unknown', because: 'taken, and not shown' } }
  }

  async function balanceOf(product: Product, currency: string, until: number) {
    const result = await call.send(
      { method: 'GET', product, path: `/${product}/v1_0/account/balance` },
      until,
    )
    return result.is === 'answered' ? balanceIn(result, currency, context) : undefined
  }

  return {
    code: account.code,
    facts,
    collect: (order) => create(order, 'COLLECT'),
    pay: (order) => create(order, 'DISBURSE'),
    query: (attempt) => ask(attempt, deadline()),
    readCallback: ({ body }) => readCallback(body.toString()),
    balances: () => walletsOf(call, deadline()),
    // Only where the account says so: its contract may not allow it.
    ...(account.settings['holder_lookup'] === 'on' && {
      holder: (msisdn: string) =>
        askHolder({ call, environment: account.environment, until: deadline() }, msisdn),
    }),
    check: (our_address) => checkAccount(account, call, { clock: tools.clock, our_address }),
  }
}

/** One for each product. */
async function walletsOf(call: Caller, until: number): Promise<WalletBalance[]> {
  const all = await Promise.all(
    Object.values(products).map(async (wallet) => {
      const path = `/${wallet}/v1_0/account/balance`
      const result = await call.send({ method: 'GET', product: wallet, path }, until)
      const shown = result.is === 'answered' ? readBalanceText(result) : undefined
      const amount = shown && balanceOnWire(shown.amount, shown.currency)
      return amount === undefined || shown === undefined
        ? []
        : [{ wallet, currency: shown.currency, amount, purposes: purposesOf[wallet] }]
    }),
  )
  return all.flat()
}

/** A question that was not answered: whom we are taken for says nothing of what it is about. */
const unsaid = (result: Exclude<CallResult, { is: 'answered' }>): Answer => {
  const { is, because } = result
  const isDenied = result.is === 'never_sent' && result.denied === true
  return isDenied ? { is, because, alarm: 'CREDENTIAL' } : { is, because }
}

/** Everything that one verb sends ends by then, its token too; by `performance.now()`. */
const deadline = (): number => performance.now() + facts.call_timeout_ms

/** What is left when the call was repeated, or could not be. */
function settled(read: Read): Answer {
  switch (read.is) {
    case 'denied':
      return refusedHere(read.detail, 'CREDENTIAL')
    case 'taken':
    case 'ask_balance':
      return { is: 'unknown', because: read.is }
    default:
      return read
  }
}

const replyOf = (answer: Answer, result: CallResult): GatewayReply => ({
  answer,
  hash: hashOf(result),
})

/** What the answer rests on: the status and raw body, or what happened instead of one. */
function hashOf(result: CallResult): Buffer {
  const words =
    result.is === 'answered' ? `${result.status} ${result.body}` : `${result.is} ${result.because}`
  return createHash('sha256').update(words).digest()
}
