// Takes a new order. Law: one reference is one order for as long as it is remembered
// (`order-memory.ts`); a second call with it answers 409 and moves nothing, and a refusal leaves no
// trace.

import { randomBytes } from 'node:crypto'
import { follow } from './end-order.ts'
import { type Script, scriptOf } from './magic-numbers.ts'
import {
  hasEnded,
  type Kind,
  type Operator,
  type Order,
  type OrderRequest,
  type OrderView,
  viewOrder,
} from './order.ts'
import { json, problem, type Reply } from './reply.ts'
import { later, type SimulatorDeps } from './simulator-deps.ts'

export const right_otp = '123456'

/** How long number 08 waits with its answer after the callback. Not scaled: it is a minimum. */
const after_callback_ms = 300

export type OrderPlacement = Readonly<{
  operator: Operator
  kind: Kind
  request: OrderRequest
  otp: string | undefined
}>

function newOrder({ operator, kind, request }: OrderPlacement): Order {
  const waits_for_otp = request.flow === 'push' && request.otp_kind === 'POST'
  return {
    ...request,
    operator,
    kind,
    id: `SIM${randomBytes(10).toString('hex').toUpperCase()}`,
    status: waits_for_otp ? 'OTP_REQUIRED' : 'PENDING',
    reason: undefined,
    created_at: Date.now(),
    debited_at: undefined,
    moved_amount: undefined,
    turns: [],
    calls: [],
    page_token: request.flow === 'redirect' ? randomBytes(24).toString('base64url') : undefined,
  }
}

function refusalOf({ request, otp }: OrderPlacement, script: Script): Reply | undefined {
  const wrong_otp = request.otp_kind === 'PRE' && otp !== right_otp
  const invalid_otp = { code: 'INVALID_OTP', message: 'The code is missing or wrong.' }
  const refusal = script.refusal ?? (wrong_otp ? invalid_otp : undefined)
  // Real operators refuse with 200.
  return refusal && json(200, { status: 'REFUSED', ...refusal })
}

function accepted(deps: SimulatorDeps, order: Order): Reply {
  const { id, reference, status } = order
  return json(202, { id, reference, status, ...pageOf(deps, order) })
}

/** Answers as the script wants it: at once, only after its callback was delivered, or never. */
export async function answerBy(
  deps: SimulatorDeps,
  script: Script,
  delivered: Promise<void>,
  reply: Reply,
): Promise<Reply> {
  if (script.answer === 'lost') return { is: 'lost' }
  if (script.answer === 'after_callback') {
    await delivered
    const answer_at = Date.now() + after_callback_ms
    await new Promise<void>((resolve) => deps.alarms.at(answer_at, resolve))
  }
  return reply
}

export async function placeOrder(deps: SimulatorDeps, placement: OrderPlacement): Promise<Reply> {
  const { operator, kind, request } = placement
  const existing = deps.books.find({ operator, kind, reference: request.reference })
  if (existing) return json(409, { code: 'ALREADY_EXISTS', collection: showOrder(deps, existing) })

  const { msisdn, description } = request
  const script = scriptOf(deps, { operator, kind, msisdn, description })
  if (script.answer === 'broken') return problem(500, 'INTERNAL_ERROR', 'Something went wrong.')
  const refusal = refusalOf(placement, script)
  if (refusal) return refusal

  const order = newOrder(placement)
  const reply: Reply = script.answer === 'garbled' ? { is: 'garbled' } : accepted(deps, order)
  const waits_for_payer = order.status === 'OTP_REQUIRED' || order.page_token !== undefined
  if (waits_for_payer) {
    deps.books.save(order)
    return reply
  }
  return answerBy(deps, script, follow(deps, order, script.turns), reply)
}

export const notFound: Reply = problem(404, 'NOT_FOUND', 'No order has this reference.')

/** The status query. Number 9914 is not found at first, although it was accepted. */
export function answerQuery(deps: SimulatorDeps, order: Order): Reply {
  const seen_at = later(deps, order.created_at, scriptOf(deps, order).hidden_ms)
  const hidden = order.status !== 'SUCCESSFUL' && Date.now() < seen_at
  return hidden ? notFound : json(200, showOrder(deps, order))
}

// An order as every answer to its client shows it. While its payer has still to decide on the page,
// the page's address is in it, so that a client that lost the first answer can read it again.

/** The address of the order's page; nothing for an order without one, or one that ended. */
export function pageOf(deps: SimulatorDeps, order: Order): { checkout_url?: string } {
  const { page_token } = order
  if (page_token === undefined || hasEnded(order)) return {}
  return { checkout_url: `${deps.publicUrl()}/pay/${page_token}` }
}

export function showOrder(
  deps: SimulatorDeps,
  order: Order,
): OrderView & { checkout_url?: string } {
  return { ...viewOrder(order), ...pageOf(deps, order) }
}
