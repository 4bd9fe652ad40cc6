// A file and the row that names it are written one after the other, and a process may die between.
// Law: a file is written down before it is stored; whoever names it in a row takes it off that list
// in the same transaction; what is left on the list for an hour is removed.

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
  // Longer under way than any request lives: it was swept, and is sent again.
  throw refuse(transportErrors.service_unavailable, { note: 'the file was swept' })
}

/** In the transaction that takes the row away: from now on nobody names the file. */
export const loosenFile = (tx: Tx, key: string): Promise<void> => insertLoose(tx, key)

/** At once, for what is known to be named by nobody; else the sweep finds it. */
export async function removeLoose({ db, storage }: FilePlaces, key: string): Promise<void> {
  await storage.remove(key)
  await deleteSwept(db, key)
}

const stray_after_s = 3600
const at_once_max = 100

/** How many were removed. */
export async function sweepFiles(places: FilePlaces): Promise<number> {
  const strays = await claimStrays(places.db, { older_than_s: stray_after_s, limit: at_once_max })
  for (const key of strays) await removeLoose(places, key)
  return strays.length
}
