// The routes of this operator: Checkout sessions, refunds, disputes, the balance, webhook
// endpoints, and the page that a payer opens where it is not elsewhere. What made something is
// answered by its key for a day.

import { languageOf } from '../../page-frame.ts'
import { alteredBy, type Chaos, faultOf, lateBy, slownessOf } from '../chaos.ts'
import type { Endpoint } from './books.ts'
import { parseForm, textOf } from './form.ts'
import {
  cardOf,
  intentOf,
  type Session,
  showDispute,
  showIntent,
  showRefund,
  unix,
} from './objects.ts'
import {
  announce,
  announceExpired,
  announceRefund,
  asOfNow,
  givenBack,
  movedAmount,
  newId,
  type OperatorDeps,
  refundedOf,
  sessionOfCharge,
  sessionOfIntent,
  shown,
} from './operator.ts'
import { servePage } from './page.ts'
import { fault, invalid, json, listOf, missing, type Reply, serverError, tooMany } from './reply.ts'
import { type Incoming, isReply, readRefundOrder, readSessionOrder, refuseKey } from './request.ts'
import { scenarioOf } from './scenarios.ts'
import { whole } from './whole-objects.ts'

export type RouteDeps = OperatorDeps &
  Readonly<{
    /** The account's keys; none: any key of test mode. */
    keys: readonly string[]
    /** Its pages are not on this port. */
    pages_elsewhere: boolean
    chaos: Chaos | undefined
    /** How often each thing was asked about, while faults are drawn. */
    asked: Map<string, number>
    /** Keys whose first call is not answered yet. */
    under_way: Set<string>
  }>

type Handler = (deps: RouteDeps, incoming: Incoming, id: string) => Reply | Promise<Reply>

const routes: readonly Readonly<{ method: string; path: RegExp; handler: Handler }>[] = [
  { method: 'POST', path: /^\/v1\/checkout\/sessions$/, handler: createSession },
  { method: 'GET', path: /^\/v1\/checkout\/sessions$/, handler: listSessions },
  { method: 'GET', path: /^\/v1\/checkout\/sessions\/([^/]+)$/, handler: showOne },
  { method: 'POST', path: /^\/v1\/checkout\/sessions\/([^/]+)\/expire$/, handler: expireSession },
  { method: 'GET', path: /^\/v1\/payment_intents\/([^/]+)$/, handler: showPayment },
  { method: 'POST', path: /^\/v1\/refunds$/, handler: createRefund },
  { method: 'GET', path: /^\/v1\/refunds$/, handler: listRefunds },
  { method: 'GET', path: /^\/v1\/refunds\/([^/]+)$/, handler: showOneRefund },
  { method: 'GET', path: /^\/v1\/disputes$/, handler: listDisputes },
  { method: 'GET', path: /^\/v1\/balance$/, handler: showBalance },
  { method: 'POST', path: /^\/v1\/webhook_endpoints$/, handler: createEndpoint },
  { method: 'GET', path: /^\/v1\/webhook_endpoints$/, handler: listEndpoints },
]

const pagePath = /^\/c\/pay\/([^/]+)$/

/** Total: an address that the operator does not have is answered as it answers one. */
export async function answer(deps: RouteDeps, incoming: Incoming): Promise<Reply> {
  const [, id] = deps.pages_elsewhere ? [] : (pagePath.exec(incoming.path) ?? [])
  if (id !== undefined) {
    const language = languageOf(incoming.headers['accept-language'])
    return servePage(deps, { method: incoming.method, id, body: incoming.body, language })
  }
  const refusal = refuseKey(incoming, deps.keys)
  if (refusal !== undefined) return refusal
  for (const { method, path, handler } of routes) {
    const found = method === incoming.method ? path.exec(incoming.path) : null
    if (found === null) continue
    const run = () => handler(deps, incoming, found[1] ?? '')
    return method === 'POST' ? once(deps, incoming, run) : run()
  }
  const message = `Unrecognized request URL (${incoming.method}: ${incoming.path}).`
  return fault(404, { message })
}

