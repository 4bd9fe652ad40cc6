// The bank's proof of a settlement: staff upload it, staff and its merchant read it.

import { Type } from 'typebox'
import { uuidParam } from '../platform/http/filters.ts'
import { type FileReply, type Input, ok, type ServedRoute } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { readUpload } from '../platform/storage/read-upload.ts'
import { settlementErrors } from './errors.ts'
import { getOwnSettlement, getSeenSettlement } from './get-settlement.ts'
import { addProof, type ProofDeps, readProof } from './proof.ts'
import type { Settlement } from './settlement.ts'
import { approvedExample, SettlementToPay, toPay, viewToPay } from './view.ts'

const contentTypes = ['application/pdf', 'image/jpeg', 'image/png'] as const
const bytes_max = 10 * 1024 * 1024

export const proofRoutes = (deps: ProofDeps): ServedRoute[] => [
  addRoute(deps),
  staffRoute(deps),
  ownRoute(deps),
]

const addRoute = (deps: ProofDeps): ServedRoute => ({
  method: 'POST',
  path: '/admin/settlements/:id/proof/',
  access: 'staff',
  staff: 'approvals',
  upload: { content_types: contentTypes, bytes_max },
  summary: 'Upload the bank’s proof of a settlement',
  description:
    'The body is the file itself, at most 10 MB, and must match its Content-Type. The merchant ' +
    'can then read it at `proof_url`.',
  tag: 'Staff: settlements',
  responses: { 200: SettlementToPay },
  errors: [
    settlementErrors.settlement_not_by_bank,
    settlementErrors.settlement_not_approved,
    settlementErrors.transaction_terminal,
  ],
  example: { reply: toPay(approvedExample) },
  handler: async (input: Input<unknown>) => {
    const file = { ...readUpload(input, contentTypes), id: uuidParam(input, 'id') }
    return ok(viewToPay(await addProof(deps, input.person, file), input.locale))
  },
})

const file = Type.String({ contentMediaType: '*/*', format: 'binary' })

async function answer(deps: ProofDeps, settlement: Settlement): Promise<FileReply> {
  const { bytes, content_type, filename } = await readProof(deps, settlement)
  return { status: 200, file: bytes, content_type, filename }
}

const staffRoute = (deps: ProofDeps): ServedRoute => ({
  method: 'GET',
  path: '/admin/settlements/:id/proof/',
  access: 'staff',
  staff: 'approvals',
  summary: 'Download the bank’s proof of a settlement',
  tag: 'Staff: settlements',
  sends: ['Content-Disposition'],
  responses: { 200: file },
  errors: [transportErrors.not_found],
  example: {},
  handler: async (input) => {
    const seen = await getSeenSettlement(deps.db, input.person, uuidParam(input, 'id'))
    return answer(deps, seen.settlement)
  },
})

const ownRoute = (deps: ProofDeps): ServedRoute => ({
  method: 'GET',
  path: '/settlements/:id/proof/',
  access: 'any',
  summary: 'Download the bank’s proof of a settlement',
  description: 'Answers 404 if there is none.',
  tag: 'Settlements',
  sends: ['Content-Disposition'],
  responses: { 200: file },
  errors: [transportErrors.not_found],
  example: {},
  handler: async (input) =>
    answer(deps, await getOwnSettlement(deps.db, input.caller, uuidParam(input, 'id'))),
})
