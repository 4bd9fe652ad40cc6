// An incident as it is shown to those who resolve it, field by field.

import { Type } from 'typebox'
import { formatAmount } from '../money/format.ts'
import { resolutions } from './resolution.ts'
import type { IncidentLocked } from './statements.ts'

const idOrNull = Type.Union([Type.String({ format: 'uuid' }), Type.Null()])
export const ResolutionView = Type.Object(
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

export const viewResolution = (incident: IncidentLocked) => ({
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

/** For OpenAPI. */
export const resolutionExample = {
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
