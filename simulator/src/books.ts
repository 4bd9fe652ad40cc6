// The operator's books: every order it ever accepted, and what was collected and paid in all. Law:
// an order changes only through `save`, which also writes it to the journal.

import { formatAmount } from './amount.ts'
import type { Journal } from './journal.ts'
import { type Book, keyOf, type Operator, type Order, type OrderKey, viewBook } from './order.ts'

export type Totals = Record<Operator, Record<string, { collected: string; paid: string }>>

export type Books = Readonly<{
  find(key: OrderKey): Order | undefined
  findByPage(page_token: string): Order | undefined
  all(): IterableIterator<Order>
  save(order: Order): void
  flushed(): Promise<void>
}>

export function createBooks(orders: Map<string, Order>, journal: Journal): Books {
  const keyOfPage = new Map<string, string>()
  const remember = (order: Order): void => {
    const key = keyOf(order)
    orders.set(key, order)
    if (order.page_token !== undefined) keyOfPage.set(order.page_token, key)
  }
  for (const order of orders.values()) remember(order)

  return {
    find: (key) => orders.get(keyOf(key)),
    findByPage: (page_token) => orders.get(keyOfPage.get(page_token) ?? ''),
    all: () => orders.values(),
    save: (order) => {
      remember(order)
      journal.append(order)
    },
    flushed: () => journal.flushed(),
  }
}

/** Every order in the order of its creation. */
export function listBooks(books: Books): Book[] {
  return Array.from(books.all(), viewBook)
}

/** What the operator holds for its client, per operator and currency: SUCCESSFUL orders only. */
export function sumBooks(books: Books): Totals {
  const sums = { a: new Map<string, [bigint, bigint]>(), b: new Map<string, [bigint, bigint]>() }
  for (const order of books.all()) {
    if (order.moved_amount === undefined) continue
    const [collected, paid] = sums[order.operator].get(order.currency) ?? [0n, 0n]
    const { kind, moved_amount } = order
    // A refund leaves what was collected; it is no payout.
    const change = kind === 'REFUND' ? -moved_amount : moved_amount
    const isPayout = kind === 'PAYOUT'
    sums[order.operator].set(order.currency, [
      isPayout ? collected : collected + change,
      isPayout ? paid + change : paid,
    ])
  }
  const spell = (perCurrency: Map<string, [bigint, bigint]>) =>
    Object.fromEntries(
      Array.from(perCurrency, ([currency, [collected, paid]]) => [
        currency,
        { collected: formatAmount(collected), paid: formatAmount(paid) },
      ]),
    )
  return { a: spell(sums.a), b: spell(sums.b) }
}
