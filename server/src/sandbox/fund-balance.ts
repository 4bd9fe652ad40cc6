// Play money for tests: a sandbox balance grows against the `sandbox_funding` account, up to a
// bound that no test needs to pass: far below what a column holds, so that no payment into such a
// balance can overflow it and fail the statement that it shares with others.

import { sandboxFunding } from '../ledger/postings.ts'
import { lockAvailable, postEntries } from '../ledger/statements.ts'
import { transactInTurn } from '../platform/batch-calls.ts'
import type { Db } from '../platform/db.ts'
import { invalid, type Text } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { runWhole } from '../platform/sql.ts'

export type Funding = Readonly<{
  merchant_id: string
  country: string
  currency: string
  /** Hundredths. */
  amount: bigint
}>

/**
 * Hundredths: a million millions of any currency, just more than one call can bring
 * (contract 2.1).
 */
const play_money_max = 100_000_000_000_000n

const tooMuch: Text = {
  en: 'A sandbox balance can hold at most 1000000000000: fund less, or pay some out first.',
  fr:
    'Un solde du bac à sable contient 1000000000000 au plus : créditez moins, ou faites ' +
    'd’abord un ' +
    'versement.',
}

/** Refuses what would bring more into the balance than it may hold. */
export async function fundBalance(db: Db, funding: Funding): Promise<void> {
  const { merchant_id, country, currency, amount } = funding
  const books = { merchant_id, environment: 'SANDBOX' as const }
  const id = newId()
  const posting = {
    ...books,
    gate_id: id,
    cause_kind: 'SANDBOX' as const,
    cause_id: id,
    attempt_id: null,
    lines: sandboxFunding({ ...books, country, currency }, amount),
  }
  await transactInTurn(db, books, async (tx) => {
    const { whole } = await lockAvailable(tx, { ...books, country })
    // What is pending or frozen comes back: it counts as well.
    if (whole + amount > play_money_max) throw invalid('amount', tooMuch)
    await runWhole(tx, postEntries(tx, [posting]), 1)
  })
}
