// What paying a merchant out by bank costs and which settlement staff need not approve, as the
// environment sets it.

import type { Currency } from '../money/currency.ts'
import {
  type AutoBelow,
  readAutoBelow,
  readSums,
  type SumsByCurrency,
  sumOf,
} from '../planning/auto-below.ts'
import type { Reader } from '../platform/settings/reader.ts'

/** What it costs to pay a merchant out by bank, and which settlement staff need not approve. */
export type SettlementTerms = AutoBelow &
  Readonly<{
    /** Parts per million of the amount. */
    bank_fee_percent_ppm: bigint
    /** By the settlement's currency, as its limits are. */
    bank_fee_fixed: SumsByCurrency
  }>

/** Hundredths of `currency` of the bank's fixed fee; zero where none is named. */
export const bankFeeFixed = (terms: SettlementTerms, currency: Currency): bigint =>
  sumOf(terms.bank_fee_fixed, currency)

export function readSettlementTerms(reader: Reader): SettlementTerms {
  const percent = reader.percent('SETTLEMENT_BANK_FEE_PERCENT')
  return {
    bank_fee_percent_ppm: percent ?? 0n,
    bank_fee_fixed: readSums(reader, 'SETTLEMENT_BANK_FEE_FIXED', 'no fixed fee') ?? {},
    auto_below: readAutoBelow(reader, 'SETTLEMENT', 'settlement'),
  }
}
