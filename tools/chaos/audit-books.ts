// The books: every law of the ledger, each success booked once, and each merchant's balance the
// sum of what his successful payments brought him.

import { type Breach, broken, grouped } from './breach.ts'
import type { Facts } from './facts.ts'

/** The ledger's own laws are the house's, not one merchant's. */
export const auditLedger = ({ checks }: Facts): Breach[] =>
  checks
    .filter((check) => !check.ok)
    .flatMap(({ check, examples }) =>
      // The operator is ahead of us until its callbacks have come.
      examples.map((id) => ({ law: `ledger: ${check}`, id, may_pass: check.includes('gateway') })),
    )

export function auditBooks({ transactions, booked, balances }: Facts): Breach[] {
  const paid = transactions.filter(({ status }) => status === 'SUCCESS')
  const postings = new Map(booked.map((row) => [row.cause_id, row.postings]))
  const successes = new Set(paid.map(({ id }) => id))
  const placeOf = (merchant_id: string, country: string) => `${merchant_id} in ${country}`
  const due = grouped(paid, (row) => placeOf(row.merchant_id, row.country_code))
  const held = new Map(balances.map((row) => [placeOf(row.merchant_id, row.country), row]))
  const places = new Set([...due.keys(), ...held.keys()])
  const wrong = [...places].flatMap((place) => {
    const owed = (due.get(place) ?? []).reduce((sum, row) => sum + row.net_amount, 0n)
    const { available = 0n, pending = 0n } = held.get(place) ?? {}
    if (available === owed && pending === 0n) return []
    return [`${place}: ${available} available, ${pending} pending, ${owed} earned`]
  })
  return [
    ...broken(
      'each success is booked once',
      paid.filter(({ id }) => postings.get(id) !== 1).map(({ id }) => id),
    ),
    ...broken(
      'nothing else is booked',
      booked.filter((row) => !successes.has(row.cause_id)).map((row) => row.cause_id),
    ),
    ...broken('a balance is the sum of its successes', wrong),
  ]
}
