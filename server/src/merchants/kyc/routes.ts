// The merchant's KYC file: read, add and remove documents. By session only: what proves who a
// merchant is must not be readable with a stolen key.

import { Type } from 'typebox'
import { assert } from '../../platform/errors.ts'
import { enumFilter, uuidParam } from '../../platform/http/filters.ts'
import { created, type Input, ok, type ServedRoute } from '../../platform/http/route.ts'
import { type Listed, reads, removes, routesWith } from '../../platform/http/route-list.ts'
import { readUpload } from '../../platform/storage/read-upload.ts'
import { addDocument, removeDocument } from './change-documents.ts'
import {
  contentTypes,
  DocumentSchema,
  document_bytes_max,
  documentExample,
  documentKinds,
  viewDocument,
} from './document.ts'
import { kycErrors } from './errors.ts'
import { type FileDeps, readDocumentFile, readKyc } from './read-documents.ts'

export type Deps = FileDeps

const KycSchema = Type.Object(
  {
    kyc_status: Type.Enum(['NONE', 'PENDING', 'APPROVED', 'REJECTED']),
    kyc_note: Type.String({ description: 'The reviewers’ note on the file as a whole.' }),
    documents: Type.Array(DocumentSchema),
  },
  { title: 'KycFile' },
)

export const kycRoutes = (deps: Deps): ServedRoute[] =>
  routesWith({ tag: 'KYC', access: 'dashboard' }, [
    readRoute(deps),
    addRoute(deps),
    fileRoute(deps),
    removeRoute(deps),
  ])

const readRoute = (deps: Deps): Listed<ServedRoute> => ({
  path: '/kyc/',
  permission: 'settings',
  summary: 'Retrieve the KYC file',
  description: 'Live mode opens once the file is approved.',
  ...reads(KycSchema, { kyc_status: 'PENDING', kyc_note: '', documents: [documentExample] }),
  handler: async ({ caller }) => {
    const { documents, ...facts } = await readKyc(deps.db, caller.merchant_id)
    return ok({ ...facts, documents: documents.map(viewDocument) })
  },
})

const addRoute = (deps: Deps): Listed<ServedRoute> => ({
  method: 'POST',
  path: '/kyc/documents/',
  permission: 'settings',
  upload: { content_types: contentTypes, bytes_max: document_bytes_max },
  query: Type.Object({
    kind: Type.Enum([...documentKinds]),
    file_name: Type.Optional(
      Type.String({ maxLength: 255, description: 'Any path in it is dropped.' }),
    ),
  }),
  summary: 'Upload a KYC document',
  description:
    'The body is the file itself, at most 10 MB, and must match its Content-Type. If the KYC ' +
    'file was not started or was rejected, it goes under review.',
  responses: { 201: DocumentSchema },
  errors: [
    kycErrors.email_not_verified,
    kycErrors.document_limit_reached,
    kycErrors.upload_quota_reached,
    kycErrors.file_infected,
  ],
  example: { reply: documentExample },
  handler: async (input: Input<unknown>) => {
    const { caller, query } = input
    const kind = enumFilter(query, 'kind', documentKinds)
    assert(kind !== undefined, 'the query was checked')
    const file = readUpload(input, contentTypes)
    const upload = { ...file, kind, file_name: query['file_name'] ?? '' }
    return created(viewDocument(await addDocument(deps, caller, upload)))
  },
})

const ofOne = { permission: 'settings' } as const

const fileRoute = (deps: Deps): Listed<ServedRoute> => ({
  ...ofOne,
  method: 'GET',
  path: '/kyc/documents/:id/file/',
  summary: 'Download a KYC document',
  sends: ['Content-Disposition'],
  responses: { 200: Type.String({ contentMediaType: '*/*', format: 'binary' }) },
  example: {},
  handler: async (input) => {
    const id = uuidParam(input, 'id')
    const { document, bytes } = await readDocumentFile(deps, input.caller.merchant_id, id)
    const { content_type, file_name: filename } = document
    return { status: 200, file: bytes, content_type, filename }
  },
})

const removeRoute = (deps: Deps): Listed<ServedRoute> => ({
  ...ofOne,
  path: '/kyc/documents/:id/',
  summary: 'Delete a KYC document',
  description: 'Only until it has been reviewed.',
  errors: [kycErrors.document_reviewed],
  ...removes((input) => removeDocument(deps, input.caller, uuidParam(input, 'id'))),
})
