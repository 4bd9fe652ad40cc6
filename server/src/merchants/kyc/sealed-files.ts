// The files of KYC documents, for the command that seals them again under another key.

import type { SealedFiles } from '../../platform/crypto/reseal.ts'
import { fileBinding } from './document.ts'
import { listFiles } from './store.ts'

export const sealedDocuments: SealedFiles = {
  name: 'files of kyc_documents',
  list: async (db) =>
    (await listFiles(db)).map((row) => ({
      storage_key: row.storage_key,
      bound_to: fileBinding(row),
    })),
  isNamed: async (db, key) => (await listFiles(db)).some(({ storage_key }) => storage_key === key),
}
