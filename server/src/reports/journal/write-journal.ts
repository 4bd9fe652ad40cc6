// The journal of a period as one stream: a line for each account that a piece debits or credits, or
// that the pieces of a day do together.
// Law: it is made of ledger entries and nothing else, each of them debited and credited with the
// same sum, so every piece balances. Each stretch is a query of its own, so that no long one keeps
// the database from tidying up (money 4).

import { Readable } from 'node:stream'
import type { Db } from '../../platform/db.ts'
import type { Accounts } from './accounts.ts'
import { DayTotals } from './group-by-day.ts'
import type { Layout } from './layouts.ts'
import {
  findNextDay,
  findStretchEnd,
  type JournalDay,
  type JournalLine,
  listJournal,
  type Stretch,
} from './store.ts'

const entries_a_query = 2_000
const first_id = '00000000-0000-0000-0000-000000000000'

type File = Stretch &
  Readonly<{
    /** The days of the period: `2026-11-21`. */
    first: string
    last: string
    grouping: 'piece' | 'day'
    layout: Layout
    /** Alpha-2; undefined: each country that the merchant works in. */
    country: string | undefined
  }>

export const writeJournal = (db: Db, file: File, accounts: Accounts): Readable =>
  Readable.from(portionsOf(db, file, accounts), { objectMode: false })

async function* portionsOf(db: Db, file: File, accounts: Accounts): AsyncGenerator<Buffer> {
  const { layout, grouping } = file
  if (layout.head !== '') yield Buffer.from(layout.head)
  const portions = grouping === 'day' ? days(db, file, accounts) : pieces(db, file, accounts)
  for await (const lines of portions) if (lines.length > 0) yield layout.write(lines)
}

type Portions = AsyncGenerator<readonly JournalLine[]>

async function* pieces(db: Db, file: File, accounts: Accounts): Portions {
  const { country } = file
  let after = first_id
  for (;;) {
    const through: string | undefined = await findStretchEnd(db, file, {
      after,
      limit: entries_a_query,
    })
    if (through === undefined) return
    const lines = await listJournal(db, file, { after, through, accounts })
    yield lines.filter((line) => country === undefined || line['country'] === country)
    after = through
  }
}

/** A day is kept until it is whole: its totals are few, however many its pieces. */
async function* days(db: Db, file: File, accounts: Accounts): Portions {
  const { merchant_id, environment, last } = file
  let date = file.first
  for (;;) {
    const day: JournalDay | undefined = await findNextDay(db, file, { date, last })
    if (day === undefined) return
    const totals = new DayTotals({ merchant_id, environment, date: day.date })
    const ofDay = { ...file, from: day.from, to: day.to }
    for await (const lines of pieces(db, ofDay, accounts)) totals.add(lines)
    yield totals.lines()
    date = dayAfter(day.date)
  }
}

const day_ms = 24 * 3600 * 1000

const dayAfter = (date: string): string =>
  new Date(Date.parse(date) + day_ms).toISOString().slice(0, 10)
