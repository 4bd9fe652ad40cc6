// What operators do, and what is sent to our callback addresses by them, or in their name.

import { receiveCallback } from '../../src/attempts/receive-callback.ts'
import { receivedOf } from '../../src/gateways/conformance-bench.ts'
import { bodyOf, type OperatorOrder, sign } from './operator.ts'
import { deskOf, type Hands, handsOf, ordersOf, type Scene } from './scene.ts'
import { start } from './start-line.ts'
import type { Line } from './turns.ts'
import type { Crash, Event, Saying } from './world.ts'

export function actAsOperator(scene: Scene, event: Extract<Event, { is: 'operator' }>): void {
  const orders = ordersOf(scene)
  const order = orders[event.order % Math.max(1, orders.length)]
  const desk = event.does === 'arrives' ? scene.desks[event.order % 2] : undefined
  desk?.arriveLate()
  if (desk !== undefined || order === undefined) return
  const said = order.bodies.length
  deskOf(scene, order)?.does(order, event.does)
  if (order.bodies.length === said) return
  for (let at = 0; at < event.calls; at += 1) sendTruth(scene, order)
}

/** The operator calls back and says how it stands. */
export function sendTruth(scene: Scene, order: OperatorOrder): void {
  send(scene, { order, body: bodyOf(order), signed: true, crash: null, to: order })
}

export function callBack(scene: Scene, event: Extract<Event, { is: 'callback' }>): void {
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

function bodyFor(order: OperatorOrder, says: Saying): string {
  if (says === 'first_said') return order.bodies[0] ?? bodyOf(order)
  if (says !== 'forged') return bodyOf(order)
  const { our_key, external_reference, requested } = order
  const { amount, currency } = requested
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
  order: OperatorOrder
  to: OperatorOrder
  body: string
  signed: boolean
  crash: Crash | null
}>

function send(scene: Scene, sending: Sending): void {
  const { order, to, crash } = sending
  const about = isAbout(scene, sending)
  start(scene, {
    what: `callback ${order.external_reference}${about ? '' : ` at ${to.external_reference}`}`,
    crash,
    work: (line) => receive(scene, handsOf(scene, line), line, sending),
  })
}

/** The body speaks of the order whose address it is sent to; a static address is everybody's. */
const isAbout = (scene: Scene, { order, to }: Sending): boolean =>
  order === to || deskOf(scene, order)?.traits.callback_address === 'STATIC'

async function receive(scene: Scene, hands: Hands, line: Line, sending: Sending): Promise<void> {
  const { order, to, body, signed } = sending
  const desk = deskOf(scene, order)
  if (desk === undefined) return
  const isStatic = desk.traits.callback_address === 'STATIC'
  const token = isStatic ? '' : (to.requested.callback_url.split('/').at(-1) ?? '')
  const headers: Record<string, string> = signed ? { 'x-signature': sign(body) } : {}
  const ip = '192.0.2.1'
  const received = receivedOf({ body, headers }, scene.now_s * 1000)
  const request = { gateway_code: desk.code, token, received, request_id: line.name, ip }
  const status = await receiveCallback(hands.callbacks, request)
  if (status !== 200) return
  scene.acknowledged.push({ code: desk.code, body })
  if (signed && isAbout(scene, sending) && body === bodyOf(order)) order.acknowledged = true
}

/** One process is told the truth of every order at once. */
export function rush(scene: Scene, { times, crash }: Extract<Event, { is: 'rush' }>): void {
  const orders = ordersOf(scene)
  const all = Array.from({ length: times }, () => orders).flat()
  start(scene, {
    what: 'rush',
    crash,
    work: async (line) => {
      const hands = handsOf(scene, line)
      const received = all.map((order) => {
        const sending = { order, to: order, body: bodyOf(order), signed: true, crash: null }
        return receive(scene, hands, line, sending)
      })
      await Promise.all(received)
    },
  })
}
