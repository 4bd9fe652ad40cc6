// What happens in a world: each event starts lines of work, as merchants, payers, operators,
// pollers and forgers would.

import { listDueAttempts } from '../../src/attempts/due.ts'
import { receiveCallback } from '../../src/attempts/receive-callback.ts'
import { Invalid, Refusal } from '../../src/platform/errors.ts'
import { askAttempt } from '../../src/transactions/ask-attempt.ts'
import { bodyOf, type Order, rightOtp, sign } from './operator.ts'
import { callRoute, deskOf, handsOf, ordersOf, type Scene } from './scene.ts'
import { age, networks } from './stage.ts'
import type { Line } from './turns.ts'
import type { Crash, Event, Saying } from './world.ts'

type Act = Readonly<{ what: string; crash: Crash | null; work: (line: Line) => Promise<void> }>

/** Starts a line of work. A refusal is an answer; whatever else it throws is a bug. */
export function start(scene: Scene, { what, crash, work }: Act): void {
  scene.lines += 1
  scene.turns.start(`${scene.lines} ${what}`, crash, async (line) => {
    try {
      await work(line)
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof Invalid)) throw error
    }
  })
}

/** Begins an event; what it needs to know beforehand is read while nothing else is under way. */
export async function begin(scene: Scene, event: Event): Promise<void> {
  switch (event.is) {
    case 'initialize':
      return initialize(scene, event.payment, event.crash)
    case 'retry':
    case 'confirm':
    case 'verify':
      return onPayment(scene, event)
    case 'poll':
      return poll(scene, event.crash)
    case 'age':
      return pass(scene, event.seconds)
    case 'operator':
      return act(scene, event)
    case 'callback':
      return callBack(scene, event)
  }
}

export const initializeKey = (payment: number): string => `initialize-${payment}`

export function initialize(scene: Scene, at: number, crash: Crash | null): void {
  const payment = scene.world.payments[at]
  if (payment === undefined) return
  const body = {
    amount: String(payment.amount),
    currency: 'XOF',
    country: 'BJ',
    network: networks[payment.network],
    customer: {
      email: 'awa@example.com',
      first_name: 'Awa',
      last_name: 'Diop',
      phone: `+22901970000${10 + at}`,
    },
    fee_charge_mode: payment.mode,
    otp: rightOtp,
    merchant_reference: `payment-${at}`,
  }
  const call = { path: '/payments/softpay/initialize/', params: {}, body, key: initializeKey(at) }
  start(scene, {
    what: `initialize ${at}`,
    crash,
    work: async (line) => {
      await callRoute(scene, line, call)
    },
  })
}

type OnPayment = Extract<Event, { is: 'retry' | 'confirm' | 'verify' }>

async function onPayment(scene: Scene, event: OnPayment): Promise<void> {
  const payment_id = await transactionOf(scene, event.payment)
  if (payment_id === undefined) return
  const params = { payment_id }
  const what = `${event.is} ${event.payment}`
  const calls = callsOf(event).map((call) => ({ ...call, params }))
  start(scene, {
    what,
    crash: event.crash,
    work: async (line) => {
      for (const [at, call] of calls.entries()) {
        try {
          await callRoute(scene, line, call)
        } catch (error) {
          if (!(error instanceof Refusal) || at + 1 === calls.length) throw error
        }
      }
    },
  })
}

function callsOf(event: OnPayment): { path: string; body: unknown; key: string | undefined }[] {
  switch (event.is) {
    case 'retry': {
      const methods = event.how === 0 ? [] : [networks[event.how - 1]]
      const key = event.keyed ? `retry-${event.payment}-${event.how}` : undefined
      return [{ path: '/payments/:payment_id/retry/', body: { methods, otp: rightOtp }, key }]
    }
    case 'confirm': {
      const otp = event.right ? rightOtp : '000000'
      const key = event.right ? `confirm-${event.payment}` : undefined
      const call = { path: '/payments/:payment_id/confirm-otp/', body: { otp }, key }
      return Array.from({ length: event.right ? 1 : event.times }, () => call)
    }
    case 'verify':
      return [{ path: '/payments/:payment_id/verify/', body: {}, key: undefined }]
  }
}

/** What the merchant knows by his own reference, once it is there. */
async function transactionOf(scene: Scene, payment: number): Promise<string | undefined> {
  const known = scene.transactions.get(payment)
  if (known !== undefined) return known
  const [row] = await scene.stage.owner<{ id: string }[]>`
    select id from transactions
     where merchant_id = ${scene.merchant_id} and merchant_reference = ${`payment-${payment}`}`
  if (row !== undefined) scene.transactions.set(payment, row.id)
  return row?.id
}

