// Opaque signed cursors (contract 1.6). A cursor is a position, not a right: it is signed so that
// nobody builds one, and the list's own filters still decide what is seen.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { type Invalid, invalid } from '../errors.ts'

const CursorShape = Type.Object({
  dir: Type.Union([Type.Literal('next'), Type.Literal('prev')]),
  created_at: Type.String(),
  id: Type.String(),
})

/**
 * A place between two rows of a list that runs from the newest down. `created_at` keeps
 * PostgreSQL's microseconds as text: a `Date` would lose three digits and skip rows.
 */
export type Cursor = Readonly<Static<typeof CursorShape>>

const mac_bytes = 16

const macOf = (secret: Uint8Array, payload: string): Buffer =>
  createHmac('sha256', secret).update(`cursor\0${payload}`).digest().subarray(0, mac_bytes)

export function signCursor(secret: Uint8Array, cursor: Cursor): string {
  const payload = JSON.stringify([cursor.dir, cursor.created_at, cursor.id])
  return Buffer.concat([macOf(secret, payload), Buffer.from(payload)]).toString('base64url')
}

const wrongCursor = (): Invalid =>
  invalid('cursor', {
    en: 'Use the cursor of a "next" or "previous" link unchanged.',
    fr: 'Utilisez tel quel le curseur d’un lien « next » ou « previous ».',
  })

/** Throws `Invalid` on `cursor` for anything that `signCursor` did not make with this secret. */
export function readCursor(secret: Uint8Array, text: string): Cursor {
  const bytes = Buffer.from(text, 'base64url')
  // A second spelling of the same bytes (padding, stray characters) is a changed cursor too.
  if (bytes.length <= mac_bytes || bytes.toString('base64url') !== text) throw wrongCursor()
  const payload = bytes.subarray(mac_bytes).toString()
  if (!timingSafeEqual(bytes.subarray(0, mac_bytes), macOf(secret, payload))) throw wrongCursor()
  const [dir, created_at, id]: unknown[] = JSON.parse(payload)
  const cursor = { dir, created_at, id }
  if (!Value.Check(CursorShape, cursor)) throw wrongCursor()
  return cursor
}
