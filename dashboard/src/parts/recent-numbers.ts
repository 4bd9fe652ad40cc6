// The numbers that are offered again: each once, the last first, and none of whoever was erased.

import type { ListedTransaction } from '../api/types.gen.ts'
import { isErased } from '../ui/contested.ts'

const recents_max = 5

/** The last payment or payout of each number. */
export function lastOfEach<Row extends Pick<ListedTransaction, 'operation_msisdn'>>(
  rows: readonly Row[],
): Row[] {
  const seen = new Map<string, Row>()
  for (const row of rows) {
    const { operation_msisdn: number } = row
    if (number !== '' && !isErased(row) && !seen.has(number)) seen.set(number, row)
  }
  return [...seen.values()].slice(0, recents_max)
}
