// The books: every law of the ledger, each success booked once, each payout's promise kept or given
// back, and each merchant's balance what its payments brought less what it paid out.

import { type Breach, broken, grouped } from './breach.ts'
import type { Facts } from './facts.ts'
import type { TransactionRow } from './store.ts'

/** The ledger's own laws cover the whole platform, not one merchant. */
export const auditLedger = ({ checks }: Facts): Breach[] =>
  checks
    .filter((check) => !check.ok)
    .flatMap(({ check, examples }) =>
      // The operator is ahead of us until its callbacks have come.
      examples.map((id) => ({ law: `ledger: ${check}`, id, may_pass: check.includes('gateway') })),
    )

export const auditBooks = (facts: Facts): Breach[] => [
  ...auditBooked(facts),
  ...auditBalances(facts),
  ...auditHolds(facts),
]

function auditBooked({ transactions, booked }: Facts): Breach[] {
  const paid = transactions.filter(({ status }) => status === 'SUCCESS')
  const postings = new Map(booked.map((row) => [row.cause_id, row.postings]))
  const successes = new Set(paid.map(({ id }) => id))
  return [
    ...broken(
      'each success is booked once',
      paid.filter(({ id }) => postings.get(id) !== 1).map(({ id }) => id),
    ),
    ...broken(
      'nothing else is booked',
      booked.filter((row) => !successes.has(row.cause_id)).map((row) => row.cause_id),
    ),
  ]
}

const isPayout = ({ transaction_type }: TransactionRow) => transaction_type === 'RETRAIT'

/** What it changes in `available`: a payout takes all that it costs from its beginning on. */
function broughtBy(row: TransactionRow): bigint {
  if (isPayout(row)) return row.status === 'FAILED' ? 0n : -row.debited_amount
  return row.status === 'SUCCESS' ? row.net_amount : 0n
}

const promisedTo = (row: TransactionRow): bigint =>
  isPayout(row) && row.status === 'PENDING' ? row.debited_amount : 0n

function auditBalances({ transactions, balances, funds }: Facts): Breach[] {
  const balanceKey = (merchant_id: string, country: string) => `${merchant_id} in ${country}`
  const due = grouped(transactions, (row) => balanceKey(row.merchant_id, row.country_code))
  const funded = new Map(funds.map((row) => [balanceKey(row.merchant_id, row.country), row.amount]))
  const held = new Map(balances.map((row) => [balanceKey(row.merchant_id, row.country), row]))
  const places = new Set([...due.keys(), ...held.keys(), ...funded.keys()])
  const wrong = [...places].flatMap((place) => {
    const rows = due.get(place) ?? []
    const owed = rows.reduce((sum, row) => sum + broughtBy(row), funded.get(place) ?? 0n)
    const promised = rows.reduce((sum, row) => sum + promisedTo(row), 0n)
    const { available = 0n, pending = 0n } = held.get(place) ?? {}
    if (available === owed && pending === promised) return []
    const sums = `${available} available, ${pending} pending, ${owed} earned, ${promised} promised`
    return [`${place}: ${sums}`]
  })
  return broken('a balance is the sum of its successes', wrong)
}

const endOf: Readonly<Record<string, string>> = { PENDING: '', SUCCESS: 'SPEND', FAILED: 'RELEASE' }

/** One for each payout, of what it costs, ended as the payout is. */
function auditHolds({ transactions, holds }: Facts): Breach[] {
  const payouts = new Map(transactions.filter(isPayout).map((row) => [row.id, row]))
  const byPayout = grouped(holds, (row) => row.cause_id)
  const wrong = [...payouts.values()].filter(({ id, debited_amount }) => {
    const own = byPayout.get(id) ?? []
    return own.length !== 1 || own[0]?.amount !== debited_amount
  })
  const unended = holds.filter(({ cause_id, ends }) => {
    const payout = payouts.get(cause_id)
    return payout !== undefined && ends.join(' ') !== endOf[payout.status]
  })
  return [
    ...broken(
      'a payout holds what it costs',
      wrong.map(({ id }) => id),
    ),
    ...broken(
      'a hold ends as its payout does',
      unended.map(({ cause_id, ends }) => `${cause_id}: ${ends.join(', ') || 'open'}`),
    ),
    ...broken(
      'each hold is of a payout',
      holds.filter(({ cause_id }) => !payouts.has(cause_id)).map(({ id }) => id),
    ),
  ]
}
