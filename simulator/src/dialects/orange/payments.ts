// What this operator remembers of a payment, and what it is at a time: a function of its record and
// the clock, so that a restart in the middle changes nothing. One JSON line each in a file, where
// there is one, written before it is answered.

import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { linesOf } from '../kept-lines.ts'
import type { Notice } from '../payer-page.ts'

export type Act = Readonly<{ at: number; does: 'open' | 'pay' | 'fail'; notice?: Notice }>

export type Payment = Readonly<{
  pay_token: string
  notif_token: string
  order_id: string
  amount: number
  currency: string
  reference: string
  return_url: string
  cancel_url: string
  notif_url: string
  /** Unix milliseconds. */
  created_at: number
  /** By hand on its page; and, where payers act by themselves, what this one will do. */
  acts: readonly Act[]
}>

type Line = { payment: Payment } | { pay_token: string; act: Act }

export type Books = Readonly<{
  /** By their token. */
  payments: ReadonlyMap<string, Payment>
  /** Every order that was ever taken: an order id is good for one payment. */
  orders: ReadonlySet<string>
  keep(line: Line): void
}>

/** `file`: where it is remembered; undefined: it is forgotten with the process. */
export function openBooks(file: string | undefined): Books {
  const payments = new Map<string, Payment>()
  const orders = new Set<string>()
  const take = (line: Line): void => {
    if ('payment' in line) {
      payments.set(line.payment.pay_token, line.payment)
      orders.add(line.payment.order_id)
    } else {
      const one = payments.get(line.pay_token)
      if (one !== undefined) payments.set(one.pay_token, { ...one, acts: [...one.acts, line.act] })
    }
  }
  for (const line of file === undefined ? [] : linesOf<Line>(file)) take(line)
  return {
    payments,
    orders,
    keep(line) {
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
      take(line)
    },
  }
}

export type Status = 'INITIATED' | 'PENDING' | 'EXPIRED' | 'SUCCESS' | 'FAILED'

/** `life_ms`: how long its page may be paid on. A payment that has ended stays as it is. */
export function statusAt(one: Payment, life_ms: number, now_ms: number): Status {
  const done = one.acts.filter(({ at }) => at <= now_ms).sort((a, b) => a.at - b.at)
  const end = done.find(({ does }) => does !== 'open')
  if (end !== undefined) return end.does === 'pay' ? 'SUCCESS' : 'FAILED'
  if (now_ms - one.created_at >= life_ms) return 'EXPIRED'
  return done.length > 0 ? 'PENDING' : 'INITIATED'
}

/** As the operator writes one: date, time, a letter and a number. */
export function txnidOf({ pay_token, created_at }: Payment): string {
  const [date = '', time = ''] = new Date(created_at).toISOString().slice(2).split('T')
  const number = createHash('sha256').update(pay_token).digest().readUInt32BE() % 100_000
  const [day, minute] = [date.replaceAll('-', ''), time.slice(0, 5).replace(':', '')]
  return `MP${day}.${minute}.A${String(number).padStart(5, '0')}`
}
