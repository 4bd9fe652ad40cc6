// The operator's books: the orders that it accepted, and what was collected and paid in all. Law:
// an order changes only through `save`, which also writes it to the journal.

import { formatAmount } from './amount.ts'
import type { Journal } from './journal.ts'
import { type Book, type Operator, type Order, type OrderKey, viewBook } from './order.ts'
import type { OrderMemory, Sums } from './order-memory.ts'

export type Totals = Record<Operator, Record<string, { collected: string; paid: string }>>

export type Books = Readonly<{
  find(key: OrderKey): Order | undefined
  findByPage(page_token: string): Order | undefined
  /** What is remembered; the sums are of every order there ever was. */
  all(): IterableIterator<Order>
  sums(): Sums
  save(order: Order): void
  flushed(): Promise<void>
}>

export const createBooks = (memory: OrderMemory, journal: Journal): Books => ({
  find: (key) => memory.find(key),
  findByPage: (page_token) => memory.findByPage(page_token),
  all: () => memory.all(),
  sums: () => memory.sums(),
  save: (order) => {
    memory.take(order)
    journal.append(order)
  },
  flushed: () => journal.flushed(),
})

/** Every order that it remembers, in the order of its creation. */
export function listBooks(books: Books): Book[] {
  return Array.from(books.all(), viewBook)
}

/** What the operator holds for its client, per operator and currency: SUCCESSFUL orders only. */
export function sumBooks(books: Books): Totals {
  const { a, b } = books.sums()
  const spell = (sums: Sums[Operator]) =>
    Object.fromEntries(
      Array.from(sums, ([currency, { collected, paid }]) => [
        currency,
        { collected: formatAmount(collected), paid: formatAmount(paid) },
      ]),
    )
  return { a: spell(a), b: spell(b) }
}
