// Reading a merchant’s KYC file: its documents, their files, its state.

import type { SealedFiles } from '../../platform/crypto/reseal.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Db, Sql } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import type { Scanner } from '../../platform/storage/scan.ts'
import { type Storage, unsealFile } from '../../platform/storage/storage.ts'
import { fileBinding, type KycDocument, type Uploads } from './document.ts'
import { findKyc, getDocument, type KycFacts, listFiles, listRows } from './store.ts'

export const listDocuments = (sql: Sql, merchant_id: string): Promise<KycDocument[]> =>
  listRows(sql, merchant_id)

// The file of a document, opened: for its merchant, and for the staff who review it.

export type FileDeps = Readonly<{
  db: Db
  storage: Storage
  keyring: Keyring
  /** Null: no scanner is set, and nothing is scanned. */
  scanner: Scanner | null
  uploads: Uploads
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

// The merchant's KYC file as a whole: its state, and what is in it.

export async function readKyc(
  sql: Sql,
  merchant_id: string,
): Promise<KycFacts & Readonly<{ documents: KycDocument[] }>> {
  const facts = await findKyc(sql, merchant_id)
  return { ...facts, documents: await listRows(sql, merchant_id) }
}

// The files of KYC documents, for the command that seals them again under another key.

export const sealedDocuments: SealedFiles = {
  name: 'files of kyc_documents',
  list: async (db) =>
    (await listFiles(db)).map((row) => ({
      storage_key: row.storage_key,
      bound_to: fileBinding(row),
    })),
  isNamed: async (db, key) => (await listFiles(db)).some(({ storage_key }) => storage_key === key),
}
