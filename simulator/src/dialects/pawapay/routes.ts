// The routes of this operator: the three creates and their questions, what is done to an enqueued
// payout, the lists of an account, and the payer's page.

import { drawn, faultOf, lateBy, rareFaultOf, slownessOf } from '../chaos.ts'
import { availability, balances, keyList, predicted, setupOf } from './lists.ts'
import { balanceOf, limitsOf, type OperatorDeps, worksAt } from './operator.ts'
import { afterPage, payerPage } from './page.ts'
import { idField, isHidden, type Payment, show, stateAt, timeOf } from './payment.ts'
import { providers } from './providers.ts'
import { isReply, json, type Reply } from './reply.ts'
import {
  amountFault,
  type Fields,
  type Incoming,
  readBody,
  readOrder,
  refuseCaller,
  rejected,
  technical,
} from './request.ts'
import { type Operation, scenarioOf, withoutFunds } from './scenarios.ts'
import { refuseUnsigned } from './verify-request.ts'

type Handler = (deps: OperatorDeps, incoming: Incoming, parts: string[]) => Reply | Promise<Reply>

const operation = '(deposits|payouts|refunds)'

const routes: readonly Readonly<{ method: string; path: RegExp; handler: Handler }>[] = [
  { method: 'POST', path: new RegExp(`^/v2/${operation}$`), handler: createPayment },
  { method: 'GET', path: new RegExp(`^/v2/${operation}/([^/]+)$`), handler: showPayment },
  { method: 'POST', path: /^\/v2\/payouts\/fail-enqueued\/([^/]+)$/, handler: cancelEnqueued },
  {
    method: 'POST',
    path: new RegExp(`^/v2/${operation}/resend-callback/([^/]+)$`),
    handler: resendCallback,
  },
  { method: 'GET', path: /^\/v2\/wallet-balances$/, handler: balances },
  { method: 'GET', path: /^\/v2\/active-conf$/, handler: setupOf },
  { method: 'GET', path: /^\/v2\/public-key\/http$/, handler: keyList },
  { method: 'POST', path: /^\/v2\/predict-provider$/, handler: predicted },
]

/** Of these anybody may ask. */
const open: typeof routes = [
  { method: 'GET', path: /^\/v2\/availability$/, handler: availability },
  { method: 'GET', path: /^\/authorize\/([^/]+)$/, handler: showPage },
  { method: 'POST', path: /^\/authorize\/([^/]+)$/, handler: decideOnPage },
]

export async function answer(deps: OperatorDeps, incoming: Incoming): Promise<Reply> {
  for (const { method, path, handler } of [...open, ...routes]) {
    const found = method === incoming.method ? path.exec(incoming.path) : null
    if (found === null) continue
    const isOpen = open.some((one) => one.path === path)
    const refusal = isOpen ? undefined : refuseCaller(incoming, deps.token)
    return refusal ?? handler(deps, incoming, found.slice(1))
  }
  return json(404, { timestamp: timeOf(deps.now()), status: 404, error: 'Not Found' })
}

const operationIn = (text: string): Operation =>
  text === 'deposits' ? 'deposits' : text === 'payouts' ? 'payouts' : 'refunds'

const createFaults = ['lost_before', 'lost', 'error', 'garbled'] as const

async function createPayment(
  deps: OperatorDeps,
  incoming: Incoming,
  [which = '']: string[],
): Promise<Reply> {
  const { body } = incoming
  const key = deps.caller_key()
  const unsigned = key && refuseUnsigned(incoming, key, deps.now())
  if (unsigned !== undefined) return unsigned
  const operation = operationIn(which)
  const fields = readBody(operation, body)
  if (isReply(fields)) return fields
  const one = operation === 'refunds' ? readRefund(deps, fields) : readNew(deps, operation, fields)
  if (isReply(one)) return one
  const fault = faultOf(deps.chaos, { subject: one.id, step: 'create' }, createFaults)
  if (fault === 'lost_before') return { is: 'lost' }
  const scenario = scenarioFor(deps, one)
  const how = fault ?? scenario.answer
  if (how === 'error') return serverError()
  const known = deps.books.payments.get(one.id)
  if (known !== undefined) return duplicate(known)
  if (scenario.rejected !== '') return rejected(one, scenario.rejected)
  const delivered = deps.change(byChance(deps, one))
  if (how === 'after_callback') await delivered
  await lateBy(slownessOf(deps.chaos, { subject: one.id, step: 'create' }, deps.pace().speed))
  if (how === 'lost') return { is: 'lost' }
  return how === 'garbled' ? { is: 'garbled' } : accepted(one)
}

