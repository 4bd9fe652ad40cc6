// What is done with refunds: a merchant gives back what a payment brought, whole or in part, from
// one server or from several at once, under one key.

import fc from 'fast-check'
import { transactionOf } from './payment-acts.ts'
import { type Crash, crash } from './payout-world.ts'
import { callRoute, type Scene } from './scene.ts'
import { start, unlessRefused } from './start-line.ts'

/** `part`: in whole units; 0: all that is left. */
export type RefundEvent = Readonly<{
  is: 'refund'
  payment: number
  part: number
  times: number
  crash: Crash | null
}>

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
]

export const refundKey = ({ payment, part }: RefundEvent): string => `refund-${payment}-${part}`

export async function refund(scene: Scene, event: RefundEvent): Promise<void> {
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
