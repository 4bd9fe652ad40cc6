// The adapter of Stripe Checkout: the payer gives their card on the operator's page, and no number
// of it ever comes here. Law: one verb makes one thing under one key; what was lost is searched, or
// its key is sent again, and neither takes money, because the payer has not been shown the page
// yet.

import { createHash } from 'node:crypto'
import { type Fields, readFields } from '../../platform/json-fields.ts'
import { type Account, type AdapterModule, type AdapterTools, onPage } from '../adapter.ts'
import type { RefusalKind } from '../alarm-kinds.ts'
import type {
  Answer,
  AttemptKey,
  Checks,
  Collects,
  GatewayReply,
  RefundKey,
  Refunds,
} from '../gateway.ts'
import type { ReportsBalance } from '../wallet.ts'
import { readCallback } from './callback.ts'
import { checkAccount } from './check.ts'
import { type Caller, type CallResult, newCaller } from './client.ts'
import {
  alarmOf,
  lessTakenBack,
  type ReadContext,
  readRefundAnswer,
  readSessionAnswer,
} from './read-answer.ts'
import { callbackAddresses, factsOf, refund_facts, settings } from './settings.ts'
import { tests } from './test-numbers.ts'
import {
  balancesIn,
  metadataKey,
  readList,
  readSession,
  refundBody,
  searchPath,
  sessionBody,
  sessionPath,
} from './wire.ts'

export type StripeGateway = Collects & Refunds & ReportsBalance & Checks

export const stripeAdapter: AdapterModule = {
  adapter: 'stripe',
  name: 'Stripe',
  settings,
  does: ['COLLECT', 'REFUND', 'BALANCE'],
  confirms: [onPage],
  tests,
  imitates: ({ code, flow }, direction) =>
    direction === 'COLLECT' && code === 'card' && flow === 'redirect',
  callback_addresses: callbackAddresses,
  usual: factsOf,
  open: (account, tools) => stripeGateway(account, tools),
}

/** The gateway of one account. */
export function stripeGateway(account: Account, tools: AdapterTools): StripeGateway {
  const call = newCaller(account, tools)
  const { environment } = account
  const facts = factsOf(environment)
  const context: ReadContext = { environment, note: tools.note }
  const asking: Asking = { call, context }
  /** Everything that one verb sends ends by then; by `performance.now()`. */
  const deadline = (): number => performance.now() + facts.call_timeout_ms
  return {
    code: account.code,
    facts,
    refund_facts,
    async collect(order) {
      const create = { method: 'POST', path: '/v1/checkout/sessions', key: order.our_key } as const
      const result = await call({ ...create, body: sessionBody(order) }, deadline())
      if (result.is !== 'answered') return replyOf(result, result)
      return replyOf(readSessionAnswer(order, result, context), result)
    },
    query: (attempt) => askSession(asking, attempt, deadline()),
    async refund(order) {
      const until = deadline()
      const found = await findSession(asking, order.of, until)
      if (found.is !== 'found') return replyOf(neverAsked(found), found)
      if (found.payment_intent === '')
        return replyOf(neverAsked({ because: 'it has no payment' }), found)
      const body = refundBody(order, found.payment_intent)
      const create = { method: 'POST', path: '/v1/refunds', key: order.our_key } as const
      const result = await call({ ...create, body }, until)
      if (result.is !== 'answered') return replyOf(result, result)
      return replyOf(readRefundAnswer(order.our_key, result, context), result)
    },
    askRefund: (key) => askRefund(asking, key, deadline()),
    readCallback: (received) => readCallback(received, account, context),
    async balances() {
      const result = await call({ method: 'GET', path: '/v1/balance' }, deadline())
      return result.is === 'answered' && result.status === 200 ? balancesIn(result.body) : []
    },
    check: () => checkAccount(account, call, tools),
  }
}

type Asking = Readonly<{ call: Caller; context: ReadContext }>

/** By the page's own id where it is known; else by our key among the pages of those minutes. */
async function askSession(
  asking: Asking,
  attempt: AttemptKey,
  until: number,
): Promise<GatewayReply> {
  const found = await findSession(asking, attempt, until)
  if (found.is === 'none') return replyOf({ is: 'not_found' }, found)
  if (found.is !== 'found') return replyOf(neverFound(found), found)
  const answer = readSessionAnswer(attempt, found.result, asking.context)
  if (answer.is !== 'confirmed' || !found.is_touched) return replyOf(answer, found.result)
  // Of another sum than ours a part says nothing: that it is another comes first.
  const isOurs = answer.amount === attempt.amount && answer.currency === attempt.currency
  if (!isOurs) return replyOf(answer, found.result)
  const takenBack = await takenBackOf(asking, found.payment_intent, until)
  if (takenBack === undefined) {
    return replyOf({ is: 'unknown', because: 'what was taken back is not shown' }, found.result)
  }
  return replyOf(lessTakenBack(answer, takenBack, asking.context), found.result)
}

type Found =
  | Readonly<{
      is: 'found'
      result: Extract<CallResult, { is: 'answered' }>
      payment_intent: string
      is_touched: boolean
    }>
  /** There is none in those minutes, to the last page of the list. */
  | { is: 'none'; because: string }
  | { is: 'unclear'; because: string; alarm?: RefusalKind }
  | Exclude<CallResult, { is: 'answered' }>

async function findSession(asking: Asking, attempt: AttemptKey, until: number): Promise<Found> {
  const known = attempt.external_reference
  const id = known.startsWith('cs_') ? known : await searchSession(asking, attempt, until)
  if (typeof id !== 'string') return id
  const result = await asking.call({ method: 'GET', path: sessionPath(id) }, until)
  if (result.is !== 'answered') return result
  if (result.status !== 200) return { is: 'unclear', ...notShown(asking, result) }
  const session = readSession(readFields(result.body))
  const { payment_intent = '', is_touched = false } = session ?? {}
  return { is: 'found', result, payment_intent, is_touched }
}