const serverError = (): Reply => technical(500, 'UNKNOWN_ERROR', 'An unknown error occurred')

/** At most so long a payout waits in the operator's queue by chance. Milliseconds, unscaled. */
const queueMost_ms = 600_000

/** What moves may be another sum, or of another currency; a payout may wait in a queue first. */
function byChance({ chaos, now, pace }: OperatorDeps, one: Payment): Payment {
  const about = { subject: one.id, step: 'moves' }
  const isPayout = one.operation === 'payouts'
  const faults = isPayout
    ? (['amount', 'currency', 'queued'] as const)
    : (['amount', 'currency'] as const)
  const fault = rareFaultOf<'amount' | 'currency' | 'queued'>(chaos, about, { share: 0.3, faults })
  if (chaos === undefined || fault === undefined) return one
  if (fault !== 'queued') return { ...one, altered: fault }
  const wait_ms = (drawn(chaos, one.id, 'queue') * queueMost_ms) / pace().speed
  return { ...one, enqueued: true, released_at: now() + wait_ms }
}

/** By chance the wallet is empty just now, whatever is in it. */
const isFloatOver = ({ chaos }: OperatorDeps, { id }: Payment): boolean =>
  rareFaultOf(chaos, { subject: id, step: 'float' }, { share: 0.3, faults: ['over'] }) !== undefined

const scenarioFor = (deps: OperatorDeps, one: Payment) =>
  one.operation === 'payouts' &&
  (isFloatOver(deps, one) || Number(one.amount) > balanceOf(deps, one.country))
    ? withoutFunds
    : scenarioOf(one.operation, one.msisdn, deps.pace().misbehaves)

const accepted = (one: Payment): Reply =>
  json(200, {
    ...idField(one),
    status: 'ACCEPTED',
    ...(one.operation === 'deposits' ? { nextStep: firstStep(one) } : {}),
    created: timeOf(one.created_at),
  })

/** It has the moment of the one that is there. */
const duplicate = (known: Payment): Reply =>
  json(200, {
    ...idField(known),
    status: 'DUPLICATE_IGNORED',
    created: timeOf(known.created_at),
  })

const firstStep = ({ page_at }: Payment): string =>
  page_at === undefined ? 'FINAL_STATUS' : 'GET_AUTH_URL'

/** A provider that is closed takes nothing. */
const closedTo = (about: Pick<Payment, 'operation' | 'id'>): Reply =>
  rejected(about, 'PROVIDER_TEMPORARILY_UNAVAILABLE')

const textIn = (fields: Fields, name: string): string =>
  typeof fields[name] === 'string' ? fields[name] : ''

function readNew(
  deps: OperatorDeps,
  operation: 'deposits' | 'payouts',
  fields: Fields,
): Payment | Reply {
  const order = readOrder(operation, fields, (name) => limitsOf(deps, name, operation))
  if (isReply(order)) return order
  if (worksAt(deps, order.provider.provider, operation) === 'CLOSED') return closedTo(order)
  const { provider, ...rest } = order
  const isPaged = operation === 'deposits' && provider.auth === 'REDIRECT_AUTH'
  const later = deps.delays.pages ? 0 : deps.now() + deps.page_after_ms / deps.pace().speed
  return {
    ...rest,
    country: provider.country,
    provider: provider.provider,
    message: textIn(fields, 'customerMessage'),
    client_reference: textIn(fields, 'clientReferenceId'),
    successful_url: textIn(fields, 'successfulUrl'),
    failed_url: textIn(fields, 'failedUrl'),
    deposit_id: '',
    created_at: deps.now(),
    ...(isPaged ? { page_at: later } : {}),
    ...(operation === 'payouts' && deps.delays.payouts ? { enqueued: true as const } : {}),
  }
}

