// A phone number as people of its country group it; the calling code stays, because a shop has
// customers on both sides of a border.

/** Calling code, and how the digits after it are grouped. */
const groups: readonly (readonly [string, readonly number[]])[] = [
  ['+229', [2, 2, 2, 2, 2]],
  ['+225', [2, 2, 2, 2, 2]],
  ['+221', [2, 3, 2, 2]],
  ['+228', [2, 2, 2, 2]],
  ['+226', [2, 2, 2, 2]],
  ['+223', [2, 2, 2, 2]],
  ['+227', [2, 2, 2, 2]],
  ['+235', [2, 2, 2, 2]],
  ['+236', [2, 2, 2, 2]],
  ['+237', [1, 2, 2, 2, 2]],
  ['+233', [2, 3, 4]],
  ['+234', [3, 3, 4]],
  ['+224', [3, 2, 2, 2]],
  ['+243', [3, 3, 3]],
  ['+241', [2, 2, 2, 2]],
  ['+242', [2, 3, 4]],
  ['+245', [3, 3, 3]],
]

/** One by itself, also with its digits grouped; part of no word, as of a reference. */
const numbers = /(?<![\w+])\+[1-9](?:[ \u00a0\u202f]?\d){7,14}(?!\w)/g

/**
 * A text with the four digits before the last two of each number in it hidden,
 * "+229 01 97 •• •• 10"; references, names and sums stay as they are.
 */
export const hidePhone = (text: string): string =>
  text.replace(numbers, (found) =>
    writePhone(found.replace(/[^+\d]/g, '')).replace(/\d(?=(?:\D*\d){2,5}$)/g, '•'),
  )

/** `+2290197000010` to "+229 01 97 00 00 10"; a number of no known pattern is left as it is. */
export function writePhone(e164: string): string {
  const [code, sizes] = groups.find(([one]) => e164.startsWith(one)) ?? []
  if (code === undefined || sizes === undefined) return e164
  const digits = e164.slice(code.length)
  const pattern = new RegExp(`^${sizes.map((size) => `(\\d{${size}})`).join('')}$`)
  const found = pattern.exec(digits)
  if (found === null) return e164
  const [, ...parts] = found
  return [code, ...parts].join('\u00a0')
}
