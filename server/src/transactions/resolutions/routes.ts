// `/admin/incidents/{id}/resolve/` and its second person (contract 5.14).

import { type Static, Type } from 'typebox'
import { resolutions } from '../../incidents/resolution.ts'
import {
  ResolutionView,
  resolutionExample,
  viewResolution,
} from '../../incidents/resolution-view.ts'
import { amountFaultText, parseDecimal } from '../../money/parse-amount.ts'
import { proposalErrors } from '../../people/proposals/errors.ts'
import { invalid } from '../../platform/errors.ts'
import { type Input, ok, type ServedRoute } from '../../platform/http/route.ts'
import { resolutionErrors } from './errors.ts'
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
      description: 'The amount of the incident, to prove that you looked at it.',
    }),
    note: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'A description of the proof.',
    }),
  },
  { title: 'IncidentResolve' },
)

const ConfirmBody = Type.Object(
  {
    resolution: Type.Optional(
      Type.Enum([...resolutions], {
        description:
          'The resolution that you have read. Required once more than one has been proposed.',
      }),
    ),
  },
  { title: 'IncidentConfirm' },
)

const act = {
  method: 'POST',
  access: 'staff',
  staff: 'incidents',
  tag: 'Administration',
  responses: { 200: ResolutionView },
} as const

const idOf = ({ params }: Pick<Input, 'params'>): string => params['id'] ?? ''

export const resolutionRoutes = (deps: ResolveDeps): ServedRoute[] => [
  {
    ...act,
    path: '/admin/incidents/:id/resolve/',
    body: ResolveBody,
    summary: 'Propose an incident’s resolution, or confirm the same one',
    description: 'Nothing is booked until a second person confirms.',
    errors: [
      resolutionErrors.incident_resolved,
      resolutionErrors.resolution_not_possible,
      resolutionErrors.outcome_known,
    ],
    example: {
      body: {
        resolution: 'REFUND_PAYER',
        amount: '10400',
        note: resolutionExample.resolution_note,
      },
      reply: resolutionExample,
    },
    handler: async (input: Input<Static<typeof ResolveBody>>) => {
      const { resolution, note } = input.body
      const reading = readAmount(input.body.amount)
      const request = { resolution, note, amount: reading }
      return ok(
        viewResolution(await proposeOrConfirm(deps, input.person, { id: idOf(input), request })),
      )
    },
  },
  {
    ...act,
    path: '/admin/incidents/:id/confirm/',
    body: ConfirmBody,
    summary: 'Confirm a resolution that another person proposed',
    errors: [
      resolutionErrors.incident_resolved,
      resolutionErrors.nothing_proposed,
      resolutionErrors.second_person_required,
      proposalErrors.proposer_gone,
      resolutionErrors.proposal_changed,
      resolutionErrors.resolution_not_possible,
      resolutionErrors.outcome_known,
    ],
    example: { body: { resolution: 'REFUND_PAYER' }, reply: resolutionExample },
    handler: async (input: Input<Static<typeof ConfirmBody>>) =>
      ok(viewResolution(await confirmResolution(deps, input.person, idOf(input), input.body))),
  },
  {
    ...act,
    path: '/admin/incidents/:id/withdraw/',
    summary: 'Withdraw or reject a proposed resolution',
    errors: [resolutionErrors.incident_resolved, resolutionErrors.nothing_proposed],
    example: { reply: { ...resolutionExample, resolution: null, proposed_by: null } },
    handler: async (input) =>
      ok(viewResolution(await withdrawResolution(deps, input.person, idOf(input)))),
  },
]

/** Zero is an amount here: an unknown outcome has nothing booked yet. */
function readAmount(given: string | number): bigint {
  if (/^0+(\.0{1,2})?$/.test(String(given))) return 0n
  const reading = parseDecimal(given)
  if (reading.is === 'invalid') throw invalid('amount', amountFaultText[reading.why])
  return reading.hundredths
}
