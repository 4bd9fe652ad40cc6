// Books what is made up to have happened, in the order it is given: each line an entry, numbered
// and summed as a live one would be. Nothing here is a path of real money; LIVE is refused.

import { copyRows } from '../../platform/copy-rows.ts'
import type { Tx } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import { type Account, accountId, type Place } from '../account.ts'
import type { Line } from '../postings.ts'
import type { CauseKind } from '../statements.ts'
import { listAccounts, lockBalance, type Standing, updateBalance } from './store.ts'

/** One cause and its lines, at a moment of the past. */
export type Booked = Readonly<{
  place: Place
  cause_kind: CauseKind
  cause_id: string
  attempt_id: string | null
  lines: readonly Line[]
  created_at: Date
}>

export type Books = Readonly<{
  available(place: Place): bigint
  /** `ids` makes an id of a moment. */
  book(booked: Booked, newId: (at: Date) => string): void
  /** Writes what was booked. */
  write(): Promise<void>
}>

type Kept = { place: Place; standing: Standing }

/** Holds the balances of these places locked until the transaction ends. */
export async function openBooks(tx: Tx, places: readonly Place[]): Promise<Books> {
  const kept = new Map<string, Kept>()
  const inOrder = [...places].sort((a, b) => (a.country < b.country ? -1 : 1))
  for (const place of inOrder) {
    assert(place.environment === 'SANDBOX', 'history is made up in SANDBOX only')
    kept.set(place.country, { place, standing: { ...(await lockBalance(tx, place)) } })
  }
  const entries: Record<string, string | bigint | number | Date | null>[] = []
  const accounts = new Map<string, Account>()
  return {
    available: ({ country }) => kept.get(country)?.standing.available ?? 0n,
    book(booked, newId) {
      const standing = kept.get(booked.place.country)?.standing
      assert(standing !== undefined, `no books are open in ${booked.place.country}`)
      for (const line of booked.lines) {
        accounts.set(accountId(line.debit), line.debit).set(accountId(line.credit), line.credit)
        entries.push(entryOf(booked, line, standing, newId))
      }
    },
    async write() {
      const there = places[0] ? await listAccounts(tx, places[0].merchant_id) : new Set<string>()
      const made = [...accounts].filter(([id]) => !there.has(id))
      await copyRows(
        tx,
        'accounts',
        made.map(([id, account]) => ({ ...account, id })),
      )
      await copyRows(tx, 'ledger_entries', entries)
      for (const { place, standing } of kept.values()) await updateBalance(tx, place, standing)
    },
  }
}

function entryOf(
  { place, lines: _lines, ...cause }: Booked,
  line: Line,
  standing: Standing,
  newId: (at: Date) => string,
) {
  const change =
    (line.credit.kind === 'available' ? line.amount : 0n) -
    (line.debit.kind === 'available' ? line.amount : 0n)
  if (change !== 0n) {
    standing.available += change
    standing.entry_no += 1n
    assert(standing.available >= 0n, 'available is never negative')
  }
  return {
    ...place,
    ...cause,
    id: newId(cause.created_at),
    debit_account: accountId(line.debit),
    credit_account: accountId(line.credit),
    amount: line.amount,
    line: line.line,
    available_change: change,
    entry_no: change === 0n ? null : standing.entry_no,
    balance_after: change === 0n ? null : standing.available,
  }
}
