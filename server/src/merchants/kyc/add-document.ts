// A document comes into the KYC file. The file is stored first, sealed, then the row: a crash in
// between leaves a sealed file that no row names, which harms nobody; a row without its file cannot
// be. What was not begun or was refused is then under review (`kyc_status` PENDING).

import { createHash } from 'node:crypto'
import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import { inTransaction, type Tx } from '../../platform/db.ts'
import { assert, refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import { sealFile } from '../../platform/storage/sealed-file.ts'
import { lockMerchant } from '../store.ts'
import { cleanFileName } from './clean-file-name.ts'
import {
  type DocumentKind,
  type DocumentType,
  documents_max,
  fileBinding,
  type KycDocument,
} from './document.ts'
import { kycErrors } from './errors.ts'
import { getDocument } from './get-document.ts'
import type { FileDeps } from './read-document-file.ts'
import { countRows, findKyc, insertRow, type NewDocument, updateKycStatus } from './store.ts'

export type Upload = Readonly<{
  kind: DocumentKind
  file_name: string
  /** What the bytes were found to be. */
  content_type: DocumentType
  bytes: Uint8Array
}>

/** Refuses above `documents_max`. */
export async function addDocument(
  { db, storage, keyring }: FileDeps,
  caller: Caller,
  upload: Upload,
): Promise<KycDocument> {
  const { merchant_id, member_id } = caller
  assert(member_id !== null, 'a document without a member')
  // Before anything is stored; counted again under the lock.
  if ((await countRows(db, merchant_id)) >= documents_max) throw limitReached()
  const key = { merchant_id, id: newId() }
  const row = {
    ...key,
    kind: upload.kind,
    file_name: cleanFileName(upload.file_name, upload.content_type),
    content_type: upload.content_type,
    size_bytes: upload.bytes.length,
    sha256: createHash('sha256').update(upload.bytes).digest(),
    storage_key: `kyc/${merchant_id}/${key.id}`,
    uploaded_by: member_id,
  }
  const sealed = sealFile(keyring, upload.bytes, fileBinding(key))
  await storage.put(row.storage_key, sealed, 'application/octet-stream')
  if (!(await inTransaction(db, (tx) => writeRow(tx, caller, row)))) {
    await storage.remove(row.storage_key)
    throw limitReached()
  }
  return getDocument(db, key)
}

const limitReached = () => refuse(kycErrors.document_limit_reached)

/** False when the KYC file is full. */
async function writeRow(tx: Tx, caller: Caller, row: NewDocument): Promise<boolean> {
  const { merchant_id, id, kind, content_type, size_bytes } = row
  await lockMerchant(tx, merchant_id)
  if ((await countRows(tx, merchant_id)) >= documents_max) return false
  await insertRow(tx, row)
  const { kyc_status } = await findKyc(tx, merchant_id)
  const next = kyc_status === 'APPROVED' ? 'APPROVED' : 'PENDING'
  if (next !== kyc_status) await updateKycStatus(tx, merchant_id, next)
  await recordAct(tx, {
    merchant_id,
    environment: null,
    actor: actorOf(caller),
    action: 'kyc_document.added',
    target_kind: 'kyc_document',
    target_id: id,
    before: { kyc_status },
    // No file name: people write names into it.
    after: { kyc_status: next, kind, content_type, size_bytes },
  })
  return true
}
