// Amounts of the operator: whole hundredths in a bigint, decimal text on the wire. Nothing is ever
// rounded here. Written apart from the server's money on purpose, so that the two can disagree.

/** Currencies without a minor unit: the operator refuses `100.50` of them. */
const wholeOnly = new Set(['XOF', 'XAF', 'GNF', 'RWF', 'UGX', 'BIF', 'KMF', 'DJF'])

export const isWholeOnly = (currency: string): boolean => wholeOnly.has(currency)

/** Decimal text to hundredths; undefined when it is no amount that this currency can carry. */
export function parseAmount(text: string, currency: string): bigint | undefined {
  const [, units, part = ''] = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text) ?? []
  if (units === undefined) return undefined
  const hundredths = BigInt(units + part.padEnd(2, '0'))
  if (hundredths === 0n) return undefined
  return wholeOnly.has(currency) && hundredths % 100n !== 0n ? undefined : hundredths
}

/** Hundredths to text with exactly two fractional digits, as every answer shows them. */
export function formatAmount(hundredths: bigint): string {
  const digits = hundredths.toString().padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** For a payer's eyes: digits in groups of three, and no `.00` (`10 325 XOF`). */
export function spellAmount(hundredths: bigint, currency: string): string {
  const [units = '0', part = '00'] = formatAmount(hundredths).split('.')
  const grouped = units.replace(/\B(?=(\d{3})+$)/g, '\u00a0')
  return `${grouped}${part === '00' ? '' : `.${part}`}\u00a0${currency}`
}
