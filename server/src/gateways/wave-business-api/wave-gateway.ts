// The adapter of Wave Business, over HTTP: redirect collections, payouts that end at once, refunds
// in full. Law: one create is one request, never repeated here. A question ends nothing that a
// payer can pay, but for pages beside the one that is followed.

import { createHash } from 'node:crypto'
import { assert } from '../../platform/errors.ts'
import type {
  Account,
  AdapterModule,
  AdapterTools,
  Answer,
  AttemptKey,
  Cancels,
  Checks,
  Collects,
  GatewayReply,
  Pays,
  RefundKey,
  RefundOrder,
  Refunds,
  TellsBalance,
} from '../gateway.ts'
import { readWaveCallback } from './callback.ts'
import { checkAccount } from './check.ts'
import { type CallResult, newCaller } from './client.ts'
import { readOne, readRefusal, readSearch } from './read-answer.ts'
import { facts, refund_facts, settings } from './settings.ts'
import { paths, payoutBody, readBalance, readRefunded, sessionBody } from './wire.ts'

export type WaveGateway = Collects & Pays & Cancels & Refunds & TellsBalance & Checks

export const waveAdapter: AdapterModule = {
  adapter: 'wave',
  name: 'Wave Business',
  settings,
  open: (account, tools) => waveGateway(account, tools),
}

/** The gateway of one account. */
export function waveGateway(account: Account, tools: AdapterTools): WaveGateway {
  const call = newCaller(account, tools)
  const { webhook_secret = '' } = account.secrets
  const restrict_payer = account.settings['restrict_payer'] === 'yes'
  const context = () => ({ note: tools.note, now_ms: tools.clock() })

  async function askById(attempt: AttemptKey, id: string, until: number): Promise<GatewayReply> {
    const path = attempt.direction === 'COLLECT' ? paths.session(id) : paths.payout(id)
    const result = await call({ method: 'GET', path }, until)
    const answer = result.is === 'answered' ? readOne(attempt, result, context()) : result
    return replyOf(answer, result)
  }

  async function search(attempt: AttemptKey, until: number): Promise<GatewayReply> {
    const { direction, our_key, external_reference } = attempt
    const searched = direction === 'COLLECT' ? paths.searchSessions : paths.searchPayouts
    const result = await call({ method: 'GET', path: searched(our_key) }, until)
    if (result.is !== 'answered') return replyOf(result, result)
    const { answer, beside } = readSearch(attempt, result, context())
    // What becomes of them is learnt by asking again.
    await Promise.all(
      beside.map((id) => call({ method: 'POST', path: paths.expireSession(id) }, until)),
    )
    if (answer.is === 'not_found' && isTheirs(external_reference)) {
      return askById(attempt, external_reference, until)
    }
    return replyOf(answer, result)
  }

  /** By their reference where there can be one alone; by ours wherever there may be more. */
  function ask(attempt: AttemptKey, until: number): Promise<GatewayReply> {
    const { external_reference, sends = 1 } = attempt
    return isTheirs(external_reference) && sends <= 1
      ? askById(attempt, external_reference, until)
      : search(attempt, until)
  }

  /** Only what is shown after it counts: the payer may have been quicker. */
  async function cancel(attempt: AttemptKey): Promise<GatewayReply> {
    const until = deadline()
    const before = await ask(attempt, until)
    if (before.answer.is !== 'waiting' || attempt.direction !== 'COLLECT') return before
    const { external_reference: id } = before.answer
    await call({ method: 'POST', path: paths.expireSession(id) }, until)
    return askById(attempt, id, until)
  }

  async function refund(order: RefundOrder): Promise<GatewayReply> {
    const session = order.of.external_reference
    if (order.amount !== order.of.amount || !isTheirs(session)) {
      const detail = 'only the whole of a session is given back'
      return replyOf(refusedHere(detail), { is: 'never_sent', because: detail })
    }
    const until = deadline()
    const result = await call({ method: 'POST', path: paths.refundSession(session) }, until)
    if (result.is !== 'answered') return replyOf(result, result)
    const isTaken = result.status >= 200 && result.status < 300
    const answer = isTaken ? refunded(order) : readRefusal(order, result, context())
    // What it does not find now was there when it was paid.
    return replyOf(answer.is === 'not_found' ? unknownHere('no such session') : answer, result)
  }

  /** The operator shows no refund by itself: it is a line of one of these days. */
  async function askRefund(key: RefundKey): Promise<GatewayReply> {
    const until = deadline()
    const age_s = key.age_s ?? 0
    let last: CallResult = { is: 'never_sent', because: 'nothing was asked' }
    for (const date of daysSince(tools.clock(), age_s)) {
      let after: string | undefined = ''
      for (let page = 0; after !== undefined && page < pagesMost; page += 1) {
        last = await call({ method: 'GET', path: paths.transactions(date, after) }, until)
        if (last.is !== 'answered') return replyOf(last, last)
        const read = last.status === 200 ? readRefunded(last) : undefined
        if (read === undefined) return replyOf(unknownHere(`status ${last.status}`), last)
        const isThere = read.sessions.includes(key.of.external_reference)
        if (isThere) return replyOf(refunded(key), last)
        after = read.next
      }
      if (after !== undefined) return replyOf(unknownHere('too many pages'), last)
    }
    // Soon after it was sent the same refund may be asked for again; later nothing proves that it
    // was not made.
    const isYoung = age_s < resendS
    return replyOf(isYoung ? { is: 'not_found' } : unknownHere('no such line'), last)
  }

  return {
    code: account.code,
    facts,
    refund_facts,
    async collect(order) {
      assert(order.direction === 'COLLECT', `${order.direction} given to collect`)
      const body = sessionBody(order, restrict_payer)
      const path = paths.createSession
      const result = await call({ method: 'POST', path, body }, deadline())
      const answer = result.is === 'answered' ? readOne(order, result, context()) : result
      return replyOf(created(answer), result)
    },
    async pay(order) {
      assert(order.direction === 'DISBURSE', `${order.direction} given to pay`)
      const result = await call(
        {
          ...{ method: 'POST', path: paths.createPayout, body: payoutBody(order) },
          idempotency_key: order.our_key,
        },
        deadline(),
      )
      const answer = result.is === 'answered' ? readOne(order, result, context()) : result
      return replyOf(created(answer), result)
    },
    query: (attempt) => ask(attempt, deadline()),
    cancel,
    refund,
    askRefund,
    readCallback: (received) => readWaveCallback({ webhook_secret, note: tools.note }, received),
    async balances() {
      const result = await call({ method: 'GET', path: paths.balance }, deadline())
      const shown = result.is === 'answered' ? readBalance(result) : undefined
      return shown === undefined ? [] : [{ wallet: 'business', ...shown }]
    },
    check: () => checkAccount(account, call, tools),
  }
}

