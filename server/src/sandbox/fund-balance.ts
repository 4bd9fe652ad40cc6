// Play money for tests: a sandbox balance grows against the `sandbox_funding` account.

import { sandboxFunding } from '../ledger/postings.ts'
import { postEntries } from '../ledger/statements.ts'
import { again, type Db } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { idsOf, joined, oneRow } from '../platform/sql.ts'

export type Funding = Readonly<{
  merchant_id: string
  country: string
  currency: string
  /** Hundredths. */
  amount: bigint
}>

export async function fundBalance(db: Db, funding: Funding): Promise<void> {
  const { merchant_id, country, currency, amount } = funding
  const books = { merchant_id, environment: 'SANDBOX' as const }
  const id = newId()
  const posting = {
    ...books,
    gate: id,
    cause_kind: 'SANDBOX' as const,
    cause_id: id,
    attempt_id: null,
    lines: sandboxFunding({ ...books, country, currency }, amount),
  }
  const parts = [oneRow(db, 'funded', id), ...postEntries(db, 'funded', [posting])]
  await again(() => joined(db, parts, idsOf(db, 'entry_made')))
}
