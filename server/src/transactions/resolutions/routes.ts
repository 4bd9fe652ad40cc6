// `/admin/incidents/{id}/resolve/` and its second person (decisions 5.14).

import { type Static, Type } from 'typebox'
import type { IncidentLocked } from '../../incidents/statements.ts'
import { formatAmount } from '../../money/format.ts'
import { amountFaultText, parseDecimal } from '../../money/parse-amount.ts'
import { invalid } from '../../platform/errors.ts'
import { type Input, ok } from '../../platform/http/route.ts'
import type { ServedRoute } from '../../platform/http/served-route.ts'
import { resolutionErrors } from './errors.ts'
import { resolutions } from './resolution.ts'
import {
  confirmResolution,
  proposeOrConfirm,
  type ResolveDeps,
  withdrawResolution,
} from './resolve-incident.ts'

const ResolveBody = Type.Object(
  {
    resolution: Type.Enum([...resolutions]),
    amount: Type.Union([Type.String({ maxLength: 32 }), Type.Number()], {
      description: 'The amount of the incident, as a proof that it was looked at.',
    }),
    note: Type.String({ minLength: 1, maxLength: 1000, description: 'What the proof is.' }),
  },
  { title: 'IncidentResolve' },
)

const idOrNull = Type.Union([Type.String({ format: 'uuid' }), Type.Null()])
const ResolvedSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    merchant: Type.String({ format: 'uuid' }),
    type: Type.String(),
    status: Type.Enum(['OPEN', 'RESOLVED']),
    amount: Type.String(),
    currency: Type.String(),
    resolution: Type.Union([Type.Enum([...resolutions]), Type.Null()]),
    resolution_note: Type.String(),
    proposed_by: idOrNull,
    confirmed_by: idOrNull,
    resolved_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  },
  { title: 'IncidentResolution' },
)

const view = (incident: IncidentLocked) => ({
  id: incident.id,
  merchant: incident.merchant_id,
  type: incident.type,
  status: incident.status,
  amount: formatAmount(incident.amount),
  currency: incident.currency,
  resolution: incident.resolution,
  resolution_note: incident.resolution_note,
  proposed_by: incident.proposed_by,
  confirmed_by: incident.confirmed_by,
  resolved_at: incident.resolved_at?.toISOString() ?? null,
})

const example = {
  id: '01981f3a-0000-7000-8000-000000000001',
  merchant: '01981f3a-0000-7000-8000-00000000a001',
  type: 'DUPLICATE_CAPTURE',
  status: 'OPEN',
  amount: '10400.00',
  currency: 'XOF',
  resolution: 'REFUND_PAYER',
  resolution_note: 'The operator has sent it back: ticket 4711.',
  proposed_by: '01981f3a-0000-7000-8000-00000000b001',
  confirmed_by: null,
  resolved_at: null,
}

const act = {
  method: 'POST',
  access: 'staff',
  staff: 'incidents',
  tag: 'Administration',
  responses: { 200: ResolvedSchema },
} as const

const idOf = ({ params }: Pick<Input, 'params'>): string => params['id'] ?? ''

export const resolutionRoutes = (deps: ResolveDeps): ServedRoute[] => [
  {
    ...act,
    path: '/admin/incidents/:id/resolve/',
    body: ResolveBody,
    summary: 'Propose how an incident ends, or confirm it with the same words',
    description: 'Nothing is booked before a second person confirms.',
    errors: [resolutionErrors.incident_resolved, resolutionErrors.outcome_known],
    example: {
      body: { resolution: 'REFUND_PAYER', amount: '10400', note: example.resolution_note },
      reply: example,
    },
    handler: async (input: Input<Static<typeof ResolveBody>>) => {
      const { resolution, note } = input.body
      const reading = readAmount(input.body.amount)
      const wish = { resolution, note, amount: reading }
      return ok(view(await proposeOrConfirm(deps, input.person, { id: idOf(input), wish })))
    },
  },
  {
    ...act,
    path: '/admin/incidents/:id/confirm/',
    summary: 'Confirm the resolution that another person proposed',
    errors: [
      resolutionErrors.incident_resolved,
      resolutionErrors.nothing_proposed,
      resolutionErrors.second_person_required,
      resolutionErrors.outcome_known,
    ],
    example: { reply: example },
    handler: async (input) => ok(view(await confirmResolution(deps, input.person, idOf(input)))),
  },
  {
    ...act,
    path: '/admin/incidents/:id/withdraw/',
    summary: 'Take back, or refuse, a proposed resolution',
    errors: [resolutionErrors.incident_resolved, resolutionErrors.nothing_proposed],
    example: { reply: { ...example, resolution: null, proposed_by: null } },
    handler: async (input) => ok(view(await withdrawResolution(deps, input.person, idOf(input)))),
  },
]

/** Zero is an amount here: of an unknown outcome nothing is booked yet. */
function readAmount(given: string | number): bigint {
  if (/^0+(\.0{1,2})?$/.test(String(given))) return 0n
  const reading = parseDecimal(given)
  if (reading.is === 'invalid') throw invalid('amount', amountFaultText[reading.why])
  return reading.hundredths
}
