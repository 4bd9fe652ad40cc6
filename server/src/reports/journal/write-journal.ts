// The journal of a period as one stream of CSV: a line for each account that a piece debits or
// credits. Law: it is made of ledger entries and nothing else, each of them debited and credited
// with the same sum, so every piece balances. Each stretch is a query of its own, so that no long
// one keeps the database from tidying up (money 4).

import { Readable } from 'node:stream'
import { csvLine } from '../../platform/csv/csv.ts'
import type { Db } from '../../platform/db.ts'
import type { Accounts } from './accounts.ts'
import {
  findStretchEnd,
  type JournalLine,
  journalColumns,
  listJournal,
  type Stretch,
} from './store.ts'

const entries_a_query = 2_000
const first_id = '00000000-0000-0000-0000-000000000000'

/** `start`: what precedes the line of column names. */
type File = Stretch & Readonly<{ start: string }>

export const writeJournal = (db: Db, period: File, accounts: Accounts): Readable =>
  Readable.from(pieces(db, period, accounts), { objectMode: false })

async function* pieces(db: Db, period: File, accounts: Accounts): AsyncGenerator<Buffer> {
  yield Buffer.from(period.start + csvLine(journalColumns))
  let after = first_id
  for (;;) {
    const through: string | undefined = await findStretchEnd(db, period, {
      after,
      limit: entries_a_query,
    })
    if (through === undefined) return
    const stretch = { after, through, accounts }
    const lines = await listJournal(db, period, stretch)
    if (lines.length > 0) yield Buffer.from(lines.map(written).join(''))
    after = through
  }
}

const written = (line: JournalLine): string =>
  csvLine(journalColumns.map((name) => line[name] ?? ''))
