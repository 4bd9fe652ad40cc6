// `/admin/settlements/{id}/return/`: the first of two people reports that the money came back.

import { type Static, Type } from 'typebox'
import { ResolutionView, resolutionExample, viewResolution } from '../incidents/resolution-view.ts'
import type { Db } from '../platform/db.ts'
import type { Text } from '../platform/errors.ts'
import { uuidParam } from '../platform/http/filters.ts'
import { created, type Input, type Route } from '../platform/http/route.ts'
import { settlementErrors } from './errors.ts'
import { declareReturn } from './return-settlement.ts'

export type Deps = Readonly<{ db: Db }>

const blank: Text = { en: 'Must not be empty.', fr: 'Ne doit pas être vide.' }

const ReturnBody = Type.Object({
  note: Type.String({ minLength: 1, maxLength: 1000, description: 'A description of the proof.' }),
})

const example = {
  ...resolutionExample,
  type: 'RETURNED',
  amount: '9800.00',
  resolution: 'CREDIT_MERCHANT',
  resolution_note: 'The bank’s notice of today: the account is closed.',
}

export const returnRoutes = ({ db }: Deps): Route[] => [
  {
    method: 'POST',
    path: '/admin/settlements/:id/return/',
    access: 'staff',
    staff: 'approvals',
    body: ReturnBody,
    check: ({ note }) => (typeof note === 'string' && note.trim() === '' ? { note: [blank] } : {}),
    summary: 'Declare that the money of a settlement was returned',
    description:
      'Returns the incident. What arrived becomes available again when another person confirms ' +
      'it at `/admin/incidents/{id}/confirm/`; nothing is booked before.',
    tag: 'Staff: settlements',
    responses: { 201: ResolutionView },
    errors: [settlementErrors.settlement_not_paid, settlementErrors.settlement_return_known],
    example: { body: { note: example.resolution_note }, reply: example },
    handler: async ({ params, person, body }: Input<Static<typeof ReturnBody>>) => {
      const declaration = { id: uuidParam({ params }, 'id'), note: body.note.trim() }
      return created(viewResolution(await declareReturn(db, person, declaration)))
    },
  },
]
