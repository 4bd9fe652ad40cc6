// JSON from outside, read by narrowing, field by field: what is not as documented is not read. No
// text of it keeps a control character, because a NUL cannot be stored.

export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The fields of a JSON object; undefined for any other text, and for one that has a key twice in
 * one object: readers differ on which of the two counts (RFC 8259, section 4), so neither does.
 */
export function readFields(raw: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(raw)
    return isFields(value) && keysIn(value) === keysWritten(raw) ? value : undefined
  } catch {
    // Also of what is nested deeper than it can be walked through.
    return undefined
  }
}

function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const all: readonly unknown[] = Object.values(value)
  const own = Array.isArray(value) ? 0 : all.length
  return all.reduce<number>((sum, one) => sum + keysIn(one), own)
}

/** In JSON that can be read, a text before a colon is a key, and nothing else is. */
function keysWritten(raw: string): number {
  const text = /"(?:[^"\\]|\\.)*"\s*(:)?/g
  let keys = 0
  for (let found = text.exec(raw); found !== null; found = text.exec(raw)) {
    if (found[1] !== undefined) keys += 1
  }
  return keys
}

const word = /^\P{Cc}{1,128}$/u

/** A short text (a reference, a code); empty when the field is none. */
export function wordIn(fields: Fields, name: string): string {
  const value = fields[name]
  return typeof value === 'string' && word.test(value) ? value : ''
}

/** A sentence for the log and for staff: one line, at most 200 characters, may be empty. */
export function sentenceIn(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string') return ''
  return clip(value.slice(0, 1000).replace(/\p{Cc}+/gu, ' '), 200)
}

/** At most so many whole characters: never half of a pair. */
export function clip(text: string, characters_max: number): string {
  return [...text].slice(0, characters_max).join('')
}
