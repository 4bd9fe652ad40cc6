// Seals again, under the first key of SECRET_KEY, what an older one sealed, so that the older one
// can be removed. Law: portion by portion, each row by a statement that names what it replaces; it
// can be stopped and resumed at any point, while the service runs.

import type { Db } from '../db.ts'
import type { Storage } from '../storage/storage.ts'
import type { Keyring } from './seal.ts'
import {
  countSealedOtherwise,
  listSealedOtherwise,
  replaceSealed,
  type SealedColumn,
  type SealedRow,
} from './store.ts'

export type { SealedColumn } from './store.ts'

/** Sealed files in the storage, as their rows name them. */
export type SealedFiles = Readonly<{
  name: string
  list: (db: Db) => Promise<readonly SealedFile[]>
  /** Checked after a file was rewritten: its row may have gone meanwhile. */
  isNamed: (db: Db, storage_key: string) => Promise<boolean>
}>

export type SealedFile = Readonly<{ storage_key: string; bound_to: string }>

export type Resealed = Readonly<{
  what: string
  resealed: number
  /** Still under an older key, or not known: what no key opens, and files that are missing. */
  left: number
  /** Of these, the files that their rows name and the storage does not have. */
  missing: number
}>

const portion = 500

/** Returns how many it sealed anew. */
export async function resealColumn(
  db: Db,
  keyring: Keyring,
  column: SealedColumn,
): Promise<number> {
  const { key_id } = keyring
  let resealed = 0
  let rows: readonly SealedRow[] = []
  let after: readonly string[] = []
  do {
    rows = await listSealedOtherwise(db, column, { key_id, after, limit: portion })
    for (const row of rows) {
      after = row.key
      const text = opened(keyring, row.sealed, column.bindingOf(row.key))
      if (text === undefined) continue
      const fresh = keyring.seal(text, column.bindingOf(row.key))
      if (await replaceSealed(db, column, { ...row, fresh })) resealed += 1
    }
  } while (rows.length === portion)
  return resealed
}

/** How many are still under another key. */
export const countColumn = (db: Db, keyring: Keyring, column: SealedColumn): Promise<number> =>
  countSealedOtherwise(db, column, keyring.key_id)

export const nameOf = ({ table, column }: SealedColumn): string => `${table}.${column}`

/** Undefined when none of our keys opens it: it is left, and counted. */
function opened(keyring: Keyring, sealed: Buffer, bound_to: string): string | undefined {
  try {
    return keyring.unseal(sealed, bound_to)
  } catch {
    return undefined
  }
}

type Deps = Readonly<{ db: Db; keyring: Keyring; storage: Storage }>

/** With `only_count` nothing is written. */
export async function resealFiles(
  { db, keyring, storage }: Deps,
  files: SealedFiles,
  only_count: boolean,
): Promise<Resealed> {
  let [resealed, left] = [0, 0]
  const absent: string[] = []
  for (const { storage_key, bound_to } of await files.list(db)) {
    const bytes = await storage.get(storage_key)
    if (bytes === undefined) absent.push(storage_key)
    if (bytes === undefined || keyring.isCurrent(Buffer.from(bytes))) continue
    const text = only_count ? undefined : opened(keyring, Buffer.from(bytes), bound_to)
    if (text === undefined) {
      left += 1
      continue
    }
    await storage.put(storage_key, keyring.seal(text, bound_to), 'application/octet-stream')
    resealed += 1
    if (!(await files.isNamed(db, storage_key))) await storage.remove(storage_key)
  }
  const missing = absent.length === 0 ? 0 : await countNamed(db, files, absent)
  return { what: files.name, resealed, left: left + missing, missing }
}

/** A row may have gone with its file since it was listed. */
async function countNamed(db: Db, files: SealedFiles, keys: readonly string[]): Promise<number> {
  const named = new Set((await files.list(db)).map(({ storage_key }) => storage_key))
  return keys.filter((key) => named.has(key)).length
}
