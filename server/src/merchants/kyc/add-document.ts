// A document comes into the KYC file. The file is stored first, sealed, then the row: a crash in
// between leaves a sealed file that no row names, which the sweep removes; a row without its file
// cannot be. What was not begun or was refused is then under review (`kyc_status` PENDING).

import { createHash } from 'node:crypto'
import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import { findPerson } from '../../people/find-person.ts'
import { inTransaction, type Tx } from '../../platform/db.ts'
import { assert, refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { newId } from '../../platform/ids.ts'
import { keepFile, putLoose, removeLoose } from '../../platform/storage/loose-files.ts'
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
import type { FileDeps } from './read-document-file.ts'
import {
  countRows,
  findKyc,
  getDocument,
  insertRow,
  type NewDocument,
  sumBytes,
  updateKycStatus,
} from './store.ts'

export type Upload = Readonly<{
  kind: DocumentKind
  file_name: string
  /** The type that the bytes turned out to have. */
  content_type: DocumentType
  bytes: Uint8Array
}>

/** Refuses above `documents_max`. */
export async function addDocument(
  deps: FileDeps,
  caller: Caller,
  upload: Upload,
): Promise<KycDocument> {
  const { db, keyring } = deps
  const { merchant_id, member_id } = caller
  assert(member_id !== null, 'a document without a member')
  const person = await findPerson(db, member_id)
  if (person?.email_verified !== true) throw refuse(kycErrors.email_not_verified)
  // Before anything is stored; counted again under the lock.
  if ((await countRows(db, merchant_id)) >= documents_max) throw limitReached()
  await requireRoom(deps, merchant_id, upload.bytes.length)
  const scanned_at = await scanned(deps, upload.bytes)
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
    scanned_at,
  }
  const sealed = sealFile(keyring, upload.bytes, fileBinding(key))
  const file = { key: row.storage_key, bytes: sealed, content_type: 'application/octet-stream' }
  await putLoose(deps, file)
  if (!(await inTransaction(db, (tx) => writeRow(tx, caller, row)))) {
    await removeLoose(deps, row.storage_key)
    throw limitReached()
  }
  return getDocument(db, key)
}

const limitReached = () => refuse(kycErrors.document_limit_reached)

/** Uploads at the same moment do not see each other: the bounds leave the disk room to spare. */
async function requireRoom(
  { db, uploads }: FileDeps,
  merchant_id: string,
  bytes: number,
): Promise<void> {
  const used = await sumBytes(db, merchant_id)
  if (used.merchant + bytes > uploads.merchant_bytes_max) {
    throw refuse(kycErrors.upload_quota_reached)
  }
  if (used.all + bytes > uploads.bytes_max) {
    throw refuse(transportErrors.service_unavailable, {
      note: 'UPLOADS_MAX_MB',
      retry_after_s: 3600,
    })
  }
}

/** Null where there is no scanner: staff see that. */
async function scanned({ scanner }: FileDeps, bytes: Uint8Array): Promise<Date | null> {
  if (scanner === null) return null
  if ((await scanner.scan(bytes)) === 'infected') throw refuse(kycErrors.file_infected)
  return new Date()
}

/** False when the KYC file is full. */
async function writeRow(tx: Tx, caller: Caller, row: NewDocument): Promise<boolean> {
  const { merchant_id, id, kind, content_type, size_bytes } = row
  await lockMerchant(tx, merchant_id)
  if ((await countRows(tx, merchant_id)) >= documents_max) return false
  await keepFile(tx, row.storage_key)
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
