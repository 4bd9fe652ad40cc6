// The routes of this operator: a token, a payment, its status, and the page for a payer where it is
// not elsewhere. Bodies are in the forms that integrations of others show: no official text was
// read (docs/operators/orange.md).

import { createHash } from 'node:crypto'
import { languageOf, type PageReply } from '../../page-frame.ts'
import { type Chaos, faultOf, lateBy, slownessOf } from '../chaos.ts'
import type { Source } from '../source.ts'
import { type PageDeps, servePage } from './page.ts'
import { type Payment, statusAt, txnidOf } from './payments.ts'
import { type CreateAnswer, scenarioOf } from './scenarios.ts'

export type Incoming = Readonly<{
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body: string
}>

export type Reply =
  | Readonly<{ is: 'json'; status: number; body: unknown }>
  /** Of a document that is none. */
  | Readonly<{ is: 'garbage' }>
  | PageReply
  /** No answer at all: the connection is kept open, then broken. */
  | Readonly<{ is: 'lost' }>

export type OperatorDeps = PageDeps &
  Readonly<{
    client_id: string
    client_secret: string
    merchant_key: string
    country_path: string
    currency: string
    /** Divides what payers wait, where they act by themselves. */
    speed: number
    plays: () => boolean
    token_life_s: number
    tokens: Map<string, number>
    chaos: Chaos | undefined
    /** Loses the answers to the next so many creates, after they were made. */
    loses: { creates: number }
    asked: Map<string, number>
    /** Once what a payer will do by itself has been done. */
    play: (one: Payment) => void
    /** Of the page of a payment. */
    page_url: (pay_token: string) => string
    /** Its pages are not on this port. */
    pages_elsewhere: boolean
    random: Source['random']
  }>

const json = (status: number, body: unknown): Reply => ({ is: 'json', status, body })

const refused = (status: number, code: number, message: string, description: string): Reply =>
  json(status, { code, message, description })

export async function answer(deps: OperatorDeps, incoming: Incoming): Promise<Reply> {
  const { method, path } = incoming
  const page = deps.pages_elsewhere ? null : /^\/payment\/pay_token\/(\w+)$/.exec(path)
  if (page !== null) {
    const language = languageOf(incoming.headers['accept-language'])
    return servePage(deps, { method, id: page[1] ?? '', body: incoming.body, language })
  }
  if (method === 'POST' && path === '/oauth/v3/token') return giveToken(deps, incoming)
  const api = `/orange-money-webpay/${deps.country_path}/v1`
  if (method !== 'POST' || !path.startsWith(`${api}/`)) {
    return refused(404, 60, 'Resource not found', 'The requested URI does not exist.')
  }
  const [, token = ''] = /^Bearer (\S+)$/.exec(incoming.headers['authorization'] ?? '') ?? []
  if ((deps.tokens.get(token) ?? 0) <= deps.now()) {
    return refused(401, 42, 'Expired credentials', 'The requested service needs credentials.')
  }
  if (path === `${api}/webpayment`) return createPayment(deps, incoming)
  if (path === `${api}/transactionstatus`) return showStatus(deps, incoming)
  return refused(404, 60, 'Resource not found', 'The requested URI does not exist.')
}

function giveToken(deps: OperatorDeps, { headers, body }: Incoming): Reply {
  if (!/application\/json|\*\/\*/.test(headers['accept'] ?? '')) {
    return json(406, { error: 'not_acceptable', error_description: 'Accept JSON.' })
  }
  const pair = Buffer.from(`${deps.client_id}:${deps.client_secret}`).toString('base64')
  if (headers['authorization'] !== `Basic ${pair}`) {
    return json(401, { error: 'invalid_client', error_description: 'Unknown client.' })
  }
  if (new URLSearchParams(body).get('grant_type') !== 'client_credentials') {
    return json(400, { error: 'unsupported_grant_type', error_description: 'Unknown grant.' })
  }
  const access_token = deps.random('token', 24).toString('base64url')
  deps.tokens.set(access_token, deps.now() + deps.token_life_s * 1000)
  return json(200, { token_type: 'Bearer', access_token, expires_in: deps.token_life_s })
}

const textMax = 30
const names = [
  ...['merchant_key', 'currency', 'order_id', 'amount', 'return_url', 'cancel_url'],
  ...['notif_url', 'lang', 'reference'],
]

type Fields = Readonly<Record<string, unknown>>

const invalid = (description: string): Reply => refused(400, 22, 'Invalid body', description)
const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && /^https?:/.test(value)
const isShort = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= textMax

function readObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** What is wrong with a create; undefined for one that is right. */
function faultIn(deps: OperatorDeps, fields: Fields): Reply | undefined {
  const { order_id, amount, currency, reference, return_url, cancel_url, notif_url } = fields
  const missing = names.find((name) => fields[name] === undefined || fields[name] === '')
  if (missing !== undefined) return refused(400, 23, 'Missing body field', `${missing} is missing`)
  const strange = Object.keys(fields).find((name) => !names.includes(name))
  if (strange !== undefined) return invalid(`Unknown field ${strange}.`)
  if (fields['merchant_key'] !== deps.merchant_key) {
    return refused(401, 41, 'Invalid credentials', 'Unknown merchant key.')
  }
  if (currency !== deps.currency) return invalid('Unknown currency.')
  if (!isShort(order_id) || !isShort(reference)) return invalid('At most thirty signs.')
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 1) {
    return invalid('A whole amount.')
  }
  if (!isAddress(return_url) || !isAddress(cancel_url) || !isAddress(notif_url)) {
    return invalid('Three addresses.')
  }
  // An order id is good for one payment, and is refused whatever became of it.
  return deps.books.orders.has(order_id)
    ? refused(403, 50, 'Forbidden', 'This order id was used.')
    : undefined
}

async function createPayment(deps: OperatorDeps, { body }: Incoming): Promise<Reply> {
  const fields = readObject(body)
  if (fields === undefined) return invalid('The body is no object.')
  const fault = faultIn(deps, fields)
  if (fault !== undefined) return fault
  const payment = newPayment(deps, fields)
  const how = answerTo(deps, payment)
  if (how === 'error') return refused(500, 1, 'Internal error', 'Try later.')
  if (how === 'refused') return refused(403, 50, 'Access denied', 'Not for this merchant.')
  deps.books.keep({ payment })
  deps.play(payment)
  await slowly(deps, payment, 'create')
  if (how === 'lost') return { is: 'lost' }
  if (how === 'garbled') return { is: 'garbage' }
  return json(201, {
    ...{ status: 201, message: 'OK', pay_token: payment.pay_token },
    payment_url: deps.page_url(payment.pay_token),
    notif_token: payment.notif_token,
  })
}

function newPayment(deps: OperatorDeps, fields: Fields): Payment {
  const text = (name: string): string => String(fields[name])
  const order_id = text('order_id')
  const amount = Number(fields['amount'])
  const digest = createHash('sha256').update(`${deps.merchant_key} ${order_id}`).digest('hex')
  const now = deps.now()
  const { act } = scenarioOf(amount, deps.plays())
  return {
    ...{
      pay_token: deps.random(`page ${order_id}`, 32).toString('hex'),
      notif_token: digest.slice(0, 32),
    },
    ...{ order_id, amount, currency: deps.currency, reference: text('reference') },
    ...{ return_url: text('return_url'), cancel_url: text('cancel_url') },
    ...{ notif_url: text('notif_url'), created_at: now },
    acts: act === undefined ? [] : [{ at: now + act.after_ms / deps.speed, does: act.does }],
  }
}

/** By chance, because a test asked for it, or by its amount. */
function answerTo(deps: OperatorDeps, { order_id, amount }: Payment): CreateAnswer {
  const faults = ['lost', 'error'] as const
  const fault = faultOf(deps.chaos, { subject: order_id, step: 'create' }, faults)
  if (fault !== undefined) return fault
  if (deps.loses.creates === 0) return scenarioOf(amount, deps.plays()).answer
  deps.loses.creates -= 1
  return 'lost'
}

/** For as long as an answer is on the way, which is mostly no time. */
const slowly = ({ chaos, speed }: OperatorDeps, { order_id: subject }: Payment, step: string) =>
  lateBy(slownessOf(chaos, { subject, step }, speed))

async function showStatus(deps: OperatorDeps, { body }: Incoming): Promise<Reply> {
  const fields = readObject(body) ?? {}
  const { order_id, amount, pay_token } = fields
  const missing = ['order_id', 'amount', 'pay_token'].find((name) => !fields[name])
  if (missing !== undefined) return refused(400, 23, 'Missing body field', `${missing} is missing`)
  const one = typeof pay_token === 'string' ? deps.books.payments.get(pay_token) : undefined
  if (one === undefined || one.order_id !== order_id || one.amount !== amount) {
    return refused(404, 60, 'Resource not found', 'Unknown transaction.')
  }
  const asks = deps.asked.get(one.order_id) ?? 0
  deps.asked.set(one.order_id, asks + 1)
  const about = { subject: one.order_id, step: `ask ${asks}` }
  if (faultOf(deps.chaos, about, ['error'] as const) !== undefined) {
    return refused(503, 5, 'The service is temporarily unavailable', 'Try later.')
  }
  await slowly(deps, one, about.step)
  const kept = deps.books.payments.get(one.pay_token) ?? one
  const status = statusAt(kept, deps.life_ms, deps.now())
  return json(201, { status, order_id, txnid: status === 'SUCCESS' ? txnidOf(one) : '' })
}
