// What a transfer costs and which one staff need not approve, as the environment sets it.

import { type AutoBelow, readAutoBelow } from '../planning/auto-below.ts'
import type { Reader } from '../platform/settings/reader.ts'

/** What a transfer between two countries costs, and which one staff need not approve. */
export type TransferTerms = AutoBelow &
  Readonly<{
    /** Parts per million of the amount. Limits are in the currency that it leaves. */
    fee_percent_ppm: bigint
  }>

const transfer_fee_default_ppm = 10_000n

export function readTransferTerms(reader: Reader): TransferTerms {
  const percent = reader.percent('TRANSFER_FEE_PERCENT')
  return {
    fee_percent_ppm: percent ?? transfer_fee_default_ppm,
    auto_below: readAutoBelow(reader, 'TRANSFER', 'transfer'),
  }
}
