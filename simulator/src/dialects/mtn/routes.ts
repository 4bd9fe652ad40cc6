// The routes of this operator: provisioning (in its sandbox only), tokens, create and question of
// the two products, balance and account holders.

import { type Chaos, faultOf, lateBy, rareFaultOf, slownessOf } from '../chaos.ts'
import type { Source } from '../source.ts'
import { type ApiUser, type Books, keyOf } from './books.ts'
import {
  accessDenied,
  coded,
  empty,
  firewall,
  gate,
  json,
  type Reply,
  tooMany,
  unauthorized,
} from './reply.ts'
import {
  callbackOf,
  enter,
  type Incoming,
  readObject,
  readOrder,
  referenceOf,
  refuseKey,
  userOfPair,
} from './request.ts'
import { holderOf, infoOf, type Product } from './scenarios.ts'
import {
  isHidden,
  movedAmount,
  type Pace,
  scenarioFor,
  show,
  stateAt,
  type Transaction,
} from './transaction.ts'

export type OperatorDeps = Pace &
  Readonly<{
    books: Books
    target_environment: string
    currency: string
    /** Whole units that may be paid out, before what was. */
    opening_balance: () => number
    token_life_s: number
    chaos: Chaos | undefined
    /** How often each transaction was asked about, while faults are drawn. */
    asked: Map<string, number>
    /** Sends its callbacks when they are due; resolves when the first has been delivered. */
    schedule: (one: Transaction) => Promise<void>
    now: Source['now']
    random: Source['random']
  }>

type Handler = (deps: OperatorDeps, incoming: Incoming, parts: string[]) => Reply | Promise<Reply>

const product = '(collection|disbursement)'

const routes: readonly Readonly<{ method: string; path: RegExp; handler: Handler }>[] = [
  { method: 'POST', path: /^\/v1_0\/apiuser$/, handler: createUser },
  { method: 'GET', path: /^\/v1_0\/apiuser\/([^/]+)$/, handler: showUser },
  { method: 'POST', path: /^\/v1_0\/apiuser\/([^/]+)\/apikey$/, handler: createKey },
  { method: 'POST', path: new RegExp(`^/${product}/token/$`), handler: createToken },
  {
    method: 'POST',
    path: /^\/(?:(collection)\/v1_0\/requesttopay|(disbursement)\/v1_0\/transfer)$/,
    handler: createTransaction,
  },
  {
    method: 'GET',
    path: /^\/(?:(collection)\/v1_0\/requesttopay|(disbursement)\/v1_0\/transfer)\/([^/]+)$/,
    handler: showTransaction,
  },
  { method: 'GET', path: new RegExp(`^/${product}/v1_0/account/balance$`), handler: showBalance },
  {
    method: 'GET',
    path: new RegExp(`^/${product}/v1_0/accountholder/msisdn/(\\d+)/active$`, 'i'),
    handler: showHolder,
  },
  {
    method: 'GET',
    path: new RegExp(`^/${product}/v1_0/accountholder/msisdn/(\\d+)/basicuserinfo$`, 'i'),
    handler: showHolderInfo,
  },
]

/** Total: an address that the operator does not have is answered by its gate. */
export async function answer(deps: OperatorDeps, incoming: Incoming): Promise<Reply> {
  for (const { method, path, handler } of routes) {
    const found = method === incoming.method ? path.exec(incoming.path) : null
    if (found !== null) return handler(deps, incoming, found.slice(1).filter(Boolean))
  }
  return gate(404, 'Resource not found')
}

const isReply = (value: object): value is Reply => 'is' in value

function createUser({ books }: OperatorDeps, incoming: Incoming): Reply {
  const refusal = refuseKey(incoming)
  if (refusal !== undefined) return refusal
  const id = referenceOf(incoming)
  const callback_host = readObject(incoming.body)?.['providerCallbackHost']
  if (id === undefined || typeof callback_host !== 'string') return gate(400, 'Bad request')
  if (books.users.has(id)) return coded(409, 'RESOURCE_ALREADY_EXIST')
  const subscription_key = incoming.headers['ocp-apim-subscription-key'] ?? ''
  books.keep({ user: { id, callback_host: hostOf(callback_host), subscription_key, api_key: '' } })
  return empty(201)
}

