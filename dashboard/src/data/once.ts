// Doing a thing once: the key that a form sends with what it asks for, so that an answer that was
// lost can be asked for again without doing the thing again. Law: until the API has said what came
// of it, the same thing asked for again has the same key, however the reader came back to it.

import type { Failure, Place } from './call.ts'

const open = new Map<string, string>()

/** One for each deed at its place, until it is settled. */
export function keyOf(place: Place, deed: object): string {
  const name = JSON.stringify([place, deed])
  const key = open.get(name) ?? newKey()
  open.set(name, key)
  return key
}

/** The API has said what came of it: the same asked for again is another deed. */
export function settled(key: string): void {
  for (const [name, one] of open) if (one === key) open.delete(name)
}

/** Of 32 hexadecimal digits; `crypto.randomUUID` is missing from pages that came without https. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

/** Refused before anybody looked at the key: nothing is said of what was sent with it before. */
const before_the_key: readonly number[] = [401, 403, 408, 425, 429]

/**
 * Whether it may have been done although this came back: no answer, one of a machine on the way or
 * of one that broke, or "it is being done".
 */
export function isUnsure(failure: Failure, wasUnsure: boolean): boolean {
  if (failure.is === 'unreached') return true
  if (failure.is === 'fields') return false
  if (failure.is === 'offline') return wasUnsure
  if (failure.status >= 500 || failure.code === 'idempotency_in_progress') return true
  return wasUnsure && before_the_key.includes(failure.status)
}
