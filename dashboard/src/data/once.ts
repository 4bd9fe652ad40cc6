// Doing a thing once: the key that a form sends with what it asks for, so that an answer that was
// lost can be asked for again without doing the thing again. Law: until the API has said what came
// of it, the same thing asked for again has the same key, however the reader came back to it, also
// by loading the page anew.

import type { Failure, Place } from './call.ts'

const shelf = 'pirogue-deeds'

type Kept = Readonly<{ of: string; deeds: readonly (readonly [name: string, key: string])[] }>

const before = readShelf()
/** Whose they are: a member's id. */
const seat = { of: before?.of }
/** By what was asked for, in short: what was sent and has no answer yet, also before a reload. */
const sent = new Map(before?.deeds)
/** Its key, for each deed that this page has looked at. */
const looked = new Map<string, string>()

/** One for each deed at its place, until it is settled; `kept`: whoever still needs its old one. */
export function keyOf(place: Place, deed: object, kept?: string): string {
  const name = inShort(JSON.stringify([place, deed]))
  const key = kept ?? sent.get(name) ?? looked.get(name) ?? newKey()
  looked.set(name, key)
  return key
}

/** It goes out now: from here on it may have been done. */
export function begun(key: string): void {
  for (const [name, one] of looked) if (one === key) sent.set(name, key)
  writeShelf()
}

/** Whether it went out before and nobody has said what came of it. */
export const wasBegun = (key: string): boolean => [...sent.values()].includes(key)

/**
 * The API has said what came of it, also that it refuses: under its key it says the same for ever,
 * so the same asked for again is another deed, with a key of its own.
 */
export function settled(key: string): void {
  for (const known of [sent, looked]) {
    for (const [name, one] of known) if (one === key) known.delete(name)
  }
  writeShelf()
}

/** Whoever sits here next has asked for nothing. */
export function deedsAreOf(member_id: string): void {
  if (seat.of !== member_id) forgetDeeds()
  seat.of = member_id
}

/** Nobody sits here any more. */
export function forgetDeeds(): void {
  sent.clear()
  looked.clear()
  writeShelf()
}

function readShelf(): Kept | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(shelf) ?? '')
  } catch {
    return undefined
  }
}

/** A browser that keeps nothing loses what a reload would have needed, and no more. */
function writeShelf(): void {
  try {
    if (sent.size === 0) sessionStorage.removeItem(shelf)
    else sessionStorage.setItem(shelf, JSON.stringify({ of: seat.of, deeds: [...sent] }))
  } catch {
    return
  }
}

const factors = [31, 131, 65_599] as const
const below = 2_147_483_647

/**
 * The same text has the same one, other texts another: of what is kept in the tab, so that neither
 * a number nor a sum is. It proves nothing; the API compares what comes under a key anyway.
 */
function inShort(text: string): string {
  const sums = factors.map((factor) =>
    [...text].reduce((sum, letter) => (sum * factor + (letter.codePointAt(0) ?? 0)) % below, 7),
  )
  return sums.map((sum) => sum.toString(36)).join('.')
}

/** Of 32 hexadecimal digits; `crypto.randomUUID` is missing from pages that came without https. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

/** Refused before anybody looked at the key: nothing is said of what was sent with it before. */
const before_the_key: readonly number[] = [401, 403, 408, 425, 429]

/** Its key came before, with what is no part of its name: a code. What came of that is listed. */
export const isOther = (failure: Failure | undefined): boolean =>
  failure?.is === 'refused' && failure.code === 'idempotency_conflict'

/**
 * Whether it may have been done although this came back: no answer, one of a machine on the way or
 * of one that broke, or "it is being done".
 */
export function isUnsure(failure: Failure, wasUnsure: boolean): boolean {
  if (failure.is === 'unreached') return true
  if (failure.is === 'fields' || failure.is === 'offline') return wasUnsure
  if (failure.status >= 500 || failure.code === 'idempotency_in_progress') return true
  if (isOther(failure)) return true
  return wasUnsure && before_the_key.includes(failure.status)
}
