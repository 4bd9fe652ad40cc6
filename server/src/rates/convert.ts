// Exchange rates as exact fractions (money 3, FX). A rate is stored once per pair, in the direction
// it is quoted; the other direction divides. One computation, one rounding; eight digits are for
// display.

import type { Currency } from '../money/currency.ts'
import { smallestUnit } from '../money/currency.ts'
import { divideHalfUp, roundDownToUnit, roundToUnit } from '../money/round.ts'
import { assert } from '../platform/errors.ts'

/** One `from_currency` buys `rate` `to_currency`: `{EUR, XOF, "655.957"}`. */
export type RateRow = Readonly<{ from_currency: Currency; to_currency: Currency; rate: string }>

/** An exact rate: `numerator / denominator` units of the target for one of the source. */
export type Ratio = Readonly<{ numerator: bigint; denominator: bigint }>

/** How one currency becomes another, and the rows it rests on (itself: none, a cross: two). */
export type RatePath<Row extends RateRow = RateRow> = Readonly<{
  ratio: Ratio
  rows: readonly Row[]
}>

/** Through which currencies a cross may go, the better first. */
const PIVOTS: readonly Currency[] = ['EUR', 'USD']

/** `"655.957"` to 655957/1000; undefined for anything but a plain decimal above zero. */
export function parseRate(rate: string): Ratio | undefined {
  const [, whole, part = ''] = /^(\d+)(?:\.(\d+))?$/.exec(rate) ?? []
  if (whole === undefined) return undefined
  const numerator = BigInt(whole + part)
  return numerator > 0n ? { numerator, denominator: 10n ** BigInt(part.length) } : undefined
}

/**
 * The way from one currency to another among the rates in force (at most one row for a pair): the
 * pair itself, its inverse, or one cross through EUR or USD. Undefined: 422 `no_exchange_rate`.
 */
export function findPath<Row extends RateRow>(
  rates: readonly Row[],
  from: Currency,
  to: Currency,
): RatePath<Row> | undefined {
  if (from === to) return { ratio: { numerator: 1n, denominator: 1n }, rows: [] }
  return findPair(rates, from, to) ?? findCross(rates, from, to)
}

function findPair<Row extends RateRow>(
  rates: readonly Row[],
  from: Currency,
  to: Currency,
): RatePath<Row> | undefined {
  const direct = rates.find((row) => row.from_currency === from && row.to_currency === to)
  if (direct) return { ratio: ratioOf(direct), rows: [direct] }
  const inverse = rates.find((row) => row.from_currency === to && row.to_currency === from)
  if (!inverse) return undefined
  const { numerator, denominator } = ratioOf(inverse)
  return { ratio: { numerator: denominator, denominator: numerator }, rows: [inverse] }
}

function findCross<Row extends RateRow>(
  rates: readonly Row[],
  from: Currency,
  to: Currency,
): RatePath<Row> | undefined {
  for (const pivot of PIVOTS) {
    const first = findPair(rates, from, pivot)
    const second = findPair(rates, pivot, to)
    if (first && second) {
      const numerator = first.ratio.numerator * second.ratio.numerator
      const denominator = first.ratio.denominator * second.ratio.denominator
      return { ratio: { numerator, denominator }, rows: [...first.rows, ...second.rows] }
    }
  }
  return undefined
}

function ratioOf(row: RateRow): Ratio {
  const ratio = parseRate(row.rate)
  assert(ratio, `rate ${row.from_currency}→${row.to_currency} is ${row.rate}`)
  return ratio
}

export type Conversion<Row extends RateRow = RateRow> = Readonly<{
  /** Hundredths of the target, whole smallest units. May be zero for a tiny amount. */
  converted: bigint
  /** × 10⁸, half up: for display and the record only, never computed with. */
  rate_e8: bigint
  /** The rates it rests on; the oldest `effective_at` of them is the conversion's. */
  rows: readonly Row[]
}>

export type ToConvert = Readonly<{ amount: bigint; from: Currency; to: Currency }>

/**
 * Converts `amount` (hundredths of `from`) at the rates in force, half up to the smallest unit;
 * undefined without a path. DOWN where the same person may convert it back: there and back again
 * must never be more than it was (contract 8.13).
 */
export function convert<Row extends RateRow>(
  rates: readonly Row[],
  { amount, from, to }: ToConvert,
  rounding: 'HALF_UP' | 'DOWN' = 'HALF_UP',
): Conversion<Row> | undefined {
  const path = findPath(rates, from, to)
  if (!path) return undefined
  const { numerator, denominator } = path.ratio
  const round = rounding === 'DOWN' ? roundDownToUnit : roundToUnit
  return {
    converted: round(amount * numerator, denominator, smallestUnit(to)),
    rate_e8: divideHalfUp(numerator * 10n ** 8n, denominator),
    rows: path.rows,
  }
}