/** Callers write the host with and without a scheme. */
const hostOf = (text: string): string =>
  URL.canParse(text) && text.includes('://') ? new URL(text).hostname : text.split(':')[0] || text

function showUser(
  { books, target_environment }: OperatorDeps,
  incoming: Incoming,
  [id = '']: string[],
) {
  const refusal = refuseKey(incoming)
  if (refusal !== undefined) return refusal
  const user = books.users.get(id.toLowerCase())
  if (user === undefined) return coded(404, 'RESOURCE_NOT_FOUND')
  const shown = { providerCallbackHost: user.callback_host, targetEnvironment: target_environment }
  return json(200, shown)
}

function createKey(
  { books, random }: OperatorDeps,
  incoming: Incoming,
  [id = '']: string[],
): Reply {
  const refusal = refuseKey(incoming)
  if (refusal !== undefined) return refusal
  const user = books.users.get(id.toLowerCase())
  if (user === undefined) return coded(404, 'RESOURCE_NOT_FOUND')
  const api_key = random(`key ${user.id}`, 16).toString('hex')
  books.keep({ user: { ...user, api_key } })
  return json(201, { apiKey: api_key })
}

function createToken(deps: OperatorDeps, incoming: Incoming, [which = '']: string[]): Reply {
  const refusal = refuseKey(incoming)
  if (refusal !== undefined) return refusal
  if (incoming.body !== '') return gate(400, 'Bad request')
  const user = userOfPair(deps.books, incoming)
  if (user === undefined) return json(401, { error: 'login_failed' })
  if (user.subscription_key !== incoming.headers['ocp-apim-subscription-key']) {
    return accessDenied()
  }
  const { token_life_s } = deps
  const life_ms = (token_life_s * 1000) / deps.speed
  const access_token = deps.books.issueToken(productOf(which), user, life_ms)
  return json(200, { access_token, token_type: 'access_token', expires_in: token_life_s })
}

const productOf = (text: string): Product => (text === 'collection' ? 'collection' : 'disbursement')

const createFaults = ['lost_before', 'lost', 'error', 'too_many', 'firewall', 'garbled'] as const

async function createTransaction(
  deps: OperatorDeps,
  incoming: Incoming,
  [which = '']: string[],
): Promise<Reply> {
  const user = enter(deps, incoming, productOf(which))
  if (isReply(user)) return user
  const one = readCreate(deps, incoming, { product: productOf(which), user })
  if (isReply(one)) return one
  const subject = keyOf(one)
  if (isTokenOver(deps, subject, 'create')) return unauthorized()
  const fault = faultOf(deps.chaos, { subject, step: 'create' }, createFaults)
  if (fault === 'lost_before') return { is: 'lost' }
  const scenario = scenarioFor(one, deps)
  const how = fault ?? scenario.answer
  if (how === 'error') return coded(500, 'INTERNAL_PROCESSING_ERROR')
  if (how === 'too_many') return tooMany()
  if (deps.books.transactions.has(subject)) return coded(409, 'RESOURCE_ALREADY_EXIST')
  const kept = byChance(deps, one)
  deps.books.keep({ transaction: kept })
  const delivered = deps.schedule(kept)
  if (how === 'after_callback') await delivered
  await lateBy(slownessOf(deps.chaos, { subject, step: 'create' }, deps.speed))
  return answerTo(how, subject)
}

/** Its account may be empty, and what moves may be another sum, or of another currency. */
function byChance(deps: OperatorDeps, one: Transaction): Transaction {
  const about = { subject: keyOf(one), step: 'moves' }
  const drawn = rareFaultOf(deps.chaos, about, {
    share: 0.3,
    faults: ['amount', 'currency', 'short'],
  })
  const isPayout = one.product === 'disbursement'
  const is_short = isPayout && (drawn === 'short' || Number(one.amount) > balanceOf(deps, one))
  const altered = drawn === 'short' ? undefined : drawn
  return {
    ...one,
    ...(is_short ? { short: true } : {}),
    ...(altered === undefined ? {} : { altered }),
  }
}

