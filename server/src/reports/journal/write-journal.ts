// The journal of a period as one stream of CSV: a line for each account that a piece debits or
// credits. Law: it is made of ledger entries and nothing else, each of them debited and credited
// with the same sum, so every piece balances. Each stretch is a query of its own, so that no long
// one keeps the database from tidying up (money 4).

import { Readable } from 'node:stream'
import { byte_order_mark, csvLine } from '../../platform/csv/csv.ts'
import { copyCsv } from '../../platform/csv/statements.ts'
import type { Db } from '../../platform/db.ts'
import type { Accounts } from './accounts.ts'
import { findStretchEnd, journalColumns, journalQuery, type Stretch } from './store.ts'

const entries_a_query = 10_000
const first_id = '00000000-0000-0000-0000-000000000000'

export const writeJournal = (db: Db, period: Stretch, accounts: Accounts): Readable =>
  Readable.from(pieces(db, period, accounts), { objectMode: false })

async function* pieces(db: Db, period: Stretch, accounts: Accounts): AsyncGenerator<Buffer> {
  yield Buffer.from(byte_order_mark + csvLine(journalColumns))
  const { merchant_id, environment, from, to } = period
  const bounds = [from.toISOString(), to.toISOString(), JSON.stringify(accounts)]
  const limit = entries_a_query
  let after: string | null = null
  for (;;) {
    const through: string | undefined = await findStretchEnd(db, period, { after, limit })
    if (through === undefined) return
    const values = [merchant_id, environment, after ?? first_id, through, ...bounds]
    yield* await copyCsv(db, journalQuery, values)
    after = through
  }
}
