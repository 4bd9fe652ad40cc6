// Makes up a past for a merchant's SANDBOX: payments, top-ups and payouts that have ended, booked
// as real ones are, a portion in one transaction. Law: nothing is booked before a movement that is
// there, because each has the balance after it; a portion that a payment came before is refused. No
// events, because nobody should be notified of what never happened; search finds it all the same.

import { randomBytes } from 'node:crypto'
import { indexMadeUpCustomers } from '../../customers/search/index-customers.ts'
import { openBooks, requireUnmoved } from '../../ledger/book-history.ts'
import { copyRows, partOf } from '../../platform/copy-rows.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import { homeOf } from '../../platform/places/places.ts'
import { countAgain } from '../../reports/series/count-days.ts'
import { indexMadeUp } from '../../transactions/search/index-transactions.ts'
import { countCustomers } from '../store.ts'
import { customerOf, makeTransaction, noRows, type PastCustomer } from './make-transaction.ts'
import { type Market, openMarkets } from './market.ts'
import { chance, firstNames, idsOfPast, lastNames, phoneOf } from './past.ts'

export type Generation = Readonly<{
  merchant_id: string
  transactions: number
  /** Over how long they are spread. */
  days: number
  /** When the last one is over. Default: now. */
  until?: Date
  /** Written at once, each a transaction a portion; 1 with one portion: all of it or nothing. */
  streams?: number
  /** Called after each portion. */
  passed: (transactions: number) => void
}>

const portion = 5_000
const transactions_a_customer = 40
const day_ms = 24 * 3600_000
/** Written at once, each with countries of its own: the database is the slower half. */
const streams_max = 2
const answered_after_max_ms = 1_500

type Stream = Readonly<{
  merchant_id: string
  market: Market
  newId: (at: Date) => string
  /** How long after it began each ends: before the next one of the stream begins. */
  ends_after_ms: number
  random: () => number
  /** A customer's number: none is given twice. */
  nextCustomer: () => number
}>

/**
 * Answers how many were made: a payout that no balance covered is left out. Fails with `MovedSince`
 * for a merchant whose balances have moved since the beginning, in the ordinary case before
 * anything is written.
 */
export async function generateHistory(db: Db, generation: Generation): Promise<number> {
  const { merchant_id, transactions, days, passed } = generation
  const { until = new Date(), streams = streams_max } = generation
  const span_ms = days * day_ms
  const from = until.getTime() - span_ms
  const atOf = (nth: number) => new Date(from + (nth / transactions) * span_ms)
  const newId = idsOfPast(randomBytes(5))
  const markets = await openMarkets(db, merchant_id, streams)
  for (const { places } of markets) await requireUnmoved(db, places, new Date(from))
  const between_ms = Math.floor((span_ms * markets.length) / transactions / 2)
  const ends_after_ms = Math.min(answered_after_max_ms, between_ms)
  const customers = await countCustomers(db, merchant_id)
  const madeIn = async (market: Market, nth: number) => {
    let customer = customers + nth - markets.length
    const nextCustomer = () => {
      customer += markets.length
      return customer
    }
    const random = chance(transactions + nth)
    const stream: Stream = { merchant_id, market, newId, ends_after_ms, random, nextCustomer }
    let made = 0
    for (let at = nth; at < transactions; at += portion * markets.length) {
      const moments: Date[] = []
      for (let of = at; of < transactions && moments.length < portion; of += markets.length) {
        moments.push(atOf(of))
      }
      made += await inTransaction(homeOf(db, merchant_id), (tx) =>
        writePortion(tx, stream, moments),
      )
      passed(moments.length)
    }
    return made
  }
  const made = await Promise.all(markets.map(madeIn))
  return made.reduce((sum, one) => sum + one, 0)
}

async function writePortion(tx: Tx, stream: Stream, moments: readonly Date[]): Promise<number> {
  const { merchant_id, market, newId, ends_after_ms, random } = stream
  // First: of two that fill one merchant at once, the second waits here and is refused.
  const books = await openBooks(tx, market.places, moments[0] ?? new Date())
  const customers = await makeCustomers(tx, stream, moments)
  const rows = noRows()
  const ids: string[] = []
  for (const at of moments) {
    const id = makeTransaction(
      { rows, books, newId, ends_after_ms },
      market.draw(random, customers, at),
    )
    if (id !== undefined) ids.push(id)
  }
  for (const [table, made] of Object.entries(rows)) await copyRows(tx, table, made)
  await books.write()
  await indexMadeUp(tx, merchant_id, ids)
  await countAgain(tx, merchant_id)
  return ids.length
}

async function makeCustomers(
  tx: Tx,
  { merchant_id, market: { places }, newId, random, nextCustomer }: Stream,
  moments: readonly Date[],
): Promise<PastCustomer[]> {
  const at = moments[0] ?? new Date()
  const word = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? ''
  const people = Array.from({ length: Math.ceil(moments.length / transactions_a_customer) }, () => {
    const nth = nextCustomer()
    const country = places[nth % places.length]?.country ?? ''
    const [first_name, last_name] = [word(firstNames), word(lastNames)]
    const email = `customer.${nth}@example.com`
    return { id: newId(at), first_name, last_name, email, phone: phoneOf(country, nth) }
  })
  const all = partOf({ merchant_id, environment: 'SANDBOX', created_at: at, updated_at: at })
  const rows = people.map((person) => [all, partOf(person)])
  await copyRows(tx, 'customers', rows)
  const ids = people.map(({ id }) => id)
  await indexMadeUpCustomers(tx, merchant_id, ids)
  return people.map(customerOf)
}
