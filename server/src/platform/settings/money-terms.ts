// What money costs and what staff need not approve, as the environment sets it. Law: a sum names
// its currency, and counts in no other.

import { type Currency, isCurrency, smallestUnit } from '../../money/currency.ts'
import { parseHundredths } from '../../money/parse-amount.ts'
import { parsePercent } from '../../money/percent.ts'
import type { Environment } from '../http/route.ts'
import { parseCount, type Reader } from './reader.ts'

/** Hundredths of each currency that is named; one that is not has none (zero). */
export type SumsByCurrency = Readonly<Record<Currency, bigint>>

type AutoBelow = Readonly<{ auto_below: Readonly<Record<Environment, SumsByCurrency>> }>

/** Below this many hundredths of `currency` nobody approves; zero: staff approve every one. */
export const autoBelow = (terms: AutoBelow, environment: Environment, currency: Currency) =>
  sumOf(terms.auto_below[environment], currency)

/** Hundredths of `currency` of the bank's fixed fee; zero where none is named. */
export const bankFeeFixed = (terms: SettlementTerms, currency: Currency): bigint =>
  sumOf(terms.bank_fee_fixed, currency)

const sumOf = (sums: SumsByCurrency, currency: Currency): bigint => sums[currency] ?? 0n

/** What a transfer between two countries costs, and which one staff need not approve. */
export type TransferTerms = AutoBelow &
  Readonly<{
    /** Parts per million of the amount. Limits are in the currency that it leaves. */
    fee_percent_ppm: bigint
  }>

/** What it costs to pay a merchant out by bank, and which settlement staff need not approve. */
export type SettlementTerms = AutoBelow &
  Readonly<{
    /** Parts per million of the amount. */
    bank_fee_percent_ppm: bigint
    /** By the settlement's currency, as its limits are. */
    bank_fee_fixed: SumsByCurrency
  }>

const transfer_fee_default_ppm = 10_000n
const percentText = 'a percentage from 0 to 100 with at most four decimals, such as 1.25'

export function readTransferTerms(reader: Reader): TransferTerms {
  const percent = reader.value('TRANSFER_FEE_PERCENT', parsePercent, percentText)
  return {
    fee_percent_ppm: percent ?? transfer_fee_default_ppm,
    auto_below: readAutoBelow(reader, 'TRANSFER', 'transfer'),
  }
}

export function readSettlementTerms(reader: Reader): SettlementTerms {
  const percent = reader.value('SETTLEMENT_BANK_FEE_PERCENT', parsePercent, percentText)
  return {
    bank_fee_percent_ppm: percent ?? 0n,
    bank_fee_fixed: readSums(reader, 'SETTLEMENT_BANK_FEE_FIXED', 'no fixed fee') ?? {},
    auto_below: readAutoBelow(reader, 'SETTLEMENT', 'settlement'),
  }
}

/** Limits for both environments, or for each, which then names its currencies anew. */
function readAutoBelow(reader: Reader, name: string, what: string) {
  const none = `staff approve every ${what}`
  const sums = (end: string) => readSums(reader, `${name}_AUTO_BELOW${end}`, none)
  const both = sums('') ?? {}
  return { SANDBOX: sums('_SANDBOX') ?? both, LIVE: sums('_LIVE') ?? both }
}

/** `none`: what `0` means, and what a currency gets that is not named. */
const readSums = (reader: Reader, name: string, none: string) =>
  reader.value(
    name,
    parseSums,
    `currencies with their amounts such as XOF:50000,GHS:300.50; 0 or a currency left out: ${none}`,
  )

/**
 * `"XOF:50000,GHS:300"`; undefined for anything else, above all a bare number, which would be both
 * 50 000 francs and 50 000 dollars. `"0"` is the same in every currency.
 */
function parseSums(text: string): SumsByCurrency | undefined {
  if (/^0+(\.0{1,2})?$/.test(text)) return {}
  const sums: Record<Currency, bigint> = {}
  for (const part of text.split(',')) {
    const [, code = '', amount = ''] = /^\s*([A-Z]{3})\s*:\s*([\d.]+)\s*$/.exec(part) ?? []
    const sum = parseHundredths(amount)
    if (sum === undefined || !isCurrency(code) || Object.hasOwn(sums, code)) return undefined
    if (sum % smallestUnit(code) !== 0n) return undefined
    sums[code] = sum
  }
  return sums
}

const cooling_hours_default = 24
const cooling_hours_max = 720

export function readCoolingHours(reader: Reader): number {
  const expected = `a whole number of hours from 0 to ${cooling_hours_max}`
  const hours = reader.value('PAYOUT_METHOD_COOLING_HOURS', parseCoolingHours, expected)
  return hours ?? cooling_hours_default
}

function parseCoolingHours(text: string): number | undefined {
  const hours = parseCount(text)
  return hours !== undefined && hours <= cooling_hours_max ? hours : undefined
}

const rate_step_default_ppm = 50_000n

/** Parts per million: how far one member of staff may move an exchange rate within 24 hours. */
export const readRateStep = (reader: Reader): bigint =>
  reader.value('RATE_STEP_PERCENT', parsePercent, percentText) ?? rate_step_default_ppm
