// A document of the merchant's KYC file, as it is kept and shown. The file itself lies sealed in
// the storage; a row never holds it. Who of the staff reviewed it is not the merchant's to know.

import { Type } from 'typebox'
import { parseCount, type Reader } from '../../platform/settings/reader.ts'

export const documentKinds = [
  'IDENTITY',
  'BUSINESS_REGISTRATION',
  'TAX',
  'BANK',
  'ADDRESS',
  'OTHER',
] as const
export type DocumentKind = (typeof documentKinds)[number]

export const contentTypes = ['application/pdf', 'image/jpeg', 'image/png'] as const
export type DocumentType = (typeof contentTypes)[number]

const reviewStatuses = ['PENDING', 'APPROVED', 'REJECTED'] as const
export type ReviewStatus = (typeof reviewStatuses)[number]

export const document_bytes_max = 10 * 1024 * 1024
export const documents_max = 30

const megabyte = 1024 * 1024

/** What all merchants' documents may take, and one merchant's, in bytes. */
export type Uploads = Readonly<{ bytes_max: number; merchant_bytes_max: number }>

/** The settings are in megabytes. */
export function readUploads(reader: Reader): Uploads {
  const positive = (text: string) => parseCount(text) || undefined
  const read = (name: string, standard: number) =>
    (reader.value(name, positive, 'a whole number of megabytes from 1 on') ?? standard) * megabyte
  return {
    bytes_max: read('UPLOADS_MAX_MB', 10_000),
    merchant_bytes_max: read('UPLOADS_MERCHANT_MAX_MB', 100),
  }
}

export type KycDocument = Readonly<{
  merchant_id: string
  id: string
  kind: DocumentKind
  file_name: string
  content_type: DocumentType
  size_bytes: number
  sha256: Buffer
  storage_key: string
  status: ReviewStatus
  note: string
  uploaded_by: string
  reviewed_by: string | null
  reviewed_at: Date | null
  /** Null: not scanned for malware. */
  scanned_at: Date | null
  created_at: Date
}>

/** A sealed file is bound to its own row. */
export const fileBinding = ({ merchant_id, id }: Pick<KycDocument, 'merchant_id' | 'id'>) =>
  `kyc_documents:${merchant_id}:${id}:file`

export const DocumentSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    kind: Type.Enum([...documentKinds]),
    file_name: Type.String(),
    content_type: Type.Enum([...contentTypes]),
    size_bytes: Type.Integer(),
    sha256: Type.String({ description: 'SHA-256 of the file as it was sent, in hexadecimal.' }),
    status: Type.Enum([...reviewStatuses]),
    note: Type.String({ description: 'The reviewer’s note. Empty when there is none.' }),
    uploaded_by: Type.String({ format: 'uuid', description: 'The id of the member.' }),
    reviewed_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    scanned: Type.Boolean({
      description:
        'Whether it was scanned for malware on upload; false when no scanner is configured.',
    }),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'KycDocument' },
)

export const viewDocument = (document: KycDocument) => ({
  id: document.id,
  kind: document.kind,
  file_name: document.file_name,
  content_type: document.content_type,
  size_bytes: document.size_bytes,
  sha256: document.sha256.toString('hex'),
  status: document.status,
  note: document.note,
  uploaded_by: document.uploaded_by,
  reviewed_at: document.reviewed_at?.toISOString() ?? null,
  scanned: document.scanned_at !== null,
  created_at: document.created_at.toISOString(),
})

export const documentExample = {
  id: '01981f3a-0000-7000-8000-00000000d001',
  kind: 'BUSINESS_REGISTRATION',
  file_name: 'registre-du-commerce.pdf',
  content_type: 'application/pdf',
  size_bytes: 48_213,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  status: 'PENDING',
  note: '',
  uploaded_by: '01981f3a-0000-7000-8000-00000000b001',
  reviewed_at: null,
  scanned: true,
  created_at: '2026-11-21T08:00:00.000Z',
}
