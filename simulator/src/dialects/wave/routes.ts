// The routes of this operator: checkout sessions, payouts, balance, the day's transactions, and the
// page for a payer where it is not elsewhere.

import { createHash } from 'node:crypto'
import { languageOf } from '../../page-frame.ts'
import {
  type Chaos,
  drawn,
  faultOf,
  lateBy,
  rareFaultOf,
  searchLagOf,
  slownessOf,
} from '../chaos.ts'
import type { Source } from '../source.ts'
import { doTo, type PageDeps, servePage } from './page.ts'
import { coded, done, invalid, json, type Reply } from './reply.ts'
import { type Incoming, isReply, readPayoutAsked, readSessionAsked, refuseKey } from './request.ts'
import { type CreateAnswer, payoutPlan } from './scenarios.ts'
import {
  feeOf,
  movedAmount,
  type Payout,
  payoutStatus,
  type Session,
  scenarioOf,
  showPayout,
  showSession,
  stateAt,
} from './session.ts'

export type OperatorDeps = PageDeps &
  Readonly<{
    api_key: string
    currency: string
    /** Whole units in the wallet before anything moved. */
    opening_balance: number
    /** For how long a search does not find a session or payout, unscaled. */
    search_lag_ms: number
    /** Its pages are not on this port. */
    pages_elsewhere: boolean
    chaos: Chaos | undefined
    /** How often each was asked about, while faults are drawn. */
    asked: Map<string, number>
    random: Source['random']
  }>

type Handler = (deps: OperatorDeps, incoming: Incoming, id: string) => Reply | Promise<Reply>
type Route = Readonly<{ method: string; path: RegExp; handler: Handler }>

const routes: readonly Route[] = [
  { method: 'POST', path: /^\/v1\/checkout\/sessions$/, handler: createSession },
  { method: 'GET', path: /^\/v1\/checkout\/sessions\/search$/, handler: searchSessions },
  { method: 'GET', path: /^\/v1\/checkout\/sessions\/([^/]+)$/, handler: oneSession },
  { method: 'POST', path: /^\/v1\/checkout\/sessions\/([^/]+)\/expire$/, handler: expireSession },
  { method: 'POST', path: /^\/v1\/checkout\/sessions\/([^/]+)\/refund$/, handler: refundSession },
  { method: 'POST', path: /^\/v1\/payout$/, handler: createPayout },
  { method: 'GET', path: /^\/v1\/payout\/([^/]+)$/, handler: onePayout },
  { method: 'POST', path: /^\/v1\/payout\/([^/]+)\/reverse$/, handler: reversePayout },
  { method: 'GET', path: /^\/v1\/payouts\/search$/, handler: searchPayouts },
  { method: 'GET', path: /^\/v1\/balance$/, handler: showBalance },
  { method: 'GET', path: /^\/v1\/transactions$/, handler: listTransactions },
]

/** Total: an address that the operator does not have is not found. */
export async function answer(deps: OperatorDeps, incoming: Incoming): Promise<Reply> {
  const page = deps.pages_elsewhere ? null : /^\/c\/([^/]+)$/.exec(incoming.path)
  if (page !== null) {
    const { method, body, headers } = incoming
    const language = languageOf(headers['accept-language'])
    return servePage(deps, { method, id: page[1] ?? '', body, language })
  }
  const refusal = refuseKey(deps.api_key, incoming)
  if (refusal !== undefined) return refusal
  for (const { method, path, handler } of routes) {
    const found = method === incoming.method ? path.exec(incoming.path) : null
    if (found !== null) return handler(deps, incoming, found[1] ?? '')
  }
  return coded(404, 'not-found')
}

const newId = ({ random }: OperatorDeps, kind: 'cos' | 'pt', reference = ''): string =>
  `${kind}-${random(`${kind} ${reference}`, 8).toString('hex')}`

const createFaults = ['lost_before', 'lost', 'error', 'garbled', 'too_many'] as const

type How = CreateAnswer | (typeof createFaults)[number]

/** What is answered in place of what was asked for; undefined where it is made. */
function inPlaceOf(how: How): Reply | undefined {
  if (how === 'lost_before') return { is: 'lost' }
  if (how === 'error') return coded(500, 'internal-server-error')
  return how === 'too_many' ? coded(429, 'too-many-requests') : undefined
}

