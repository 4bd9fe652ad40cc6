// Payments under keys of their own, begun while something is killed and once more under the same
// keys afterwards: whatever was answered, each of them is one payment.

import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, newPayer, type Reply, type Shop, shopWith, softpay } from '../harness.ts'

export type KeyedPayment = Readonly<{ shop: Shop; key: string; body: unknown }>

/** So many of each shop, of 5,000 XOF by another payer each, the shops by turns. */
export const keyedPayments = (shops: readonly Shop[], name: string, each: number): KeyedPayment[] =>
  Array.from({ length: each }, (_, nth) =>
    shops.map((shop, at) => ({
      shop,
      key: `${name}-${nth}-${at}`,
      body: softpay({ customer: newPayer() }),
    })),
  ).flat()

const payAt = (url: string, { shop, key, body }: KeyedPayment): Promise<Reply> =>
  shopWith(url, shop.merchant_id, shop.key).post('/payments/softpay/initialize/', body, {
    'idempotency-key': key,
  })

/** Groups answer many at once: what begins together may all be answered before a kill lands. */
const apart_ms = 15

export type Kill = Readonly<{
  /** It comes when so many are answered. */
  after: number
  kill: () => Promise<void>
}>

/**
 * Begins one after the other, two at each address by turns. The status of each answer; 0 where
 * there was none.
 */
export async function payWhileKilled(
  payments: readonly KeyedPayment[],
  urls: readonly string[],
  { after, kill }: Kill,
): Promise<number[]> {
  let answered = 0
  let killed: Promise<void> = Promise.resolve()
  const statuses = await Promise.all(
    payments.map(async (payment, nth) => {
      await sleep(nth * apart_ms)
      const url = urls[(nth >> 1) % urls.length] ?? ''
      const reply = await payAt(url, payment).catch(() => undefined)
      answered += 1
      if (answered === after) killed = kill()
      return reply?.status ?? 0
    }),
  )
  await killed
  return statuses
}

/** The same calls until each is answered for good: the transaction of each. */
export const payAgain = (payments: readonly KeyedPayment[], url: string): Promise<string[]> =>
  Promise.all(
    payments.map((payment) =>
      eventually(async () => {
        const { status, body, data } = await payAt(url, payment)
        if (status !== 201) throw new Error(`${payment.key}: ${status} ${JSON.stringify(body)}`)
        return String(data.id)
      }, 90_000),
    ),
  )
