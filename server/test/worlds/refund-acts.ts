// What is done with refunds: a merchant gives back what a payment brought, whole or in part, from
// one server or from several at once, under one key.

import fc from 'fast-check'
import { newId } from '../../src/platform/ids.ts'
import { homeOf } from '../../src/platform/places/places.ts'
import { transactionOf } from './payment-acts.ts'
import { type Crash, crash } from './payout-world.ts'
import type { OnRefund } from './refund-world.ts'
import { callRoute, type Scene } from './scene.ts'
import { start, unlessRefused } from './start-line.ts'

/** `part`: in whole units; 0: all that is left. */
type RefundCall = Readonly<{
  is: 'refund'
  payment: number
  part: number
  times: number
  crash: Crash | null
}>

/** Due work: what an operator took nothing of for want of our float goes once more, or ends. */
const dueWork = ['send_refunds_again', 'send_settlements_again', 'lapse_refunds'] as const

export type RefundEvent =
  | RefundCall
  | Readonly<{ is: 'job'; job: (typeof dueWork)[number]; crash: Crash | null }>

export const refunding: fc.WeightedArbitrary<RefundEvent>[] = [
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant('refund' as const),
      payment: fc.constantFrom(0, 0, 0, 1),
      part: fc.constantFrom(0, 1000, 4000),
      times: fc.constantFrom(1, 1, 2),
      crash,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant('job' as const),
      job: fc.constantFrom(...dueWork),
      crash,
    }),
  },
]

export const refundKey = ({ payment, part }: RefundCall): string => `refund-${payment}-${part}`

export async function refund(scene: Scene, event: RefundCall): Promise<void> {
  const payment_id = await transactionOf(scene, event.payment)
  if (payment_id === undefined) return
  const call = {
    path: '/payments/:payment_id/refunds/',
    params: { payment_id },
    body: event.part === 0 ? {} : { amount: String(event.part) },
    key: refundKey(event),
  }
  for (let time = 0; time < event.times; time += 1) {
    start(scene, {
      what: `refund ${event.payment} ${event.part}`,
      crash: time === 0 ? event.crash : null,
      work: (line) => unlessRefused(() => callRoute(scene, line, call)),
    })
  }
}

/** The merchant's servers and people, about the refund that was made as the so many-th. */
export async function onRefund(scene: Scene, { refund: at, hows, crash }: OnRefund): Promise<void> {
  const { stage, merchant_id } = scene
  const made = await homeOf(stage.owner, merchant_id)<{ id: string }[]>`
    select id from refunds where merchant_id = ${merchant_id} order by id`
  const id = made[at % Math.max(1, made.length)]?.id
  if (id === undefined) return
  for (const [place, how] of hows.entries()) {
    const call = {
      path: `/refunds/:id/${how}/`,
      params: { id },
      body: how === 'reject' ? { reason: 'not this one' } : {},
      key: undefined,
      ...(how === 'verify' ? {} : { member_id: newId() }),
    }
    start(scene, {
      what: `${how} refund ${at}`,
      crash: place === 0 ? crash : null,
      work: (line) => unlessRefused(() => callRoute(scene, line, call)),
    })
  }
}