const dayMs = 24 * 3600 * 1000

/** The first answer by a key is the answer, for a day; what was refused as invalid is not kept. */
async function once(
  deps: RouteDeps,
  { headers, path, body }: Incoming,
  run: () => Reply | Promise<Reply>,
): Promise<Reply> {
  const key = headers['idempotency-key'] ?? ''
  if (key === '') return run()
  const request = `${path} ${body}`
  const { books, under_way, now } = deps
  const known = books.answered.get(key)
  if (known !== undefined && now() - known.at < dayMs) {
    if (known.request !== request) return usedOtherwise()
    const replayed = { 'idempotent-replayed': 'true' }
    return { is: 'json', status: known.status, body: JSON.parse(known.body), headers: replayed }
  }
  if (under_way.has(key)) {
    const message = 'There is currently another in-progress request using this Idempotent Key.'
    return fault(409, { code: 'idempotency_key_in_use', message })
  }
  under_way.add(key)
  const keep = (status: number, value: unknown) =>
    books.keep({ answered: { key, request, status, body: JSON.stringify(value), at: now() } })
  try {
    const reply = await run()
    if (reply.is === 'json' && (reply.status === 200 || reply.status >= 500)) {
      keep(reply.status, reply.body)
    }
    const isUnread = reply.is === 'lost' || reply.is === 'garbled'
    if (isUnread && reply.made !== undefined) keep(200, reply.made)
    return reply
  } finally {
    under_way.delete(key)
  }
}

const usedOtherwise = (): Reply =>
  fault(400, {
    type: 'idempotency_error',
    message:
      'Keys for idempotent requests can only be used with the same parameters they were first ' +
      'used with.',
  })

const createFaults = ['lost_before', 'lost', 'error', 'too_many', 'garbled'] as const

async function createSession(deps: RouteDeps, { body }: Incoming): Promise<Reply> {
  const order = readSessionOrder(body, deps.now())
  if (isReply(order)) return order
  const chance = faultOf(
    deps.chaos,
    asking(deps, 'create', order.client_reference_id),
    createFaults,
  )
  if (chance === 'lost_before') return { is: 'lost' }
  const how = chance ?? scenarioOf(order.name, deps.misbehaves).answer
  if (how === 'error') return serverError()
  if (how === 'too_many') return tooMany()
  const id = newId(deps, 'cs_test_', order.client_reference_id)
  const state = { card: '', paid_at: 0, ended_at: 0 }
  const altered = alteredBy(deps.chaos, order.client_reference_id)
  const session: Session = {
    ...{ ...order, id, created_at: deps.now(), ...state },
    ...(altered && { altered }),
  }
  deps.books.keep({ session })
  const announced = announce(deps, session)
  if (how === 'after_event') await announced
  // As it was made: however late this answer is, its payer has seen no page yet.
  const made = shown(deps, session)
  await slowly(deps, 'create', order.client_reference_id)
  if (how === 'lost') return { is: 'lost', made }
  return how === 'garbled' ? { is: 'garbled', status: 200, made } : json(200, made)
}

/** Each time that a thing is asked for is a draw of its own. */
function asking({ asked, chaos }: RouteDeps, what: string, subject: string) {
  const name = `${what} ${subject}`
  const times = asked.get(name) ?? 0
  if (chaos !== undefined) asked.set(name, times + 1)
  return { subject, step: `${what} ${times}` }
}

/** For as long as the answer to its last call is on the way, which is mostly no time. */
function slowly({ chaos, asked, speed }: RouteDeps, what: string, subject: string): Promise<void> {
  const step = `${what} ${asked.get(`${what} ${subject}`) ?? 0}`
  return lateBy(slownessOf(chaos, { subject, step }, speed))
}

const askFaults = ['error', 'too_many', 'lost'] as const