function answeredAs(how: How, reply: Reply): Reply {
  if (how === 'lost') return { is: 'lost' }
  return how === 'garbled' ? { is: 'garbled' } : reply
}

async function createSession(deps: OperatorDeps, incoming: Incoming): Promise<Reply> {
  const asked = readSessionAsked(incoming.body, deps.currency)
  if (isReply(asked)) return asked
  const one: Session = {
    id: newId(deps, 'cos', asked.client_reference),
    ...asked,
    created_at: deps.now(),
    acts: [],
  }
  const subject = `session ${one.client_reference ?? one.id}`
  const step = `create ${madeOf(deps, one)}`
  const fault = faultOf(deps.chaos, { subject, step }, createFaults)
  const how = fault ?? answerTo(deps, one)
  const other = inPlaceOf(how)
  if (other !== undefined) return other
  const session = how === 'lost' ? lostByChance(deps, one, `${subject} ${step}`) : one
  deps.books.keep({ session })
  const delivered = deps.webhooks.schedule(session)
  if (how === 'made') payOnBoth(deps, session)
  if (how === 'after_callback') await delivered
  await lateBy(slownessOf(deps.chaos, { subject, step: 'create' }, deps.speed))
  // As it was made: however late this answer is, its payer has seen no page yet.
  const at = how === 'after_callback' ? deps.now() : one.created_at
  return answeredAs(how, json(200, showSession(one, deps, at)))
}

/** By chance as its number says at first alone: asked for once more it is answered. */
function answerTo(deps: OperatorDeps, one: Session): CreateAnswer {
  const { answer } = scenarioOf(one, deps)
  const isAgain = deps.chaos !== undefined && madeOf(deps, one) > 0
  return answer === 'lost' && isAgain ? 'made' : answer
}

/** What nobody has an answer of is found late. */
function lostByChance({ chaos }: OperatorDeps, one: Session, subject: string): Session {
  const lag_ms = searchLagOf(chaos, subject)
  return lag_ms === 0 ? one : { ...one, lag_ms }
}

/** By chance its payer comes upon the page that was lost as well, and pays on both. */
function payOnBoth(deps: OperatorDeps, { client_reference }: Session): void {
  const { books, chaos, now } = deps
  if (chaos === undefined) return
  for (const one of [...books.sessions.values()]) {
    const isLost = one.lag_ms !== undefined && one.client_reference === client_reference
    if (isLost && drawn(chaos, one.id, 'both') < 0.7) doTo(deps, one, { at: now(), does: 'pay' })
  }
}

/** How many there are of its reference already. */
const madeOf = ({ books }: OperatorDeps, { client_reference }: Session): number =>
  [...books.sessions.values()].filter((one) => one.client_reference === client_reference).length

const missing = (): Reply => coded(404, 'checkout-session-not-found')

function oneSession(deps: OperatorDeps, incoming: Incoming, id: string): Reply {
  const one = deps.books.sessions.get(id)
  const fault = askFault(deps, incoming, id)
  if (fault !== undefined) return fault
  return one === undefined ? missing() : json(200, showSession(one, deps, deps.now()))
}

function askFault(deps: OperatorDeps, { path }: Incoming, about: string): Reply | undefined {
  const { chaos, asked } = deps
  if (chaos === undefined) return undefined
  const asks = asked.get(about) ?? 0
  asked.set(about, asks + 1)
  const step = `ask ${path.includes('search')} ${asks}`
  const fault = faultOf(chaos, { subject: about, step }, ['error', 'too_many'] as const)
  return fault === undefined ? undefined : inPlaceOf(fault)
}

function searchSessions(deps: OperatorDeps, incoming: Incoming): Reply {
  const reference = incoming.query.get('client_reference')
  if (reference === null) return invalid('client_reference', 'field required')
  const fault = askFault(deps, incoming, reference)
  if (fault !== undefined) return fault
  const now = deps.now()
  const result = [...deps.books.sessions.values()]
    .filter((one) => one.client_reference === reference)
    .filter(({ created_at, lag_ms = 0 }) => now - created_at >= lag_ms)
    .filter((one) =>
      isIndexed(deps, one.created_at, scenarioOf(one, deps).hidden_ms + lagOf(deps, one)),
    )
    .map((one) => showSession(one, deps, now))
  return json(200, { result })
}

