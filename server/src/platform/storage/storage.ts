// The storage port: files that are no rows (logos, KYC documents), in a folder of our own or in an
// S3-compatible bucket. Law: a key is made by us, never by the sender of the file, and is checked
// again here; nothing is stored or read inside a database transaction.

import { assert, type Refusal, refuse } from '../errors.ts'
import { transportErrors } from '../http/transport-errors.ts'

export type Storage = Readonly<{
  /** Replaces what is there, whole or not at all. */
  put(key: string, bytes: Uint8Array, content_type: string): Promise<void>
  /** Undefined when there is nothing under this key. */
  get(key: string): Promise<Uint8Array | undefined>
  /** Removing what is not there succeeds. */
  remove(key: string): Promise<void>
}>

const keyPattern = /^[a-z0-9-]+(\/[a-z0-9-]+){0,5}$/
const key_length_max = 255

/** A bug unless it is lower-case words between slashes: no dot, so it leads nowhere else. */
export function assertKey(key: string): void {
  assert(keyPattern.test(key) && key.length <= key_length_max, 'a storage key of the wrong form')
}

/** Storage that cannot be reached: the same call may succeed in a moment. */
export const storageAway = (note: string): Refusal =>
  refuse(transportErrors.service_unavailable, { note: `storage: ${note}`, retry_after_s: 5 })