/** Everything that one verb sends ends by then; by `performance.now()`. */
const deadline = (): number => performance.now() + facts.call_timeout_ms

/** A reference that the operator made. */
const isTheirs = (reference: string): boolean => /^(?:cos|pt)-/.test(reference)

const unknownHere = (because: string): Answer => ({ is: 'unknown', because })

const refusedHere = (detail: string): Answer => ({
  ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED' },
  ...{ detail, external_reference: '' },
})

/** "Not found" says nothing of what a create may have made. */
const created = (answer: Answer): Answer =>
  answer.is === 'not_found' ? unknownHere('created, and not found') : answer

/** It takes no sum: what is given back is the whole of what was paid. */
const refunded = ({ our_key, of }: Pick<RefundKey, 'our_key' | 'of'>): Answer => ({
  ...{ is: 'confirmed', external_reference: our_key, amount: of.amount, currency: of.currency },
  amount_is: 'ASKED',
})

const resendS = 120
const pagesMost = 20
const daysMost = 4

/** The days since it was sent, by UTC, the newest first; no more than a few. */
function daysSince(now_ms: number, age_s: number): string[] {
  const day_ms = 24 * 3600 * 1000
  const count = Math.floor(now_ms / day_ms) - Math.floor((now_ms - age_s * 1000) / day_ms) + 1
  return Array.from({ length: Math.min(count, daysMost) }, (_, back) =>
    new Date(now_ms - back * day_ms).toISOString().slice(0, 10),
  )
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
