// A file that only we may read is sealed before it leaves the process: access to the disk or the
// bucket gives nothing. Meant for files of some megabytes, which are held in memory whole.

import type { Keyring } from '../crypto/seal.ts'

/** Sealed as text, a third longer; `bound_to` names the row that the file belongs to. */
export const sealFile = (keyring: Keyring, bytes: Uint8Array, bound_to: string): Buffer =>
  keyring.seal(Buffer.from(bytes).toString('base64'), bound_to)

/** Throws when it was changed, or belongs to another row. */
export const unsealFile = (keyring: Keyring, sealed: Uint8Array, bound_to: string): Buffer =>
  Buffer.from(keyring.unseal(Buffer.from(sealed), bound_to), 'base64')
