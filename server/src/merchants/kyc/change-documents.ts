// Documents come into the KYC file, leave it, and are reviewed.

import { createHash } from 'node:crypto'
import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { findPerson } from '../../people/keep-person.ts'
import { writeInTurn } from '../../platform/batch-calls.ts'
import type { Tx } from '../../platform/db.ts'
import { assert, refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { keepFile, loosenFile, putLoose, removeLoose } from '../../platform/storage/loose-files.ts'
import { sealFile } from '../../platform/storage/storage.ts'
import { lockMerchant } from '../store.ts'
import {
  type DocumentKind,
  type DocumentType,
  documents_max,
  fileBinding,
  type KycDocument,
} from './document.ts'
import { kycErrors } from './errors.ts'
import type { FileDeps } from './read-documents.ts'
import {
  countRows,
  deleteRow,
  findKyc,
  findRow,
  getDocument,
  insertRow,
  lockRow,
  type NewDocument,
  type Review,
  requireOwnDocument,
  sumBytes,
  updateKycStatus,
  updateReview,
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
  if (!(await writeInTurn(db, caller, (tx) => writeRow(tx, caller, row)))) {
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

// A file name as we keep it: the sender's own, without what could lead out of a folder, hide an
// ending or break a header. Its ending is always the one of its type.

const endings = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
} as const satisfies Record<DocumentType, string>

const stem_length_max = 100

export function cleanFileName(given: string, content_type: DocumentType): string {
  const last = given.split(/[\\/]/).at(-1) ?? ''
  const plain = last
    .normalize('NFC')
    // Control and formatting characters (those that turn the writing round too) and reserved ones.
    .replace(/[\p{C}<>:"|?*]/gu, '_')
    .replace(/\.(pdf|jpe?g|png)$/i, '')
    .replace(/^[\s.]+|[\s.]+$/g, '')
  const stem = [...plain].slice(0, stem_length_max).join('').trim()
  return `${stem === '' ? 'document' : stem}.${endings[content_type]}`
}

// A member removes a document that is not reviewed yet. The row goes first, then the file: a crash
// in between leaves a sealed file that the sweep removes. When the last one goes, nothing is under
// review any more.

/** Refuses one that was reviewed, one of another merchant (403) and one that is not there (404). */
export async function removeDocument(deps: FileDeps, caller: Caller, id: string): Promise<void> {
  const removed = await writeInTurn(deps.db, caller, (tx) => removeRow(tx, caller, id))
  await removeLoose(deps, removed.storage_key)
}

async function removeRow(tx: Tx, caller: Caller, id: string): Promise<KycDocument> {
  const { merchant_id } = caller
  const key = { merchant_id, id }
  await lockMerchant(tx, merchant_id)
  const document = await requireOwnDocument(tx, key, await lockRow(tx, key))
  if (document.status !== 'PENDING') throw refuse(kycErrors.document_reviewed)
  await deleteRow(tx, key)
  await loosenFile(tx, document.storage_key)
  const { kyc_status } = await findKyc(tx, merchant_id)
  const isEmpty = (await countRows(tx, merchant_id)) === 0
  const next = isEmpty && kyc_status === 'PENDING' ? 'NONE' : kyc_status
  if (next !== kyc_status) await updateKycStatus(tx, merchant_id, next)
  await recordAct(tx, {
    merchant_id,
    environment: null,
    actor: actorOf(caller),
    action: 'kyc_document.removed',
    target_kind: 'kyc_document',
    target_id: id,
    before: { kyc_status, kind: document.kind },
    after: { kyc_status: next },
  })
  return document
}

// Staff decide whether one document will do. A later review replaces an earlier one. The status of
// the whole file (`kyc_status`) is decided apart, and the caller writes the audit line.

export type ReviewRequest = Review & Readonly<{ merchant_id: string; id: string }>

/** How the document was and is. Refuses as `readDocumentFile` does. */
export async function reviewDocument(
  tx: Tx,
  { merchant_id, id, ...review }: ReviewRequest,
): Promise<{ before: KycDocument; after: KycDocument }> {
  const key = { merchant_id, id }
  const locked = isUuid(id) ? await lockRow(tx, key) : undefined
  const before = await requireOwnDocument(tx, key, locked)
  await updateReview(tx, key, review)
  const after = await findRow(tx, key)
  assert(after !== undefined, 'a locked document is gone')
  return { before, after }
}
