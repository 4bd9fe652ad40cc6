// The operator's addresses: who may call, what is read from the call, which verb answers.
// No rule of money here.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { listBooks, sumBooks } from './books.ts'
import type { Kind, Operator, Order } from './order.ts'
import { languageOf } from './page-frame.ts'
import {
  InvalidField,
  optionalText,
  parseFields,
  parseOrder,
  parseRefund,
  parseResolving,
  requiredText,
} from './parse-order.ts'
import { payPage, unknownPage } from './pay-page.ts'
import { answerQuery, notFound, placeOrder } from './place-order.ts'
import { placeRefund } from './place-refund.ts'
import { json, problem, type Reply } from './reply.ts'
import type { SimulatorDeps } from './simulator-deps.ts'
import { cancelOrder, confirmOtp, decideOrder, resolveOrder, reverseOrder } from './steer-order.ts'

export type Incoming = Readonly<{
  method: string
  /** Decoded parts of the path, without empty ones. */
  path: readonly string[]
  headers: IncomingHttpHeaders
  /** The raw body, empty when there was none. */
  body: string
}>

const noRoute = problem(404, 'NO_SUCH_ROUTE', 'The operator has no such address.')
const unauthorized = problem(401, 'UNAUTHORIZED', 'A valid bearer token is required.')

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Constant time whatever was sent: digests have one length. */
export function createGuard(token: string): (headers: IncomingHttpHeaders) => boolean {
  const expected = digest(`Bearer ${token}`)
  return (headers) => timingSafeEqual(digest(headers.authorization ?? ''), expected)
}

const operators: Readonly<Record<string, Operator>> = { a: 'a', b: 'b' }
const kinds: Readonly<Record<string, Kind>> = {
  collections: 'COLLECTION',
  payouts: 'PAYOUT',
  refunds: 'REFUND',
}

function place(deps: SimulatorDeps, operator: Operator, kind: Kind, body: string): Promise<Reply> {
  const fields = parseFields(body)
  if (kind === 'REFUND') return placeRefund(deps, operator, parseRefund(fields))
  const otp = optionalText(fields, 'otp', { length_max: 32 })
  return placeOrder(deps, { operator, kind, request: parseOrder(fields, kind), otp })
}

function steer(
  deps: SimulatorDeps,
  order: Order,
  action: string,
  body: string,
): Promise<Reply> | Reply {
  switch (action) {
    case 'otp':
      return confirmOtp(deps, order, requiredText(parseFields(body), 'otp', { length_max: 32 }))
    case 'cancel':
      return cancelOrder(deps, order)
    case 'reverse':
      return reverseOrder(deps, order)
    case 'resolve': {
      const fields = parseFields(body)
      const outcome = requiredText(fields, 'outcome', { length_max: 7 })
      const reason = optionalText(fields, 'reason', { length_max: 64 })
      if (outcome === 'SUCCESS') {
        return resolveOrder(deps, order, { status: 'SUCCESSFUL', reason: undefined })
      }
      if (outcome !== 'FAILED') throw new InvalidField('outcome', 'It is SUCCESS or FAILED.')
      return resolveOrder(deps, order, { status: 'FAILED', reason: reason ?? 'NOT_APPROVED' })
    }
    default:
      return noRoute
  }
}

/**
 * `/pay/{token}` is a page of an order; `/pay/{dialect}/{id}` one of an imitation, whose wire is on
 * a port of its own and is not reached from here.
 */
async function answerPayer(
  deps: SimulatorDeps,
  { method, path, headers, body }: Incoming,
): Promise<Reply> {
  const language = languageOf(headers['accept-language'])
  const [, name = '', id = ''] = path
  if (path.length === 3) {
    if (method !== 'GET' && method !== 'POST') return noRoute
    const reply = await deps.dialects.page(name, { method, id, body, language })
    return reply ?? unknownPage(language)
  }
  const order = deps.books.findByPage(path[1] ?? '')
  if (order?.page_token === undefined || path.length !== 2) return unknownPage(language)
  if (method === 'GET') return payPage(order, language)
  if (method !== 'POST') return noRoute
  const decision = new URLSearchParams(body).get('decision')
  // Anything else than a button of ours: show the page again, do nothing.
  if (decision !== 'approve' && decision !== 'refuse') return payPage(order, language)
  decideOrder(deps, order, decision)
  const own_page = `/pay/${order.page_token}`
  const { return_url } = order
  return {
    is: 'see_other',
    location: return_url === undefined ? own_page : new URL(return_url).href,
  }
}

function answerBooks(deps: SimulatorDeps, { method, path }: Incoming): Reply {
  if (method !== 'GET') return noRoute
  if (path.length === 1) return json(200, listBooks(deps.books))
  return path.length === 2 && path[1] === 'totals' ? json(200, sumBooks(deps.books)) : noRoute
}

/**
 * `PUT /dialects/{name}`: starts it where it does not run, and says how it is used.
 * `POST /dialects/{name}/resolve`: a test ends what waits there.
 */
async function answerDialect(deps: SimulatorDeps, incoming: Incoming): Promise<Reply> {
  const { method, path, body } = incoming
  if (method === 'POST' && path.length === 3 && path[2] === 'resolve') {
    const is = await deps.dialects.resolve(path[1] ?? '', parseResolving(parseFields(body)))
    return is === undefined || is === 'missing' ? notFound : json(200, { is })
  }
  if (method !== 'PUT' || path.length !== 2) return noRoute
  const callback_url = requiredText(parseFields(body), 'callback_url', { length_max: 2048 })
  if (!URL.canParse(callback_url)) throw new InvalidField('callback_url', 'It is an address.')
  const opened = await deps.dialects.open(path[1] ?? '', callback_url)
  return opened === undefined ? noRoute : json(200, opened)
}

function answerClient(deps: SimulatorDeps, incoming: Incoming): Promise<Reply> | Reply {
  const { method, path, body } = incoming
  const [first = '', second = '', reference, action] = path
  if (first === 'books') return answerBooks(deps, incoming)
  if (first === 'dialects') return answerDialect(deps, incoming)
  const operator = operators[first]
  const kind = kinds[second]
  if (operator === undefined || kind === undefined || path.length > 4) return noRoute
  if (reference === undefined) {
    return method === 'POST' ? place(deps, operator, kind, body) : noRoute
  }
  const order = deps.books.find({ operator, kind, reference })
  if (order === undefined) return notFound
  if (action === undefined) return method === 'GET' ? answerQuery(deps, order) : noRoute
  return method === 'POST' ? steer(deps, order, action, body) : noRoute
}

/** The answer to any call. What the caller did wrong is an answer too; only bugs are thrown. */
export async function answer(
  deps: SimulatorDeps,
  mayEnter: (headers: IncomingHttpHeaders) => boolean,
  incoming: Incoming,
): Promise<Reply> {
  const { method, path } = incoming
  if (method === 'GET' && path.length === 1 && path[0] === 'healthz') {
    return json(200, { status: 'ok' })
  }
  if (path[0] === 'pay') return answerPayer(deps, incoming)
  if (!mayEnter(incoming.headers)) return unauthorized
  try {
    return await answerClient(deps, incoming)
  } catch (error) {
    if (!(error instanceof InvalidField)) throw error
    const { field, message } = error
    return json(400, { code: 'INVALID_REQUEST', message, field })
  }
}
