// The active alphabetic codes of ISO 4217, with their minor units. A currency that is here but
// has no rate is refused elsewhere (422 no_exchange_rate); what is not here is no currency (400).
// Left out on purpose: metals, XDR, XTS, XXX and other codes in which nobody holds money.

import { assert } from './assert.ts'

/** An ISO 4217 code such as `XOF`, upper case. */
export type Currency = string

const WITHOUT_MINOR_UNIT = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'

const TWO_DECIMALS = `
  AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
  CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP
  GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK
  LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO
  NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS
  SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST
  XCD XCG YER ZAR ZMW ZWG`

const THREE_DECIMALS = 'BHD IQD JOD KWD LYD OMR TND'
const FOUR_DECIMALS = 'CLF UYW'

const codesByDigits = [
  [0, WITHOUT_MINOR_UNIT],
  [2, TWO_DECIMALS],
  [3, THREE_DECIMALS],
  [4, FOUR_DECIMALS],
] as const

const units = new Map<Currency, number>(
  codesByDigits.flatMap(([digits, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code) => [code, digits] as const),
  ),
)

/** Every code we know, sorted. */
export const currencies: readonly Currency[] = [...units.keys()].sort()

/** True for an active ISO 4217 code in upper case; false for anything else, whatever its type. */
export function isCurrency(code: unknown): code is Currency {
  return typeof code === 'string' && units.has(code)
}

/** Digits after the point that the currency has by ISO 4217: 0 for XOF, 2 for GHS, 3 for TND. */
export function minorUnits(code: Currency): number {
  const digits = units.get(code)
  assert(digits !== undefined, `${code} is no currency`)
  return digits
}

/**
 * The smallest sum that can be paid, in hundredths: 100n for XOF (whole francs), 1n for GHS.
 * Currencies with three or four decimals (TND, KWD …) count as 1n: every amount on the wire has two
 * fractional digits (contract 2.1), so a millime cannot be written, and hundredths are what we
 * hold.
 */
export function smallestUnit(code: Currency): bigint {
  return minorUnits(code) === 0 ? 100n : 1n
}
