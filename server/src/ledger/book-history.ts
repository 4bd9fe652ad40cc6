// Books made-up history, in the order it is given: each line an entry, numbered and summed as a
// real one would be. No real money comes this way; LIVE is refused.

import { copyRows, type Part, partOf, type Row } from '../platform/copy-rows.ts'
import type { Sql, Tx } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { type Account, accountId, type Place } from './account.ts'
import {
  type BalanceState,
  findLastMovement,
  listAccounts,
  lockBalance,
  updateBalance,
} from './history-store.ts'
import type { Line } from './postings.ts'
import type { CauseKind } from './statements.ts'

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

type OpenBalance = { place: Place; state: BalanceState; of_place: Part }

/** Nothing was booked: something younger than the beginning of the history moved these balances. */
export class MovedSince extends Error {
  readonly countries: readonly string[]

  constructor(countries: readonly string[]) {
    super(
      `A made-up history cannot begin before movements that are there (${countries.join(', ')}): ` +
        'balances after them would not add up. Choose a merchant without any, or fewer days.',
    )
    this.countries = countries
  }
}

/** Refuses where one of these balances has moved since; read without a lock, `openBooks` again. */
export async function requireUnmoved(
  sql: Sql,
  places: readonly Place[],
  since: Date,
): Promise<void> {
  const moved: string[] = []
  for (const place of places) {
    const last = await findLastMovement(sql, place)
    if (last !== undefined && last > since) moved.push(place.country)
  }
  if (moved.length > 0) throw new MovedSince(moved)
}

/**
 * Keeps the balances of these places locked until the transaction ends. `since`: when what is
 * booked begins; nothing younger is there.
 */
export async function openBooks(tx: Tx, places: readonly Place[], since: Date): Promise<Books> {
  const balances = new Map<string, OpenBalance>()
  const inOrder = [...places].sort((a, b) => (a.country < b.country ? -1 : 1))
  for (const place of inOrder) {
    assert(place.environment === 'SANDBOX', 'history is made up in SANDBOX only')
    const state = { ...(await lockBalance(tx, place)) }
    balances.set(place.country, { place, state, of_place: partOf(place) })
  }
  await requireUnmoved(tx, inOrder, since)
  const entries: Row[] = []
  const accounts = new Map<string, Account>()
  return {
    available: ({ country }) => balances.get(country)?.state.available ?? 0n,
    book(booked, newId) {
      const at = balances.get(booked.place.country)
      assert(at !== undefined, `no books are open in ${booked.place.country}`)
      for (const line of booked.lines) {
        accounts.set(accountId(line.debit), line.debit).set(accountId(line.credit), line.credit)
        entries.push([at.of_place, entryOf(booked, line, at.state, newId)])
      }
    },
    async write() {
      const there = places[0] ? await listAccounts(tx, places[0].merchant_id) : new Set<string>()
      const made = [...accounts].filter(([id]) => !there.has(id))
      await copyRows(
        tx,
        'accounts',
        made.map(([id, account]) => [partOf({ ...account, id })]),
      )
      await copyRows(tx, 'ledger_entries', entries)
      for (const { place, state } of balances.values()) await updateBalance(tx, place, state)
    },
  }
}

function entryOf(
  { cause_kind, cause_id, attempt_id, created_at }: Booked,
  { debit, credit, amount, line }: Line,
  state: BalanceState,
  newId: (at: Date) => string,
): Part {
  const change =
    (credit.kind === 'available' ? amount : 0n) - (debit.kind === 'available' ? amount : 0n)
  if (change !== 0n) {
    state.available += change
    state.entry_no += 1n
    assert(state.available >= 0n, 'available is never negative')
  }
  const seen = change !== 0n
  return partOf({
    id: newId(created_at),
    cause_kind,
    cause_id,
    attempt_id,
    debit_account: accountId(debit),
    credit_account: accountId(credit),
    amount,
    line,
    available_change: change,
    entry_no: seen ? state.entry_no : null,
    balance_after: seen ? state.available : null,
    created_at,
  })
}
