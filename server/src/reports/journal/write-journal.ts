// The journal of a period as one stream: a line for each account that a piece debits or credits.
// Law: it is made of ledger entries and nothing else, each of them debited and credited with the
// same sum, so every piece balances. Each stretch is a query of its own, so that no long one keeps
// the database from tidying up (money 4).

import { Readable } from 'node:stream'
import type { Db } from '../../platform/db.ts'
import type { Accounts } from './accounts.ts'
import type { Layout } from './layouts.ts'
import { findStretchEnd, listJournal, type Stretch } from './store.ts'

const entries_a_query = 2_000
const first_id = '00000000-0000-0000-0000-000000000000'

type File = Stretch &
  Readonly<{
    layout: Layout
    /** Alpha-2; undefined: each country that the merchant works in. */
    country: string | undefined
  }>

export const writeJournal = (db: Db, period: File, accounts: Accounts): Readable =>
  Readable.from(pieces(db, period, accounts), { objectMode: false })

async function* pieces(db: Db, period: File, accounts: Accounts): AsyncGenerator<Buffer> {
  const { layout, country } = period
  if (layout.head !== '') yield Buffer.from(layout.head)
  let after = first_id
  for (;;) {
    const through: string | undefined = await findStretchEnd(db, period, {
      after,
      limit: entries_a_query,
    })
    if (through === undefined) return
    const found = await listJournal(db, period, { after, through, accounts })
    const lines = found.filter((line) => country === undefined || line['country'] === country)
    if (lines.length > 0) yield layout.write(lines)
    after = through
  }
}
