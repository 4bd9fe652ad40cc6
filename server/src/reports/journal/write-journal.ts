// The journal of a period as one stream of CSV: a line for each account that a piece debits or
// credits. Law: it is made of ledger entries and nothing else, each of them debited and credited
// with the same sum, so every piece balances. Each stretch is a query of its own, so that no long
// one keeps the database from tidying up (money 4).

import { Readable } from 'node:stream'
import { type CsvForm, csvDay, csvDecimal, csvLine } from '../../platform/csv.ts'
import type { Db } from '../../platform/db.ts'
import type { Locale } from '../../platform/errors.ts'
import type { Accounts } from './accounts.ts'
import { labelOf } from './labels.ts'
import {
  findStretchEnd,
  type JournalLine,
  journalColumns,
  listJournal,
  type Stretch,
} from './store.ts'

const entries_a_query = 2_000
const first_id = '00000000-0000-0000-0000-000000000000'

/** `locale`: of its labels. */
type File = Stretch & Readonly<{ form: CsvForm; locale: Locale }>

export const writeJournal = (db: Db, period: File, accounts: Accounts): Readable =>
  Readable.from(pieces(db, period, accounts), { objectMode: false })

async function* pieces(db: Db, period: File, accounts: Accounts): AsyncGenerator<Buffer> {
  const { form } = period
  yield Buffer.from(form.start + csvLine(form, journalColumns))
  let after = first_id
  for (;;) {
    const through: string | undefined = await findStretchEnd(db, period, {
      after,
      limit: entries_a_query,
    })
    if (through === undefined) return
    const stretch = { after, through, accounts }
    const lines = await listJournal(db, period, stretch)
    if (lines.length > 0) yield Buffer.from(lines.map((line) => written(period, line)).join(''))
    after = through
  }
}

function written({ form, locale }: File, line: JournalLine): string {
  const { date = '', debit = '', credit = '' } = line
  const [day, in_debit, in_credit] = [
    csvDay(form, date),
    csvDecimal(form, debit),
    csvDecimal(form, credit),
  ]
  const label = labelOf(line, locale)
  const cells: JournalLine = { ...line, label, date: day, debit: in_debit, credit: in_credit }
  return csvLine(
    form,
    journalColumns.map((name) => cells[name] ?? ''),
  )
}
