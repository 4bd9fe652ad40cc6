// The file of a document, opened: for its merchant, and for the staff who review it.

import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import type { Scanner } from '../../platform/storage/scan.ts'
import { unsealFile } from '../../platform/storage/sealed-file.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { fileBinding, type KycDocument } from './document.ts'
import { getDocument } from './store.ts'

export type FileDeps = Readonly<{
  db: Db
  storage: Storage
  keyring: Keyring
  /** Null: no scanner is set, and nothing is scanned. */
  scanner: Scanner | null
  uploads: Readonly<{ bytes_max: number; merchant_bytes_max: number }>
}>

/** Refuses an unknown id (404) or another merchant's (403). */
export async function readDocumentFile(
  { db, storage, keyring }: Pick<FileDeps, 'db' | 'storage' | 'keyring'>,
  merchant_id: string,
  id: string,
): Promise<{ document: KycDocument; bytes: Buffer }> {
  const document = await getDocument(db, { merchant_id, id })
  const sealed = await storage.get(document.storage_key)
  assert(sealed !== undefined, `the file of KYC document ${id} is not in the storage`)
  return { document, bytes: unsealFile(keyring, sealed, fileBinding(document)) }
}
