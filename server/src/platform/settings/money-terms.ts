// What money costs and what staff need not look at, as the environment says it.

import { parseHundredths } from '../../money/parse-amount.ts'
import { parsePercent } from '../../money/percent.ts'
import type { Environment } from '../http/route.ts'
import { parseCount, type Reader } from './reader.ts'

/** What a transfer between two countries costs, and which one staff need not approve. */
export type TransferTerms = Readonly<{
  /** Parts per million of the amount. */
  fee_percent_ppm: bigint
  /** Hundredths of the currency it leaves; zero: staff approve every one. */
  auto_below: Readonly<Record<Environment, bigint>>
}>

/** What it costs to pay a merchant out by bank, and which settlement staff need not approve. */
export type SettlementTerms = Readonly<{
  /** Parts per million of the amount. */
  bank_fee_percent_ppm: bigint
  /** Hundredths of the settlement's currency. */
  bank_fee_fixed: bigint
  /** Hundredths of the settlement's currency; zero: staff approve every one. */
  auto_below: Readonly<Record<Environment, bigint>>
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
  const fixedText = 'an amount such as 500 or 12.50'
  return {
    bank_fee_percent_ppm: percent ?? 0n,
    bank_fee_fixed: reader.value('SETTLEMENT_BANK_FEE_FIXED', parseHundredths, fixedText) ?? 0n,
    auto_below: readAutoBelow(reader, 'SETTLEMENT', 'settlement'),
  }
}

/** One limit for both environments, or one for each. */
function readAutoBelow(reader: Reader, name: string, what: string) {
  const expected = `an amount such as 5000 or 12.50; 0: staff approve every ${what}`
  const amount = (end: string) =>
    reader.value(`${name}_AUTO_BELOW${end}`, parseHundredths, expected)
  const both = amount('') ?? 0n
  return { SANDBOX: amount('_SANDBOX') ?? both, LIVE: amount('_LIVE') ?? both }
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

/** Parts per million: how far one of the staff may move an exchange rate within 24 hours. */
export const readRateStep = (reader: Reader): bigint =>
  reader.value('RATE_STEP_PERCENT', parsePercent, percentText) ?? rate_step_default_ppm