const dueMax = 10_000

/** The pollers of both operators, for this world's merchant. */
export function poll(scene: Scene, crash: Crash | null): void {
  const { stage, merchant_id } = scene
  const due = async () => {
    const ids = [...stage.gateway_ids.values()]
    const lists = await Promise.all(ids.map(({ id }) => listDueAttempts(stage.db, id, dueMax)))
    return lists.flat().filter((one) => one.merchant_id === merchant_id)
  }
  start(scene, {
    what: 'poll',
    crash,
    work: async (line) => {
      const { deps } = handsOf(scene, line)
      const keys = await line.step(() => 'what is due', due)
      const question = { triggered_by: 'POLLER', request_id: line.name } as const
      await Promise.all(keys.map((key) => askAttempt(deps, key, question)))
    },
  })
}

const isSend = (step: string): boolean => /→ \S+ collect|insert into callback_directory/.test(step)
const standstillMaxS = 20

/**
 * Time passes. A process that has stood still for long before it sends is taken for dead: no check
 * of its own could keep it from sending long after everybody has given it up.
 */
export function pass(scene: Scene, seconds: number): void {
  const work = (line: Line) =>
    line.step(
      () => `${seconds} s pass`,
      () => {
        scene.now_s += seconds
        if (seconds > standstillMaxS) scene.turns.end(isSend)
        return age(scene.stage, scene.merchant_id, seconds)
      },
    )
  start(scene, { what: 'time', crash: null, work })
}

function act(scene: Scene, event: Extract<Event, { is: 'operator' }>): void {
  const orders = ordersOf(scene)
  const order = orders[event.order % Math.max(1, orders.length)]
  const desk = event.does === 'arrives' ? scene.desks[event.order % 2] : undefined
  desk?.arriveLate()
  if (desk !== undefined || order === undefined) return
  const said = order.said.length
  deskOf(scene, order)?.does(order, event.does)
  if (order.said.length === said) return
  for (let at = 0; at < event.calls; at += 1) sayTruth(scene, order)
}

/** The operator calls back and says how it stands. */
export function sayTruth(scene: Scene, order: Order): void {
  send(scene, { order, body: bodyOf(order), signed: true, crash: null, to: order })
}

function callBack(scene: Scene, event: Extract<Event, { is: 'callback' }>): void {
  const orders = ordersOf(scene)
  const at = event.order % Math.max(1, orders.length)
  const order = orders[at]
  const other = orders[(at + 1) % Math.max(1, orders.length)]
  if (order === undefined || other === undefined) return
  const to = event.says === 'for_another' ? other : order
  const body = bodyFor(order, event.says)
  const signed = event.says !== 'unsigned' && event.says !== 'forged'
  for (let time = 0; time < event.times; time += 1) {
    send(scene, { order, body, signed, crash: time === 0 ? event.crash : null, to })
  }
}

function bodyFor(order: Order, says: Saying): string {
  if (says === 'first_said') return order.said[0] ?? bodyOf(order)
  if (says !== 'forged') return bodyOf(order)
  const { our_key, external_reference, asked } = order
  const { amount, currency } = asked
  return JSON.stringify({
    our_key,
    external_reference,
    state: 'paid',
    amount: `${amount}`,
    currency,
  })
}

type Sending = Readonly<{
  /** The order that the body speaks of, and the order whose address it is sent to. */
  order: Order
  to: Order
  body: string
  signed: boolean
  crash: Crash | null
}>

function send(scene: Scene, { order, to, body, signed, crash }: Sending): void {
  const desk = deskOf(scene, order)
  if (desk === undefined) return
  const isStatic = desk.traits.callback_address === 'STATIC'
  const token = isStatic ? '' : (to.asked.callback_url.split('/').at(-1) ?? '')
  const headers: Record<string, string> = signed ? { 'x-signature': sign(body) } : {}
  const about = order === to || isStatic
  start(scene, {
    what: `callback ${order.external_reference}${about ? '' : ` at ${to.external_reference}`}`,
    crash,
    work: async (line) => {
      const { callbacks } = handsOf(scene, line)
      const request_id = line.name
      const request = { gateway_code: desk.code, token, body, headers, request_id }
      const status = await receiveCallback(callbacks, request)
      if (status !== 200) return
      scene.acknowledged.push({ code: desk.code, body })
      if (signed && about && body === bodyOf(order)) order.heard = true
    },
  })
}
