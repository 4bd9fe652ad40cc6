// A tier of a pricing rule (contract 2.4): which amounts it holds for, and what it charges.
// Bounds are inclusive, amounts are hundredths of the network's currency; tiers never overlap.

import type { FeeChargeMode } from '../money/fee-charge-mode.ts'
import { bigint, orNull, type RowOf, text } from '../platform/columns.ts'

/** The columns of a tier, in the tables of the rules in force and in what is kept of past ones. */
export const tierRow = {
  min_amount: bigint(),
  max_amount: bigint(),
  /** Parts per million: 3.25 % is 32500n. */
  percent_ppm: bigint(),
  fixed: bigint(),
  floor_amount: orNull(bigint()),
  cap_amount: orNull(bigint()),
  fee_charge_mode: text<FeeChargeMode>(),
}
export type Tier = RowOf<typeof tierRow>

type Bounds = Pick<Tier, 'min_amount' | 'max_amount'>

/** The tier that holds `amount`, if any. */
export function findTier<T extends Bounds>(tiers: readonly T[], amount: bigint): T | undefined {
  return tiers.find((tier) => tier.min_amount <= amount && amount <= tier.max_amount)
}

/** The least amount that any tier takes; undefined when there is no tier. */
export function lowestBound(tiers: readonly Bounds[]): bigint | undefined {
  return tiers.map((tier) => tier.min_amount).reduce<bigint | undefined>(lesser, undefined)
}

/** The greatest amount that any tier takes; undefined when there is no tier. */
export function highestBound(tiers: readonly Bounds[]): bigint | undefined {
  return tiers.map((tier) => tier.max_amount).reduce<bigint | undefined>(greater, undefined)
}

const lesser = (a: bigint | undefined, b: bigint) => (a === undefined || b < a ? b : a)
const greater = (a: bigint | undefined, b: bigint) => (a === undefined || b > a ? b : a)

/** True when some amount would have two tiers: such a rule is refused when written. */
export function overlaps(tiers: readonly Bounds[]): boolean {
  return tiers.some((tier, at) =>
    tiers
      .slice(at + 1)
      .some((other) => tier.min_amount <= other.max_amount && other.min_amount <= tier.max_amount),
  )
}
