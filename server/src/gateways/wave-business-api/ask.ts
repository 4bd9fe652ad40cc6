// How an attempt is asked about: by their reference, by a search, by ending a page; and refunds,
// which the operator shows only among a day's lines.

import { createHash } from 'node:crypto'
import { readFields, wordIn } from '../../platform/json-fields.ts'
import type { Answer, AttemptKey, GatewayReply, RefundKey, RefundOrder } from '../gateway.ts'
import type { Caller, CallResult } from './client.ts'
import { notLetIn, type ReadContext, readAsked, readRefusal, readSearch } from './read-answer.ts'
import { facts } from './settings.ts'
import { type Answered, paths, readRefunded } from './wire.ts'

export type Talk = Readonly<{ call: Caller; context: () => ReadContext }>

/** Everything that one verb sends ends by then; by `performance.now()`. */
export const deadline = (): number => performance.now() + facts.call_timeout_ms

/** A reference that the operator made. */
export const isTheirs = (reference: string): boolean => /^(?:cos|pt)-/.test(reference)

const unknownHere = (because: string) => ({ is: 'unknown', because }) satisfies Answer

async function askById(
  { call, context }: Talk,
  attempt: AttemptKey,
  id: string,
  until: number,
): Promise<GatewayReply> {
  const path = attempt.direction === 'COLLECT' ? paths.session(id) : paths.payout(id)
  const result = await call({ method: 'GET', path }, until)
  const answer = result.is === 'answered' ? readAsked(attempt, result, context()) : result
  return replyOf(answer, result)
}

async function search(talk: Talk, attempt: AttemptKey, until: number): Promise<GatewayReply> {
  const { direction, our_key, external_reference } = attempt
  const { call, context } = talk
  const searched = direction === 'COLLECT' ? paths.searchSessions : paths.searchPayouts
  const result = await call({ method: 'GET', path: searched(our_key) }, until)
  if (result.is !== 'answered') return replyOf(result, result)
  const { answer, beside } = readSearch(attempt, result, context())
  // What becomes of them is learnt by asking again.
  await Promise.all(
    beside.map((id) => call({ method: 'POST', path: paths.expireSession(id) }, until)),
  )
  return answer.is === 'not_found' && isTheirs(external_reference)
    ? askById(talk, attempt, external_reference, until)
    : replyOf(answer, result)
}

/** By their reference where there can be one alone; by ours wherever there may be more. */
export function askAbout(talk: Talk, attempt: AttemptKey, until: number): Promise<GatewayReply> {
  const { external_reference, sends = 1 } = attempt
  return isTheirs(external_reference) && sends <= 1
    ? askById(talk, attempt, external_reference, until)
    : search(talk, attempt, until)
}

/** Only what is shown after it counts: the payer may have been quicker. */
export async function cancelSession(talk: Talk, attempt: AttemptKey): Promise<GatewayReply> {
  const until = deadline()
  const before = await askAbout(talk, attempt, until)
  if (before.answer.is !== 'waiting' || attempt.direction !== 'COLLECT') return before
  const { external_reference: id } = before.answer
  await talk.call({ method: 'POST', path: paths.expireSession(id) }, until)
  return askById(talk, attempt, id, until)
}

export async function refundSession(
  { call, context }: Talk,
  order: RefundOrder,
): Promise<GatewayReply> {
  const session = order.of.external_reference
  if (order.amount !== order.of.amount || !isTheirs(session)) {
    const detail = 'only the whole of a session is given back'
    return replyOf(refusedHere(detail), { is: 'never_sent', because: detail })
  }
  const path = paths.refundSession(session)
  const result = await call({ method: 'POST', path }, deadline())
  if (result.is !== 'answered') return replyOf(result, result)
  const isMade = isRefundMade(result, session)
  return replyOf(isMade ? refunded(order) : readRefusal(order, result, context()), result)
}

/** No body, or the session itself; of any other page with 200 the lines of its day say more. */
function isRefundMade({ status, body }: Answered, session: string): boolean {
  if (status < 200 || status >= 300) return false
  return body.trim() === '' || wordIn(readFields(body) ?? {}, 'id') === session
}

/**
 * The operator shows no refund by itself: it is a line of one of these days. Soon after it was sent
 * the same refund may be asked for again; later nothing proves that it was not made.
 */
export async function askRefund(talk: Talk, key: RefundKey, now_ms: number): Promise<GatewayReply> {
  const until = deadline()
  const age_s = key.age_s ?? 0
  const young: Answer = age_s < resendS ? { is: 'not_found' } : unknownHere('no such line')
  let reply = replyOf(young, { is: 'never_sent', because: 'nothing was asked' })
  for (const date of daysSince(now_ms, age_s)) {
    const { is_there, last } = await readDay(talk, key, { date, until })
    if (is_there === 'unread') return replyOf(lostOf(key, last), last)
    if (is_there === 'yes') return replyOf(refunded(key), last)
    reply = replyOf(young, last)
  }
  return reply
}

const lostOf = (key: RefundKey, last: CallResult): Answer =>
  last.is === 'answered' ? notLetIn(key, last, unknownHere(`status ${last.status}`)) : last

type Day = Readonly<{ is_there: 'yes' | 'no' | 'unread'; last: CallResult }>

async function readDay(
  { call }: Talk,
  { of }: RefundKey,
  { date, until }: Readonly<{ date: string; until: number }>,
): Promise<Day> {
  let after = ''
  let last: CallResult = { is: 'never_sent', because: 'nothing was asked' }
  for (let page = 0; page < pagesMost; page += 1) {
    last = await call({ method: 'GET', path: paths.transactions(date, after) }, until)
    const read = last.is === 'answered' && last.status === 200 ? readRefunded(last) : undefined
    if (read === undefined) return { is_there: 'unread', last }
    if (read.sessions.includes(of.external_reference)) return { is_there: 'yes', last }
    if (read.next === undefined) return { is_there: 'no', last }
    after = read.next
  }
  return { is_there: 'unread', last }
}

const refusedHere = (detail: string): Answer => ({
  ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED' },
  ...{ detail, external_reference: '' },
})

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

export const replyOf = (answer: Answer, result: CallResult): GatewayReply => ({
  answer,
  hash: hashOf(result),
})

/** What the answer rests on: the status and raw body, or what happened instead of one. */
function hashOf(result: CallResult): Buffer {
  const words =
    result.is === 'answered' ? `${result.status} ${result.body}` : `${result.is} ${result.because}`
  return createHash('sha256').update(words).digest()
}