/** At most so long a search may not find what was made, by chance. Milliseconds, unscaled. */
const lagMost_ms = 60_000

const lagOf = ({ chaos }: OperatorDeps, { id, client_reference: of = id }: Session): number => {
  const about = { subject: of ?? id, step: 'search lag' }
  const isLate = rareFaultOf(chaos, about, { share: 0.5, faults: ['late'] }) !== undefined
  return isLate ? lagMost_ms : 0
}

const isIndexed = (deps: OperatorDeps, created_at: number, hidden_ms: number): boolean =>
  (deps.now() - created_at) * deps.speed >= Math.max(hidden_ms, deps.search_lag_ms)

function expireSession(deps: OperatorDeps, _incoming: Incoming, id: string): Reply {
  const one = deps.books.sessions.get(id)
  if (one === undefined) return missing()
  if (stateAt(one, deps, deps.now()).checkout_status !== 'open') {
    return invalid('id', 'the session is not open')
  }
  doTo(deps, one, { at: deps.now(), does: 'expire' })
  return done()
}

/** The whole of it, once; asked for again it is answered alike. */
function refundSession(deps: OperatorDeps, _incoming: Incoming, id: string): Reply {
  const one = deps.books.sessions.get(id)
  if (one === undefined) return missing()
  const { checkout_status, refunded_at } = stateAt(one, deps, deps.now())
  if (checkout_status !== 'complete') return coded(400, 'checkout-refund-failed')
  const fault = faultOf(deps.chaos, { subject: id, step: 'refund' }, ['lost', 'error'] as const)
  if (fault === 'error') return coded(500, 'internal-server-error')
  if (refunded_at === undefined) doTo(deps, one, { at: deps.now(), does: 'refund' })
  const isLost = fault === 'lost' || one.restrict_payer_mobile?.endsWith('9916') === true
  return isLost && refunded_at === undefined ? { is: 'lost' } : done()
}

function createPayout(deps: OperatorDeps, incoming: Incoming): Reply {
  const key = incoming.headers['idempotency-key'] ?? ''
  if (key === '') return invalid('idempotency-key', 'header required')
  const asked = readPayoutAsked(incoming.body, deps.currency)
  if (isReply(asked)) return asked
  const body_hash = createHash('sha256').update(incoming.body).digest('hex')
  const known = deps.books.payouts.get(key)
  if (known !== undefined && known.body_hash !== body_hash) {
    return coded(409, 'idempotency-mismatch')
  }
  const plan = payoutPlan(asked.mobile, deps)
  const subject = `payout ${key}`
  const fault = faultOf(
    deps.chaos,
    { subject, step: `create ${known === undefined}` },
    createFaults,
  )
  const how = fault ?? (known === undefined ? plan.answer : 'made')
  const other = inPlaceOf(how)
  if (other !== undefined) return other
  if (known !== undefined) return json(200, showPayout(known, deps, deps.now()))
  const isShort = Number(asked.receive_amount) + Number(feeOf(asked.receive_amount)) > wallet(deps)
  const isOver =
    rareFaultOf(deps.chaos, { subject, step: 'float' }, { share: 0.3, faults: ['over'] }) !==
    undefined
  const refused = plan.refused ?? (isShort || isOver ? 'insufficient-funds' : undefined)
  if (refused !== undefined) return coded(422, refused)
  const { status, wrong_amount } = plan
  const times = { created_at: deps.now() }
  const one: Payout = {
    id: newId(deps, 'pt', asked.client_reference),
    key,
    body_hash,
    ...asked,
    status,
    wrong_amount,
    ...times,
  }
  deps.books.keep({ payout: one })
  return answeredAs(how, json(200, showPayout(one, deps, deps.now())))
}

function onePayout(deps: OperatorDeps, incoming: Incoming, id: string): Reply {
  const fault = askFault(deps, incoming, id)
  if (fault !== undefined) return fault
  const one = [...deps.books.payouts.values()].find((payout) => payout.id === id)
  return one === undefined ? coded(404, 'not-found') : json(200, showPayout(one, deps, deps.now()))
}

