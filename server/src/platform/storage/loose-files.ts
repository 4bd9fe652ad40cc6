// A file and the row that names it are written one after the other, and a process may die between.
// Law: a file is listed before it is stored; the transaction whose row names it takes it off that
// list; what is left on the list for an hour is removed.

import type { Db, Tx } from '../db.ts'
import { refuse } from '../errors.ts'
import { transportErrors } from '../http/transport-errors.ts'
import type { Storage } from './storage.ts'
import { claimStrays, deleteLoose, deleteSwept, insertLoose } from './store.ts'

export type FilePlaces = Readonly<{ db: Db; storage: Storage }>

type File = Readonly<{ key: string; bytes: Uint8Array; content_type: string }>

/** Stores a file that a row is to name by `keepFile`. */
export async function putLoose({ db, storage }: FilePlaces, file: File): Promise<void> {
  await insertLoose(db, file.key)
  await storage.put(file.key, file.bytes, file.content_type)
}

/** In the transaction of the row that names it. */
export async function keepFile(tx: Tx, key: string): Promise<void> {
  if (await deleteLoose(tx, key)) return
  // It was under way for longer than any request lasts: it was swept, and must be sent again.
  throw refuse(transportErrors.service_unavailable, { note: 'the file was swept' })
}

/** In the transaction that removes the row: from now on no row names the file. */
export const loosenFile = (tx: Tx, key: string): Promise<void> => insertLoose(tx, key)

/** At once, for a file that no row names; otherwise the sweep finds it. */
export async function removeLoose({ db, storage }: FilePlaces, key: string): Promise<void> {
  await storage.remove(key)
  await deleteSwept(db, key)
}

const stray_after_s = 3600
const at_once_max = 100

/**
 * Returns how many were removed. One that the storage will not remove keeps no other: the first
 * failure is thrown when all were tried.
 */
export async function sweepFiles(places: FilePlaces): Promise<number> {
  const strays = await claimStrays(places.db, { older_than_s: stray_after_s, limit: at_once_max })
  const failures: unknown[] = []
  for (const key of strays) {
    await removeLoose(places, key).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
  return strays.length
}