/** A token that ends before its time: once for a call, and the next brings another. */
function isTokenOver(deps: OperatorDeps, subject: string, step: string): boolean {
  const name = `token ${subject} ${step}`
  if (deps.chaos === undefined || deps.asked.has(name)) return false
  deps.asked.set(name, 1)
  const about = { subject, step: `token ${step}` }
  return rareFaultOf(deps.chaos, about, { share: 0.3, faults: ['over'] }) !== undefined
}

function answerTo(how: string, subject: string): Reply {
  if (how === 'lost') return { is: 'lost' }
  if (how === 'garbled') return { is: 'garbled', status: 202 }
  return how === 'firewall' ? firewall(subject) : empty(202)
}

function readCreate(
  deps: OperatorDeps,
  incoming: Incoming,
  { product, user }: Readonly<{ product: Product; user: ApiUser }>,
): Transaction | Reply {
  const reference = referenceOf(incoming)
  if (reference === undefined) return gate(400, 'Bad request')
  const order = readOrder(product, incoming.body, deps.currency)
  if (isReply(order)) return order
  const callback_url = callbackOf(user, incoming)
  if (typeof callback_url !== 'string') return callback_url
  return { product, reference, ...order, callback_url, created_at: deps.now() }
}

const askFaults = ['error', 'too_many', 'firewall', 'lost'] as const

async function showTransaction(
  deps: OperatorDeps,
  incoming: Incoming,
  [which = '', reference = '']: string[],
): Promise<Reply> {
  const product = productOf(which)
  const user = enter(deps, incoming, product)
  if (isReply(user)) return user
  const subject = keyOf({ product, reference })
  const asks = deps.asked.get(subject) ?? 0
  if (isTokenOver(deps, subject, `ask ${asks}`)) return unauthorized()
  if (deps.chaos !== undefined) deps.asked.set(subject, asks + 1)
  await lateBy(slownessOf(deps.chaos, { subject, step: `ask ${asks}` }, deps.speed))
  const fault = faultOf(deps.chaos, { subject, step: `ask ${asks}` }, askFaults)
  if (fault === 'lost') return { is: 'lost' }
  if (fault === 'error') return coded(500, 'INTERNAL_PROCESSING_ERROR')
  if (fault === 'too_many') return tooMany()
  if (fault === 'firewall') return firewall(subject)
  const one = deps.books.transactions.get(subject)
  const now = deps.now()
  if (one === undefined || isHidden(one, deps, now)) return coded(404, 'RESOURCE_NOT_FOUND')
  return json(200, show(one, deps, now))
}

function showBalance(deps: OperatorDeps, incoming: Incoming, [which = '']: string[]): Reply {
  const product = productOf(which)
  const user = enter(deps, incoming, product)
  if (isReply(user)) return user
  const balance = balanceOf(deps, { product })
  return json(200, { availableBalance: String(balance), currency: deps.currency })
}

/** Whole units: what was collected, or what is left to pay out. */
export function balanceOf(deps: OperatorDeps, { product }: Pick<Transaction, 'product'>): number {
  const moved = [...deps.books.transactions.values()]
    .filter((one) => one.product === product)
    .filter((one) => stateAt(one, deps, deps.now()).status === 'SUCCESSFUL')
    .reduce((sum, one) => sum + Number(movedAmount(one, deps)), 0)
  return product === 'collection' ? moved : deps.opening_balance() - moved
}

function showHolder(deps: OperatorDeps, incoming: Incoming, [which = '', msisdn = '']: string[]) {
  const holder = foundHolder(deps, incoming, [which, msisdn])
  return isReply(holder) ? holder : json(200, { result: holder.is_active })
}

function showHolderInfo(deps: OperatorDeps, incoming: Incoming, parts: string[]): Reply {
  const holder = foundHolder(deps, incoming, parts)
  return isReply(holder) ? holder : json(200, infoOf(parts[1] ?? ''))
}

function foundHolder(
  deps: OperatorDeps,
  incoming: Incoming,
  [which = '', msisdn = '']: string[],
): Readonly<{ is_active: boolean }> | Reply {
  const user = enter(deps, incoming, productOf(which))
  if (isReply(user)) return user
  const holder = holderOf(msisdn)
  if (holder === 'missing') return coded(404, 'RESOURCE_NOT_FOUND')
  if (holder !== 'active' && holder !== 'inactive') return coded(500, holder)
  return { is_active: holder === 'active' }
}
