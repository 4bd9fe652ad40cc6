// The books: every law of the ledger, each success booked once, each promise of a payout or refund
// kept or given back, and each merchant's balance what its payments brought less what it paid out
// and gave back.

import { type Breach, broken, grouped } from './breach.ts'
import type { Facts } from './facts.ts'
import type { RefundRow, TransactionRow } from './store.ts'

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

function auditBooked({ transactions, refunds, booked }: Facts): Breach[] {
  const paid = [...transactions, ...refunds].filter(({ status }) => status === 'SUCCESS')
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

/** A refund takes all that it costs from its beginning on, until it has failed. */
const takenBy = ({ status, held_amount }: RefundRow): bigint =>
  status === 'PENDING' || status === 'SUCCESS' ? held_amount : 0n

const promisedTo = (row: TransactionRow): bigint =>
  isPayout(row) && row.status === 'PENDING' ? row.debited_amount : 0n

function auditBalances({ transactions, refunds, balances, funds }: Facts): Breach[] {
  const balanceKey = (merchant_id: string, country: string) => `${merchant_id} in ${country}`
  const due = grouped(transactions, (row) => balanceKey(row.merchant_id, row.country_code))
  const back = grouped(refunds, (row) => balanceKey(row.merchant_id, row.country_code))
  const funded = new Map(funds.map((row) => [balanceKey(row.merchant_id, row.country), row.amount]))
  const held = new Map(balances.map((row) => [balanceKey(row.merchant_id, row.country), row]))
  const places = new Set([...due.keys(), ...held.keys(), ...funded.keys()])
  const wrong = [...places].flatMap((place) => {
    const rows = due.get(place) ?? []
    const given = back.get(place) ?? []
    const came = rows.reduce((sum, row) => sum + broughtBy(row), funded.get(place) ?? 0n)
    const owed = given.reduce((sum, row) => sum - takenBy(row), came)
    const promised = given
      .filter(({ status }) => status === 'PENDING')
      .reduce(
        (sum, row) => sum + row.held_amount,
        rows.reduce((sum, row) => sum + promisedTo(row), 0n),
      )
    const { available = 0n, pending = 0n } = held.get(place) ?? {}
    if (available === owed && pending === promised) return []
    const sums = `${available} available, ${pending} pending, ${owed} earned, ${promised} promised`
    return [`${place}: ${sums}`]
  })
  return broken('a balance is the sum of its successes', wrong)
}

const endOf: Readonly<Record<string, string>> = {
  PENDING: '',
  SUCCESS: 'SPEND',
  FAILED: 'RELEASE',
  CANCELLED: 'RELEASE',
}

/** One for each payout and refund, of what it costs, ended as that is. */
function auditHolds({ transactions, refunds, holds }: Facts): Breach[] {
  const promises = [
    ...transactions
      .filter(isPayout)
      .map(({ id, status, debited_amount }) => ({ id, status, cost: debited_amount })),
    ...refunds.map(({ id, status, held_amount }) => ({ id, status, cost: held_amount })),
  ]
  const promiseOf = new Map(promises.map((one) => [one.id, one]))
  const byPromise = grouped(holds, (row) => row.cause_id)
  const wrong = promises.filter(({ id, cost }) => {
    const own = byPromise.get(id) ?? []
    return own.length !== 1 || own[0]?.amount !== cost
  })
  const unended = holds.filter(({ cause_id, ends }) => {
    const promise = promiseOf.get(cause_id)
    return promise !== undefined && ends.join(' ') !== endOf[promise.status]
  })
  return [
    ...broken(
      'a payout or refund holds what it costs',
      wrong.map(({ id }) => id),
    ),
    ...broken(
      'a hold ends as its payout or refund does',
      unended.map(({ cause_id, ends }) => `${cause_id}: ${ends.join(', ') || 'open'}`),
    ),
    ...broken(
      'each hold is of a payout or refund',
      holds.filter(({ cause_id }) => !promiseOf.has(cause_id)).map(({ id }) => id),
    ),
  ]
}