/** That a question is refused says nothing of what it is about. */
function notShown({ context }: Asking, result: Extract<CallResult, { is: 'answered' }>) {
  context.note(`question ${result.status}`)
  return { because: `status ${result.status}`, ...alarmOf(result) }
}

/** A list of ten thousand pages in a quarter of an hour is none that we read to its end. */
const listsMost = 10

async function searchSession(
  { call, context }: Asking,
  attempt: AttemptKey,
  until: number,
): Promise<string | Exclude<Found, { is: 'found' }>> {
  const hits: string[] = []
  let after = ''
  for (let lists = 1; lists <= listsMost; lists += 1) {
    const path = searchPath(attempt.attempt_id, after)
    const result = await call({ method: 'GET', path }, until)
    if (result.is !== 'answered') return result
    const list = result.status === 200 ? readList(readFields(result.body)) : undefined
    if (list === undefined) {
      return { is: 'unclear', because: `search: status ${result.status}`, ...alarmOf(result) }
    }
    const sessions = list.data.flatMap((one) => readSession(one) ?? [])
    const ours = sessions.filter(({ our_key }) => our_key === attempt.our_key)
    hits.push(...ours.map(({ id }) => id))
    after = sessions.at(-1)?.id ?? ''
    if (!list.has_more || after === '') return oneOf(hits, list.has_more, context)
  }
  return { is: 'unclear', because: 'the list is too long' }
}

/** One key makes one page, so two of them are a contradiction and no choice of ours. */
function oneOf(hits: readonly string[], has_more: boolean, { note }: ReadContext) {
  const [first, second] = hits
  if (second !== undefined) {
    note('two pages of one key')
    return { is: 'unclear', because: 'two pages of one key' } as const
  }
  if (first !== undefined) return first
  return has_more
    ? ({ is: 'unclear', because: 'a list without an end' } as const)
    : ({ is: 'none', because: 'not listed' } as const)
}

/** Undefined when either list could not be read to its end. */
async function takenBackOf({ call }: Asking, payment_intent: string, until: number) {
  const read = async (what: 'refunds' | 'disputes'): Promise<readonly Fields[] | undefined> => {
    const result = await call({ method: 'GET', path: ofPayment(what, payment_intent) }, until)
    if (result.is !== 'answered' || result.status !== 200) return undefined
    const list = readList(readFields(result.body))
    return list === undefined || list.has_more ? undefined : list.data
  }
  const [refunds, disputes] = await Promise.all([read('refunds'), read('disputes')])
  return refunds === undefined || disputes === undefined ? undefined : { refunds, disputes }
}

const ofPayment = (what: 'refunds' | 'disputes', payment_intent: string): string =>
  `/v1/${what}?${new URLSearchParams({ payment_intent, limit: '100' })}`

async function askRefund(asking: Asking, key: RefundKey, until: number): Promise<GatewayReply> {
  const { call, context } = asking
  if (key.external_reference !== '') {
    const path = `/v1/refunds/${encodeURIComponent(key.external_reference)}`
    const result = await call({ method: 'GET', path }, until)
    if (result.is !== 'answered') return replyOf(result, result)
    if (result.status === 200) {
      return replyOf(readRefundAnswer(key.our_key, result, context), result)
    }
    return replyOf({ is: 'unknown', ...notShown(asking, result) }, result)
  }
  const found = await findSession(asking, key.of, until)
  if (found.is !== 'found' || found.payment_intent === '') {
    const alarm = found.is === 'unclear' ? found.alarm : undefined
    const because = 'the payment is not shown'
    return replyOf({ is: 'unknown', because, ...(alarm && { alarm }) }, found)
  }
  const path = ofPayment('refunds', found.payment_intent)
  const result = await call({ method: 'GET', path }, until)
  if (result.is !== 'answered') return replyOf(result, result)
  const list = result.status === 200 ? readList(readFields(result.body)) : undefined
  const ours = list?.data.find((one) => metadataKey(one) === key.our_key)
  if (ours !== undefined) {
    const shown = { ...result, body: JSON.stringify(ours) }
    return replyOf(readRefundAnswer(key.our_key, shown, context), result)
  }
  return list === undefined || list.has_more
    ? replyOf(
        { is: 'unknown', because: `list: status ${result.status}`, ...alarmOf(result) },
        result,
      )
    : replyOf({ is: 'not_found' }, result)
}

/** Before the call that gives money back: without its payment that is not made. */
const neverAsked = ({ because, ...of }: Readonly<{ because: string; alarm?: RefusalKind }>) =>
  ({
    ...{ is: 'never_sent', because: `the payment is not shown: ${because}` },
    ...(of.alarm && { alarm: of.alarm }),
  }) satisfies Answer

const neverFound = (found: Exclude<Found, { is: 'found' | 'none' }>): Answer =>
  found.is === 'unclear' ? { ...found, is: 'unknown' } : found

const replyOf = (answer: Answer, result: Found | CallResult): GatewayReply => ({
  answer,
  hash: hashOf(result),
})

/** What the answer rests on: the status and raw body, or what happened instead of one. */
function hashOf(result: Found | CallResult): Buffer {
  const shown = result.is === 'found' ? result.result : result
  const words =
    shown.is === 'answered' ? `${shown.status} ${shown.body}` : `${shown.is} ${shown.because}`
  return createHash('sha256').update(words).digest()
}
