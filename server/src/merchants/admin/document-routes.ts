// `/admin/merchants/:id/documents/…`: the KYC file of a merchant, for the staff who check it.

import { type Static, Type } from 'typebox'
import { uuidParam } from '../../platform/http/filters.ts'
import { sortedPage } from '../../platform/http/lists.ts'
import { type Input, ok, type ServedRoute } from '../../platform/http/route.ts'
import { type Listed, numberList, routesWith } from '../../platform/http/route-list.ts'
import { DocumentSchema, documentExample, viewDocument } from '../kyc/document.ts'
import type { FileDeps } from '../kyc/read-documents.ts'
import { documentsOf, judgeDocument, openDocument } from './review-document.ts'

const ReviewBody = Type.Object({
  status: Type.Enum(['APPROVED', 'REJECTED']),
  note: Type.Optional(
    Type.String({ maxLength: 500, description: 'Shown to the merchant.', default: '' }),
  ),
})

export const documentRoutes = (deps: FileDeps): ServedRoute[] =>
  routesWith({ tag: 'Staff: merchants', access: 'staff' }, [
    listRoute(deps),
    fileRoute(deps),
    reviewRoute(deps),
  ])

const listRoute = ({ db }: FileDeps): Listed<ServedRoute> => ({
  path: '/admin/merchants/:id/documents/',
  staff: 'kyc',
  ...numberList(DocumentSchema, documentExample),
  summary: 'List a merchant’s KYC documents',
  handler: async (input) => {
    const rows = await documentsOf(db, uuidParam(input, 'id'))
    return ok(sortedPage(input, { rows, fields: [], view: viewDocument }))
  },
})

const documentOf = (input: Pick<Input, 'params'>) => ({
  merchant_id: uuidParam(input, 'id'),
  id: uuidParam(input, 'doc_id'),
})

const fileRoute = (deps: FileDeps): Listed<ServedRoute> => ({
  method: 'GET',
  path: '/admin/merchants/:id/documents/:doc_id/file/',
  staff: 'kyc',
  summary: 'Download a KYC document',
  description: 'The audit log records who opened it.',
  sends: ['Content-Disposition'],
  responses: { 200: Type.String({ contentMediaType: '*/*', format: 'binary' }) },
  example: {},
  handler: async (input) => {
    const { document, bytes } = await openDocument(deps, input.person, documentOf(input))
    const { content_type, file_name: filename } = document
    return { status: 200, file: bytes, content_type, filename }
  },
})

const reviewRoute = ({ db }: FileDeps): Listed<ServedRoute> => ({
  method: 'POST',
  path: '/admin/merchants/:id/documents/:doc_id/review/',
  staff: 'kyc',
  body: ReviewBody,
  summary: 'Review a KYC document',
  description: 'A later review replaces an earlier one. The merchant is approved separately.',
  responses: { 200: DocumentSchema },
  example: {
    body: { status: 'REJECTED', note: 'The photo is blurred.' },
    reply: { ...documentExample, status: 'REJECTED', note: 'The photo is blurred.' },
  },
  handler: async (input: Input<Static<typeof ReviewBody>>) => {
    const { status, note = '' } = input.body
    const document = documentOf(input)
    return ok(viewDocument(await judgeDocument(db, input.person, document, { status, note })))
  },
})