function troubled(deps: RouteDeps, subject: string): Reply | undefined {
  const chance = faultOf(deps.chaos, asking(deps, 'ask', subject), askFaults)
  if (chance === 'error') return serverError()
  if (chance === 'too_many') return tooMany()
  return chance === 'lost' ? { is: 'lost' } : undefined
}

const expanded = ({ query }: Incoming): string[] =>
  [...query.entries()].filter(([name]) => name.startsWith('expand[')).map(([, value]) => value)

async function showOne(deps: RouteDeps, incoming: Incoming, id: string): Promise<Reply> {
  const known = deps.books.sessions.get(id)
  if (known === undefined) return missing('checkout.session', id)
  const trouble = troubled(deps, known.client_reference_id)
  await slowly(deps, 'ask', known.client_reference_id)
  const session = deps.books.sessions.get(id) ?? known
  return trouble ?? json(200, shown(deps, session, expanded(incoming)))
}

const wholeIn = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name)
  return text === null || !/^\d{1,12}$/.test(text) ? undefined : Number(text)
}

/** Newest first, as every list of the operator. */
function listSessions(deps: RouteDeps, { query }: Incoming): Reply {
  const limit = Math.min(100, wholeIn(query, 'limit') ?? 10)
  const [from, to] = [wholeIn(query, 'created[gte]') ?? 0, wholeIn(query, 'created[lte]')]
  const intent = query.get('payment_intent')
  const all = [...deps.books.sessions.values()].reverse().filter((one) => {
    const created = Math.floor(one.created_at / 1000)
    const isOfIntent = intent === null || intentOf(one) === intent
    return isOfIntent && created >= from && created <= (to ?? created)
  })
  const after = query.get('starting_after')
  const begin = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1
  const page = all.slice(begin, begin + limit)
  const data = page.map((one) => shown(deps, one))
  return listOf('/v1/checkout/sessions', data, all.length > begin + limit)
}

async function expireSession(deps: RouteDeps, _: Incoming, id: string): Promise<Reply> {
  const kept = deps.books.sessions.get(id)
  if (kept === undefined) return missing('checkout.session', id)
  const session = asOfNow(kept, deps)
  if (session.paid_at > 0 || session.ended_at > 0 || session.expires_at <= deps.now()) {
    const message = 'Only Checkout Sessions with a status in ["open"] can be expired.'
    return fault(400, { message })
  }
  const ended = { ...session, ended_at: deps.now() }
  deps.books.keep({ session: ended })
  void announceExpired(deps, ended)
  return json(200, shown(deps, ended))
}

function showPayment(deps: RouteDeps, incoming: Incoming, id: string): Reply {
  const session = sessionOfIntent(deps, id)
  if (session === undefined) return missing('payment_intent', id)
  const withCharge = expanded(incoming).includes('latest_charge')
  return json(200, showIntent(session, givenBack(deps, session), withCharge))
}

async function createRefund(deps: RouteDeps, { body }: Incoming): Promise<Reply> {
  const asked = readRefundOrder(body)
  if (isReply(asked)) return asked
  const session = asked.payment_intent
    ? sessionOfIntent(deps, asked.payment_intent)
    : sessionOfCharge(deps, asked.charge)
  if (session === undefined) return missing('payment_intent', asked.payment_intent)
  if (session.paid_at === 0) {
    return invalid(
      'payment_intent',
      'This PaymentIntent does not have a successful charge to refund.',
    )
  }
  if (cardOf(session)?.disputes) {
    const message = 'This charge has been charged back; cannot issue a refund.'
    return fault(400, { code: 'charge_disputed', message })
  }
  const left = movedAmount(session, deps) - givenBack(deps, session)
  if (left === 0) {
    const message = 'The charge has already been refunded.'
    return fault(400, { code: 'charge_already_refunded', message })
  }
  const amount = asked.amount ?? left
  if (amount > left) {
    return invalid(
      'amount',
      `Refund amount (${amount}) is greater than unrefunded amount (${left})`,
    )
  }
  const { reason, metadata } = asked
  const { currency } = session
  const made = {
    id: newId(deps, 're_', session.client_reference_id),
    intent: intentOf(session),
    created_at: deps.now(),
  }
  const refund = { ...made, amount, currency, reason, metadata }
  const chance = faultOf(deps.chaos, asking(deps, 'refund', refund.intent), createFaults)
  if (chance === 'lost_before') return { is: 'lost' }
  if (chance === 'too_many') return tooMany()
  deps.books.keep({ refund })
  announceRefund(deps, refund, session)
  await slowly(deps, 'refund', refund.intent)
  return json(200, showRefund(refund, session, deps, deps.now()))
}

