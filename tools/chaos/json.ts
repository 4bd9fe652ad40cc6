// JSON of another process as it is read here: any field may be looked at, none is trusted.

import { isObject } from '../fuzz/json-text.ts'

/** The value at a path of fields; undefined where there is none. */
export function at(value: unknown, ...fields: readonly string[]): unknown {
  let here: unknown = value
  for (const field of fields) here = isObject(here) ? here[field] : undefined
  return here
}

export function textAt(value: unknown, ...fields: readonly string[]): string {
  const found = at(value, ...fields)
  return typeof found === 'string' ? found : ''
}

/** Undefined when it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // What a dying process has left unfinished.
    return undefined
  }
}
