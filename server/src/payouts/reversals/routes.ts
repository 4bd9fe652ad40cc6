// `/admin/transactions/{id}/reverse/`: staff ask an operator for a payout that it has paid. The
// header X-Environment chooses the environment: a payout of the other one is not found.

import { type Static, Type } from 'typebox'
import { proposalErrors } from '../../people/proposals/errors.ts'
import { ProposalSchema, proposalExample, viewProposal } from '../../people/proposals/proposal.ts'
import type { Text } from '../../platform/errors.ts'
import { uuidParam } from '../../platform/http/filters.ts'
import type { Input, ServedRoute } from '../../platform/http/route.ts'
import { transactionExample } from '../../transactions/example.ts'
import { payoutErrors } from '../errors.ts'
import { proposeReversal, type ReversalDeps } from './propose-reversal.ts'

const ReverseBody = Type.Object({ note: Type.String({ minLength: 1, maxLength: 500 }) })
const blank: Text = { en: 'Must not be empty.', fr: 'Ne doit pas être vide.' }

const example = {
  ...proposalExample,
  kind: 'PAYOUT_REVERSAL',
  subject: transactionExample.id,
  content: {
    ...{ transaction: transactionExample.id, reference: transactionExample.reference },
    ...{ environment: 'LIVE', merchant: 'Boutique Awa', amount: '9750.00', currency: 'XOF' },
    ...{ note: 'Sent to the wrong number.', proposed_by: proposalExample.proposed_by },
  },
}

export const reversalRoutes = (deps: ReversalDeps): ServedRoute[] => [
  {
    method: 'POST',
    path: '/admin/transactions/:id/reverse/',
    access: 'staff',
    staff: 'approvals',
    body: ReverseBody,
    check: ({ note }) => (typeof note === 'string' && note.trim() === '' ? { note: [blank] } : {}),
    summary: 'Propose to take a payout back from its operator',
    description:
      'Only of a payout that succeeded, whose operator takes payouts back and whose time for it ' +
      'is not over. Another member of staff confirms it (`/admin/proposals/`), and only then is ' +
      'the operator asked. The status stays `SUCCESS`: when the operator says that it came back, ' +
      '`returned_at` and `returned_amount` are set and its merchant gets `transaction.returned`.',
    tag: 'Staff',
    responses: { 202: ProposalSchema },
    errors: [payoutErrors.not_reversible, proposalErrors.proposal_pending],
    example: { body: { note: example.content.note }, reply: example },
    handler: async (input: Input<Static<typeof ReverseBody>>) => {
      const wanted = { id: uuidParam(input, 'id'), note: input.body.note.trim() }
      const data = viewProposal(await proposeReversal(deps, input.person, wanted))
      return { status: 202, data }
    },
  },
]
