// What one member of staff proposes and another confirms. Law: two people, never one, and what is
// done is what was shown. Nothing is done before it is confirmed, and a proposal ends by itself.

import { type Static, Type } from 'typebox'
import type { StaffPermission } from '../../platform/http/route.ts'

export const proposalKinds = [
  'STAFF_ADDED',
  'STAFF_CHANGED',
  'STAFF_FACTOR_RESET',
  'EXCHANGE_RATE',
  'GATEWAY_ACCOUNT',
  'PAYOUT_REVERSAL',
] as const
export type ProposalKind = (typeof proposalKinds)[number]

export const proposalStates = ['PENDING', 'CONFIRMED', 'WITHDRAWN', 'LAPSED'] as const

/** A right to propose something is also the right to confirm it, if another has proposed it. */
export const rightTo: Readonly<Record<ProposalKind, StaffPermission>> = {
  STAFF_ADDED: 'staff',
  STAFF_CHANGED: 'staff',
  STAFF_FACTOR_RESET: 'staff',
  EXCHANGE_RATE: 'rates',
  GATEWAY_ACCOUNT: 'gateways',
  PAYOUT_REVERSAL: 'approvals',
}

/** How long one waits to be confirmed. Hours. */
export const proposal_valid_h = 72

export type Content = Readonly<Record<string, string | boolean>>

/** What is sealed beside a proposal is bound to its row. */
export const enclosedBinding = ([id = '']: readonly string[]): string =>
  `staff_proposals:${id}:sealed`

export type Proposal = Readonly<{
  id: string
  kind: ProposalKind
  subject: string
  content: Content
  status: (typeof proposalStates)[number]
  proposed_by: string
  decided_by: string | null
  created_at: Date
  expires_at: Date
  decided_at: Date | null
}>

const moment = Type.String({ format: 'date-time' })
const person = Type.String({ format: 'uuid' })

export const ProposalSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    kind: Type.Enum([...proposalKinds]),
    subject: Type.String({
      description:
        'An e-mail, the id of a member of staff, gateway, route or payout, the code of an ' +
        'account that is to be added, or a pair such as `USD/XOF`.',
    }),
    content: Type.Record(Type.String(), Type.Union([Type.String(), Type.Boolean()]), {
      description: 'What will be done once it is confirmed.',
    }),
    status: Type.Enum([...proposalStates]),
    proposed_by: person,
    decided_by: Type.Union([person, Type.Null()]),
    created_at: moment,
    expires_at: Type.String({ format: 'date-time', description: 'When the proposal lapses.' }),
    decided_at: Type.Union([moment, Type.Null()]),
  },
  { title: 'StaffProposal' },
)

export const viewProposal = (row: Proposal): Static<typeof ProposalSchema> => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  content: { ...row.content },
  status: row.status,
  proposed_by: row.proposed_by,
  decided_by: row.decided_by,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  decided_at: row.decided_at?.toISOString() ?? null,
})

export const proposalExample = {
  id: '01981f3a-0000-7000-8000-00000000c0a1',
  kind: 'STAFF_ADDED',
  subject: 'ines@pirogue.example',
  content: { email: 'ines@pirogue.example', role: 'OPERATIONS', locale: 'fr' },
  status: 'PENDING',
  proposed_by: '01981f3a-0000-7000-8000-00000000c001',
  decided_by: null,
  created_at: '2026-11-21T08:00:00.000Z',
  expires_at: '2026-11-24T08:00:00.000Z',
  decided_at: null,
}