function readRefund(deps: OperatorDeps, fields: Fields): Payment | Reply {
  const id = textIn(fields, 'refundId').toLowerCase()
  const about = { operation: 'refunds', id } as const
  const known = deps.books.payments.get(id)
  if (known !== undefined) return duplicate(known)
  const deposit = deps.books.payments.get(textIn(fields, 'depositId').toLowerCase())
  if (deposit?.operation !== 'deposits') return rejected(about, 'NOT_FOUND')
  const stateOf = (one: Payment) => stateAt(one, deps.pace(), deps.now()).status
  if (stateOf(deposit) !== 'COMPLETED') return rejected(about, 'INVALID_STATE')
  const earlier = [...deps.books.payments.values()].filter(
    (one) => one.deposit_id === deposit.id && stateOf(one) !== 'FAILED',
  )
  const left = Number(deposit.amount) - earlier.reduce((sum, { amount }) => sum + Number(amount), 0)
  if (earlier.some((one) => stateOf(one) !== 'COMPLETED')) {
    return rejected(about, 'REFUND_IN_PROGRESS')
  }
  if (left <= 0) return rejected(about, 'DEPOSIT_ALREADY_REFUNDED')
  const amount = textIn(fields, 'amount') || String(left)
  const provider = providers.get(deposit.provider)
  const fault =
    provider && amountFault(amount, provider, limitsOf(deps, provider.provider, 'refunds'))
  if (fault !== undefined) return rejected(about, fault)
  if (Number(amount) > left) return rejected(about, 'AMOUNT_TOO_LARGE')
  const { currency = deposit.currency } = fields
  if (currency !== deposit.currency) return rejected(about, 'INVALID_CURRENCY')
  const { successful_url: _, failed_url: _f, page_at: _p, decided: _d, ...rest } = deposit
  return {
    ...{ ...rest, ...about, amount, successful_url: '', failed_url: '' },
    ...{ deposit_id: deposit.id, created_at: deps.now() },
  }
}

const askFaults = ['error', 'garbled', 'lost'] as const

async function showPayment(
  deps: OperatorDeps,
  _incoming: Incoming,
  [which = '', id = '']: string[],
): Promise<Reply> {
  const asks = deps.asked.get(id) ?? 0
  if (deps.chaos !== undefined) deps.asked.set(id, asks + 1)
  await lateBy(slownessOf(deps.chaos, { subject: id, step: `ask ${asks}` }, deps.pace().speed))
  const fault = faultOf(deps.chaos, { subject: id, step: `ask ${asks}` }, askFaults)
  if (fault === 'lost') return { is: 'lost' }
  if (fault === 'garbled') return { is: 'garbled' }
  if (fault === 'error') return serverError()
  const one = deps.books.payments.get(id.toLowerCase())
  const now_ms = deps.now()
  const isShown = one?.operation === operationIn(which) && !isHidden(one, deps.pace(), now_ms)
  if (!isShown) return json(200, { status: 'NOT_FOUND' })
  const data = show(one, deps.pace(), { now_ms, is_callback: false })
  return json(200, { status: 'FOUND', data })
}

async function cancelEnqueued(
  deps: OperatorDeps,
  _incoming: Incoming,
  [id = '']: string[],
): Promise<Reply> {
  const one = deps.books.payments.get(id.toLowerCase())
  const about = { operation: 'payouts', id } as const
  if (one?.operation !== 'payouts') return rejected(about, 'NOT_FOUND')
  if (stateAt(one, deps.pace(), deps.now()).status !== 'ENQUEUED') {
    return rejected(about, 'INVALID_STATE')
  }
  void deps.change({ ...one, cancelled_at: deps.now() })
  return json(200, { ...idField(one), status: 'ACCEPTED' })
}

async function resendCallback(
  deps: OperatorDeps,
  _incoming: Incoming,
  [which = '', id = '']: string[],
): Promise<Reply> {
  const one = deps.books.payments.get(id.toLowerCase())
  const about = { operation: operationIn(which), id }
  if (one === undefined) return rejected(about, 'NOT_FOUND')
  const { status } = stateAt(one, deps.pace(), deps.now())
  if (status !== 'COMPLETED' && status !== 'FAILED') return rejected(about, 'INVALID_STATE')
  void deps.send(one)
  return json(200, { ...idField(one), status: 'ACCEPTED' })
}

const missing = (): Reply => ({ is: 'html', status: 404, html: 'Not found' })

function showPage({ books, pace, now }: OperatorDeps, _incoming: Incoming, [id = '']: string[]) {
  const one = books.payments.get(id.toLowerCase())
  return one?.page_at === undefined ? missing() : payerPage(one, pace(), now())
}

async function decideOnPage(
  deps: OperatorDeps,
  { body }: Incoming,
  [id = '']: string[],
): Promise<Reply> {
  const one = deps.books.payments.get(id.toLowerCase())
  if (one?.page_at === undefined) return missing()
  const outcome = new URLSearchParams(body).get('outcome') === 'pay' ? 'pay' : 'refuse'
  if (stateAt(one, deps.pace(), deps.now()).next_step !== 'REDIRECT_TO_AUTH_URL') {
    return payerPage(one, deps.pace(), deps.now())
  }
  void deps.change({ ...one, decided: { at: deps.now(), outcome } })
  return afterPage(one, outcome)
}
