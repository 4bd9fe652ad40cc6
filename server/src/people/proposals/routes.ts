// `/admin/proposals/…`: what waits for a second member of staff.

import { Type } from 'typebox'
import type { Db } from '../../platform/db.ts'
import { type ErrorRow, refuse } from '../../platform/errors.ts'
import { enumFilter, uuidParam } from '../../platform/http/filters.ts'
import { listByNumber } from '../../platform/http/lists.ts'
import { ok, type Route } from '../../platform/http/route.ts'
import { numberList, reads } from '../../platform/http/route-list.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { confirmProposal, type DecideDeps, withdrawProposal } from './decide-proposal.ts'
import { proposalErrors } from './errors.ts'
import {
  type ProposalKind,
  ProposalSchema,
  proposalExample,
  proposalKinds,
  proposalStates,
  viewProposal,
} from './proposal.ts'
import { findProposal, listProposals } from './store.ts'

/** Which right it takes is said by its kind, and checked in the verb. */
const decides = { access: 'staff', staff: 'read', tag: 'Staff: proposals' } as const
const ofStaff = { access: 'staff', staff: 'read', tag: 'Staff: proposals' } as const

const confirmed = {
  ...proposalExample,
  status: 'CONFIRMED',
  decided_by: '01981f3a-0000-7000-8000-00000000c002',
  decided_at: '2026-11-21T09:00:00.000Z',
}

export type ProposalDeps = DecideDeps &
  Readonly<{
    /** What the rule of each kind can answer to a confirmation, beside 400 by field. */
    refusals: Readonly<Record<ProposalKind, readonly ErrorRow[]>>
  }>

export const proposalRoutes = (deps: ProposalDeps): Route[] => [
  listRoute(deps),
  readRoute(deps),
  confirmRoute(deps),
  withdrawRoute(deps),
]

const listRoute = ({ db }: Readonly<{ db: Db }>): Route => ({
  ...ofStaff,
  path: '/admin/proposals/',
  ...numberList(ProposalSchema, proposalExample, {
    kind: Type.Optional(Type.Enum([...proposalKinds])),
    status: Type.Optional(Type.Enum([...proposalStates])),
  }),
  summary: 'List staff proposals',
  description: 'Newest first.',
  handler: listByNumber(viewProposal, ({ query, person: by }, cut) =>
    listProposals(db, {
      by,
      kind: enumFilter(query, 'kind', proposalKinds),
      status: enumFilter(query, 'status', proposalStates),
      ...cut,
    }),
  ),
})

const readRoute = ({ db }: Readonly<{ db: Db }>): Route => ({
  ...ofStaff,
  path: '/admin/proposals/:id/',
  summary: 'Retrieve a proposal',
  ...reads(ProposalSchema, proposalExample),
  handler: async (input) => {
    const found = await findProposal(db, input.person, uuidParam(input, 'id'))
    if (found === undefined) throw refuse(transportErrors.not_found)
    return ok(viewProposal(found))
  },
})

const confirmRoute = (deps: ProposalDeps): Route => ({
  ...decides,
  method: 'POST',
  path: '/admin/proposals/:id/confirm/',
  summary: 'Confirm a proposal by another member of staff',
  description:
    'Carried out at once, as `content` describes. Requires the same right as proposing it, and ' +
    'another person than the one who proposed it. What forbids it by then refuses it with its ' +
    'own code, such as `gateway_not_checked`, or by field: nothing is done, and the proposal ' +
    'waits on.',
  responses: { 200: ProposalSchema },
  names_fields: true,
  errors: [
    proposalErrors.same_person,
    proposalErrors.proposal_decided,
    proposalErrors.proposal_outdated,
    proposalErrors.proposer_gone,
    ...Object.values(deps.refusals).flat(),
  ],
  example: { reply: confirmed },
  handler: async (input) =>
    ok(viewProposal(await confirmProposal(deps, input.person, uuidParam(input, 'id')))),
})

const withdrawRoute = (deps: DecideDeps): Route => ({
  ...decides,
  method: 'POST',
  path: '/admin/proposals/:id/withdraw/',
  summary: 'Withdraw or reject a proposal',
  description: 'By the person who proposed it, or by another with the right to confirm it.',
  responses: { 200: ProposalSchema },
  errors: [proposalErrors.proposal_decided],
  example: { reply: { ...confirmed, status: 'WITHDRAWN' } },
  handler: async (input) =>
    ok(viewProposal(await withdrawProposal(deps, input.person, uuidParam(input, 'id')))),
})
