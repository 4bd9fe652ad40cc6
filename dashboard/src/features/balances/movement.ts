// What a movement of a balance was for, in words, by how much, and where it leads.

import type { LedgerEntry } from '../../api/types.gen.ts'
import { useHere } from '../../parts/place.tsx'
import { t } from '../../words/translate.ts'

/** The page of what it was for; of a transaction its own address is found there. */
export function causeOf({
  settlement,
  wallet_transfer,
  transaction,
}: LedgerEntry): string | undefined {
  if (settlement !== null) return `/settlements/${settlement}`
  if (wallet_transfer !== null) return `/transfers/${wallet_transfer}`
  return transaction === null ? undefined : `/payments/${transaction}`
}

const outflows: readonly LedgerEntry['kind'][] = ['PAYOUT', 'REFUND', 'SETTLEMENT']

/** What goes out and comes back is said to have come back. */
export function movementOf({ kind, direction }: LedgerEntry): string {
  const name = t(`entry_${kind}`)
  return direction === 'CREDIT' && outflows.includes(kind) ? t('entry_back', { name }) : name
}

/** With its sign: what came in, what went out. */
export function useSignedSum(): (of: LedgerEntry) => string {
  const { amount } = useHere()
  return (of) =>
    of.direction === 'DEBIT'
      ? amount(`-${of.amount}`, of.currency)
      : `+${amount(of.amount, of.currency)}`
}
