// How an amount crosses an operator's wire, and back: text, a whole number, or the smallest unit.
// Law: the two directions are inverse, and what does not fit the form is refused, never rounded.

import { assert } from './assert.ts'
import { parseDecimal } from './parse-amount.ts'

export type AmountForm = Readonly<{
  /** Digits after the point that the operator takes. */
  decimals: 0 | 2
  /** `TEXT`: a decimal text; `INTEGER`: a JSON number; `SUBUNIT`: a number of smallest units. */
  wire: 'TEXT' | 'INTEGER' | 'SUBUNIT'
}>

/** Whether these hundredths can be sent in this form at all. */
export const fitsForm = (hundredths: bigint, { decimals }: AmountForm): boolean =>
  hundredths > 0n && (decimals === 2 || hundredths % 100n === 0n)

/** The text that crosses the wire; for the forms that are numbers, the digits of the number. */
export function toWire(hundredths: bigint, form: AmountForm): string {
  assert(fitsForm(hundredths, form), `${hundredths} hundredths do not fit the operator's form`)
  const digits = hundredths.toString().padStart(3, '0')
  const [units, cents] = [digits.slice(0, -2), digits.slice(-2)]
  if (form.wire === 'SUBUNIT') return form.decimals === 0 ? units : digits.replace(/^0+/, '')
  assert(form.wire === 'TEXT' || form.decimals === 0, 'a whole number has no cents')
  return form.decimals === 0 ? units : `${units}.${cents}`
}

/** Hundredths; undefined for what is no amount in this form. `5000` and `5000.00` are equal. */
export function fromWire(text: string, form: AmountForm): bigint | undefined {
  if (form.wire === 'SUBUNIT') return fromSubunit(text, form.decimals)
  const reading = parseDecimal(text)
  if (reading.is === 'invalid' || !fitsForm(reading.hundredths, form)) return undefined
  return reading.hundredths
}

function fromSubunit(text: string, decimals: 0 | 2): bigint | undefined {
  if (!/^[1-9]\d{0,13}$/.test(text)) return undefined
  return decimals === 0 ? BigInt(text) * 100n : BigInt(text)
}
