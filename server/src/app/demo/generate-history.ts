// Makes up a past for a merchant's SANDBOX: payments, top-ups and payouts that have ended, booked
// as real ones are, a portion in one transaction. Live payments may go on beside it. No events:
// nobody is to be told of what never happened; search finds it all the same.

import { randomBytes } from 'node:crypto'
import { openBooks } from '../../ledger/history/book-history.ts'
import { copyRows } from '../../platform/copy-rows.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import { indexMadeUp } from '../../transactions/search/index-transactions.ts'
import { makeTransaction, noRows, type Past, type PastCustomer } from './make-transaction.ts'
import { type Market, openMarket } from './market.ts'
import { chance, firstNames, idsOfPast, lastNames, phoneOf } from './past.ts'
import { countCustomers } from './store.ts'

export type Generation = Readonly<{
  merchant_id: string
  transactions: number
  /** Over how long they are spread; the last one is now. */
  days: number
  /** Told after each portion. */
  passed: (transactions: number) => void
}>

const portion = 5_000
const transactions_a_customer = 40
const day_ms = 24 * 3600_000

type Making = Readonly<{
  merchant_id: string
  market: Market
  newId: (at: Date) => string
  random: () => number
}>

/** Answers how many were made: a payout that no balance covered is left out. */
export async function generateHistory(db: Db, asked: Generation): Promise<number> {
  const { merchant_id, transactions, days, passed } = asked
  const making: Making = {
    merchant_id,
    market: await openMarket(db, merchant_id),
    newId: idsOfPast(randomBytes(5)),
    random: chance(transactions),
  }
  const from = Date.now() - days * day_ms
  const atOf = (nth: number) => new Date(from + (nth / transactions) * days * day_ms)
  let made = 0
  for (let at = 0; at < transactions; at += portion) {
    const count = Math.min(portion, transactions - at)
    const moments = Array.from({ length: count }, (_, n) => atOf(at + n))
    made += await inTransaction(db, (tx) => writePortion(tx, making, moments))
    passed(count)
  }
  return made
}

async function writePortion(tx: Tx, making: Making, moments: readonly Date[]): Promise<number> {
  const { merchant_id, market, newId, random } = making
  const customers = await makeCustomers(tx, making, moments)
  const books = await openBooks(tx, market.places)
  const rows = noRows()
  const ids: string[] = []
  for (const at of moments) {
    const past: Past = market.draw(random, customers, at)
    const id = makeTransaction({ rows, books, newId }, past)
    if (id !== undefined) ids.push(id)
  }
  for (const [table, made] of Object.entries(rows)) await copyRows(tx, table, made)
  await books.write()
  await indexMadeUp(tx, merchant_id, ids)
  return ids.length
}

async function makeCustomers(
  tx: Tx,
  { merchant_id, market, newId, random }: Making,
  moments: readonly Date[],
): Promise<PastCustomer[]> {
  const first = await countCustomers(tx, merchant_id)
  const at = moments[0] ?? new Date()
  const word = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? ''
  const customers = Array.from(
    { length: Math.ceil(moments.length / transactions_a_customer) },
    (_, n): PastCustomer => {
      const country = market.places[(first + n) % market.places.length]?.country ?? ''
      const phone = phoneOf(country, first + n)
      const email = `customer.${first + n}@example.com`
      const [first_name, last_name] = [word(firstNames), word(lastNames)]
      return { id: newId(at), first_name, last_name, email, phone }
    },
  )
  const common = { merchant_id, environment: 'SANDBOX', created_at: at, updated_at: at }
  await copyRows(
    tx,
    'customers',
    customers.map((customer) => ({ ...customer, ...common })),
  )
  return customers
}