const reversal_window_ms = 3 * 24 * 3600 * 1000

/** Three days, and again is the same. */
function reversePayout(deps: OperatorDeps, _incoming: Incoming, id: string): Reply {
  const one = [...deps.books.payouts.values()].find((payout) => payout.id === id)
  if (one === undefined) return coded(404, 'not-found')
  const status = payoutStatus(one, deps, deps.now())
  if (status === 'reversed') return json(200, {})
  if (deps.now() - one.created_at > reversal_window_ms) {
    return coded(400, 'payout-reversal-time-limit-exceeded')
  }
  if (status !== 'succeeded') return coded(409, 'request-validation-error')
  deps.books.keep({ payout: { ...one, status: 'reversed' } })
  return json(200, {})
}

function searchPayouts(deps: OperatorDeps, incoming: Incoming): Reply {
  const reference = incoming.query.get('client_reference')
  if (reference === null) return invalid('client_reference', 'field required')
  const fault = askFault(deps, incoming, reference)
  if (fault !== undefined) return fault
  const result = [...deps.books.payouts.values()]
    .filter((one) => one.client_reference === reference)
    .filter(({ created_at }) => isIndexed(deps, created_at, 0))
    .map((one) => showPayout(one, deps, deps.now()))
  return json(200, { result })
}

/** Whole units in the one wallet that all of it moves. */
export function wallet(deps: OperatorDeps): number {
  return linesOf(deps).reduce((sum, { amount }) => sum + amount, deps.opening_balance)
}

type Moved = Readonly<{ at: number; type: string; amount: number; of: Record<string, unknown> }>

/** What moved the wallet, the oldest first: gross, and fees beside it. */
function linesOf(deps: OperatorDeps): Moved[] {
  const now = deps.now()
  const sessions = [...deps.books.sessions.values()].flatMap((one): Moved[] => {
    const { checkout_status, ended_at = 0, refunded_at } = stateAt(one, deps, now)
    if (checkout_status !== 'complete') return []
    const amount = Number(movedAmount(one.amount, scenarioOf(one, deps).wrong_amount))
    const of = { checkout_api_session_id: one.id, client_reference: one.client_reference }
    const paid: Moved = { at: ended_at, type: 'api_checkout', amount, of }
    if (refunded_at === undefined) return [paid]
    const back = { ...of, is_reversal: true }
    return [paid, { at: refunded_at, type: 'api_checkout_refund', amount: -amount, of: back }]
  })
  const payouts = [...deps.books.payouts.values()].flatMap((one): Moved[] => {
    if (payoutStatus(one, deps, now) !== 'succeeded') return []
    const amount = -Number(movedAmount(one.receive_amount, one.wrong_amount))
    const of = { client_reference: one.client_reference, counterparty_mobile: one.mobile }
    return [{ at: one.created_at, type: 'api_payout', amount, of }]
  })
  return [...sessions, ...payouts].sort((a, b) => a.at - b.at)
}

function showBalance(deps: OperatorDeps): Reply {
  return json(200, { amount: String(wallet(deps)), currency: deps.currency })
}

const pageSize = 100

function listTransactions(deps: OperatorDeps, { query }: Incoming): Reply {
  const date = query.get('date') ?? new Date(deps.now()).toISOString().slice(0, 10)
  const start = Number(query.get('after') ?? '0')
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || !(start >= 0)) return invalid('date', 'not a date')
  const all = linesOf(deps).filter(({ at }) => new Date(at).toISOString().startsWith(date))
  const items = all.slice(start, start + pageSize).map(({ at, type, amount, of }, place) => ({
    timestamp: new Date(at).toISOString(),
    transaction_id: `T_${date.replaceAll('-', '')}${start + place}`,
    transaction_type: type,
    amount: String(amount),
    fee: '0',
    currency: deps.currency,
    ...of,
  }))
  const end = start + items.length
  const page_info = {
    start_cursor: start === 0 ? null : String(start),
    end_cursor: String(end),
    has_next_page: end < all.length,
  }
  return json(200, { page_info, date, items })
}
