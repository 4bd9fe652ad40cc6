// The storage port: files that are no rows (logos, KYC documents), in a folder of our own or in an
// S3-compatible bucket. Law: a key is made by us, never by the sender of the file, and is checked
// again here; nothing is stored or read inside a database transaction.

import type { Keyring } from '../crypto/seal.ts'
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

// A file that only we may read is sealed before it leaves the process: access to the disk or the
// bucket gives nothing. Meant for files of some megabytes, which are kept in memory whole.

/** Sealed as text, a third longer; `bound_to` names the row that the file belongs to. */
export const sealFile = (keyring: Keyring, bytes: Uint8Array, bound_to: string): Buffer =>
  keyring.seal(Buffer.from(bytes).toString('base64'), bound_to)

/** Throws when it was changed, or belongs to another row. */
export const unsealFile = (keyring: Keyring, sealed: Uint8Array, bound_to: string): Buffer =>
  Buffer.from(keyring.unseal(Buffer.from(sealed), bound_to), 'base64')