function listRefunds(deps: RouteDeps, { query }: Incoming): Reply {
  const intent = query.get('payment_intent') ?? ''
  const session = sessionOfIntent(deps, intent)
  const all = session === undefined ? [] : refundedOf(deps, session).reverse()
  const data = all.flatMap((one) => session && showRefund(one, session, deps, deps.now()))
  return listOf('/v1/refunds', data)
}

function showOneRefund(deps: RouteDeps, _: Incoming, id: string): Reply {
  const refund = deps.books.refunds.get(id)
  const session = refund && sessionOfIntent(deps, refund.intent)
  if (refund === undefined || session === undefined) return missing('refund', id)
  return troubled(deps, id) ?? json(200, showRefund(refund, session, deps, deps.now()))
}

function listDisputes(deps: RouteDeps, { query }: Incoming): Reply {
  const session = sessionOfIntent(deps, query.get('payment_intent') ?? '')
  const isDisputed = session !== undefined && session.paid_at > 0 && cardOf(session)?.disputes
  return listOf('/v1/disputes', isDisputed ? [showDispute(session)] : [])
}

function showBalance(deps: RouteDeps): Reply {
  const sums = new Map<string, number>()
  for (const kept of deps.books.sessions.values()) {
    const session = asOfNow(kept, deps)
    if (session.paid_at === 0) continue
    const sum = movedAmount(session, deps) - givenBack(deps, session)
    sums.set(session.currency, (sums.get(session.currency) ?? 0) + sum)
  }
  const amounts = sums.size === 0 ? [['usd', 0] as const] : [...sums]
  const available = amounts.map(([currency, amount]) => ({
    ...{ amount, currency },
    source_types: { card: amount },
  }))
  const pending = amounts.map(([currency]) => ({
    ...{ amount: 0, currency },
    source_types: { card: 0 },
  }))
  return json(200, { object: 'balance', available, livemode: false, pending })
}

function createEndpoint(deps: RouteDeps, { body }: Incoming): Reply {
  const form = parseForm(body)
  const url = textOf(form, 'url')
  if (!URL.canParse(url)) return invalid('url', 'Invalid URL', 'url_invalid')
  const enabled_events = [...new URLSearchParams(body)]
    .filter(([name]) => name.startsWith('enabled_events['))
    .map(([, value]) => value)
  if (enabled_events.length === 0) return invalid('enabled_events', 'Missing required param')
  const secret = `whsec_${deps.random(`secret ${url}`, 24).toString('hex')}`
  const made = { id: newId(deps, 'we_', url), created_at: deps.now() }
  const endpoint = { ...made, url, enabled_events, secret }
  deps.books.keep({ endpoint })
  return json(200, { ...showEndpoint(endpoint), secret })
}

const showEndpoint = ({ id, created_at = 0, url, enabled_events }: Endpoint) =>
  whole('webhook_endpoint', {
    ...{ id, created: unix(created_at), enabled_events, livemode: false, status: 'enabled' },
    url,
  })

function listEndpoints({ books }: RouteDeps): Reply {
  return listOf('/v1/webhook_endpoints', [...books.endpoints.values()].map(showEndpoint))
}
