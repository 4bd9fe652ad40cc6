// Amounts are whole hundredths of one currency. No floating point enters this folder, and two
// currencies never meet in one sum: what would mix them is a bug.

import type { Currency } from './currency.ts'
import { insist } from './insist.ts'

export type Money = Readonly<{ hundredths: bigint; currency: Currency }>

function insistSame(a: Money, b: Money): void {
  insist(a.currency === b.currency, `${a.currency} meets ${b.currency}`)
}

export function add(a: Money, b: Money): Money {
  insistSame(a, b)
  return { ...a, hundredths: a.hundredths + b.hundredths }
}

/** May be negative: the caller decides what a negative difference means. */
export function subtract(a: Money, b: Money): Money {
  insistSame(a, b)
  return { ...a, hundredths: a.hundredths - b.hundredths }
}

/** Below zero when `a` is less, zero when equal, above when more: fit for `sort`. */
export function compare(a: Money, b: Money): -1 | 0 | 1 {
  insistSame(a, b)
  if (a.hundredths === b.hundredths) return 0
  return a.hundredths < b.hundredths ? -1 : 1
}

export function equal(a: Money, b: Money): boolean {
  return compare(a, b) === 0
}

export function smaller(a: Money, b: Money): Money {
  return compare(a, b) <= 0 ? a : b
}

export function larger(a: Money, b: Money): Money {
  return compare(a, b) >= 0 ? a : b
}
