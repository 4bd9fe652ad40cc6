// What the filters of an address may be, so that one which narrows nothing is never said to: what
// cannot be is no filter, and goes from the address.

/** The others are those that stand before it and are filters. */
type Test = (value: string, others: Readonly<Partial<Record<string, string>>>) => boolean

/** One of a closed list, or what a test says. */
export type MayBe = readonly string[] | Test

export const anyText: Test = () => true

/** As the calendar has it: the 30th of February is none. */
export const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

/** As the API writes sums. */
export const isSum = (text: string): boolean => /^\d{1,12}(\.\d{1,2})?$/.test(text)

export const isId = (text: string): boolean =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)

export const isPageNumber = (text: string): boolean => /^[1-9]\d{0,5}$/.test(text)

export const period = { from: isDay, to: isDay } as const

export function canBe(
  mayBe: MayBe,
  value: string,
  others: Readonly<Partial<Record<string, string>>>,
): boolean {
  return typeof mayBe === 'function' ? mayBe(value, others) : mayBe.includes(value)
}
