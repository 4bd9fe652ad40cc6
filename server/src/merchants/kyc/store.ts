// The statements about KYC documents. A deleted one is no more than a mark for the audit.

import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import { ownershipOf } from '../../platform/http/ownership.ts'
import { isUuid } from '../../platform/ids.ts'
import type { KycDocument, ReviewStatus } from './document.ts'

const documentColumns = (sql: Sql): Fragment => sql`
  merchant_id, id, kind, file_name, content_type, size_bytes, sha256, storage_key, status, note,
  uploaded_by, reviewed_by, reviewed_at, scanned_at, created_at`

export type DocumentKey = Readonly<{ merchant_id: string; id: string }>

/** Newest first: at most `documents_max`. */
export const listRows = (sql: Sql, merchant_id: string): Promise<KycDocument[]> => sql<
  KycDocument[]
>`
  select ${documentColumns(sql)}
    from kyc_documents
   where merchant_id = ${merchant_id} and deleted_at is null
   order by created_at desc, id desc`

export async function findRow(sql: Sql, key: DocumentKey): Promise<KycDocument | undefined> {
  const [row] = await sql<KycDocument[]>`
    select ${documentColumns(sql)}
      from kyc_documents
     where merchant_id = ${key.merchant_id} and id = ${key.id} and deleted_at is null`
  return row
}

export async function lockRow(tx: Tx, key: DocumentKey): Promise<KycDocument | undefined> {
  const [row] = await tx<KycDocument[]>`
    select ${documentColumns(tx)}
      from kyc_documents
     where merchant_id = ${key.merchant_id} and id = ${key.id} and deleted_at is null
       for update`
  return row
}

export const requireOwnDocument = ownershipOf('kyc_documents', {
  at_control: true,
  only: (sql) => sql`deleted_at is null`,
})

/** Of the merchant (contract 3.5). An ill-formed id is not found. */
export async function getDocument(sql: Sql, key: DocumentKey): Promise<KycDocument> {
  const document = isUuid(key.id) ? await findRow(sql, key) : undefined
  return requireOwnDocument(sql, key, document)
}

export type NewDocument = Pick<
  KycDocument,
  | 'merchant_id'
  | 'id'
  | 'kind'
  | 'file_name'
  | 'content_type'
  | 'size_bytes'
  | 'sha256'
  | 'storage_key'
  | 'uploaded_by'
  | 'scanned_at'
>

export async function insertRow(tx: Tx, row: NewDocument): Promise<void> {
  await tx`
    insert into kyc_documents (merchant_id, id, kind, file_name, content_type, size_bytes, sha256,
      storage_key, uploaded_by, scanned_at)
    values (${row.merchant_id}, ${row.id}, ${row.kind}, ${row.file_name}, ${row.content_type},
      ${row.size_bytes}, ${row.sha256}, ${row.storage_key}, ${row.uploaded_by},
      ${row.scanned_at})`
}

export async function countRows(sql: Sql, merchant_id: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from kyc_documents
     where merchant_id = ${merchant_id} and deleted_at is null`
  return row?.count ?? 0
}

export type UploadedBytes = Readonly<{ merchant: number; all: number }>

/**
 * The bytes of the files that are kept; `all` reads the whole table, which holds one file a row.
 */
export async function sumBytes(sql: Sql, merchant_id: string): Promise<UploadedBytes> {
  const [row] = await sql<UploadedBytes[]>`
    select coalesce(sum(size_bytes) filter (where merchant_id = ${merchant_id}), 0)::float8
             as merchant,
           coalesce(sum(size_bytes), 0)::float8 as all
      from kyc_documents where deleted_at is null`
  return row ?? { merchant: 0, all: 0 }
}

export async function deleteRow(tx: Tx, key: DocumentKey): Promise<void> {
  await tx`
    update kyc_documents set deleted_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id}`
}

/** The files of every merchant: as many as there are documents. */
export const listFiles = (
  sql: Sql,
): Promise<Pick<KycDocument, 'merchant_id' | 'id' | 'storage_key'>[]> => sql<
  Pick<KycDocument, 'merchant_id' | 'id' | 'storage_key'>[]
>`
  select merchant_id, id, storage_key from kyc_documents where deleted_at is null`

export type Review = Readonly<{
  status: Exclude<ReviewStatus, 'PENDING'>
  note: string
  reviewed_by: string
}>

export async function updateReview(tx: Tx, key: DocumentKey, review: Review): Promise<void> {
  await tx`
    update kyc_documents
       set status = ${review.status}, note = ${review.note}, reviewed_by = ${review.reviewed_by},
           reviewed_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id}`
}

export type KycStatus = 'NONE' | 'PENDING' | 'APPROVED' | 'REJECTED'
export type KycFacts = Readonly<{ kyc_status: KycStatus; kyc_note: string }>

export async function findKyc(sql: Sql, merchant_id: string): Promise<KycFacts> {
  const [row] = await sql<KycFacts[]>`
    select kyc_status, kyc_note from merchants where id = ${merchant_id}`
  assert(row !== undefined, 'a KYC file without a merchant')
  return row
}

export async function updateKycStatus(
  tx: Tx,
  merchant_id: string,
  kyc_status: KycStatus,
): Promise<void> {
  await tx`
    update merchants set kyc_status = ${kyc_status}, updated_at = now() where id = ${merchant_id}`
}
