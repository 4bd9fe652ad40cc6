// An adjustment as staff read it, field by field.

import { type Static, Type } from 'typebox'
import { formatAmount } from '../money/format.ts'
import { adjustmentKinds } from './adjustment.ts'
import { adjustmentStatuses } from './states.ts'
import type { MerchantsAdjustment } from './store.ts'

const id = Type.String({ format: 'uuid' })
const idOrNull = Type.Union([id, Type.Null()])
const moment = Type.String({ format: 'date-time' })

export const AdjustmentView = Type.Object(
  {
    id,
    reference: Type.String({ description: 'Also the reference of its ledger entry.' }),
    merchant: id,
    merchant_name: Type.String(),
    environment: Type.Enum(['SANDBOX', 'LIVE']),
    country: Type.String({ description: 'ISO 3166 alpha-2 code of the balance’s country.' }),
    currency: Type.String({ description: 'ISO 4217.' }),
    kind: Type.Enum([...adjustmentKinds]),
    amount: Type.String({ description: 'Decimal with two decimal places.' }),
    reason: Type.String(),
    status: Type.Enum([...adjustmentStatuses]),
    asked_by: id,
    decided_by: idOrNull,
    decided_at: Type.Union([moment, Type.Null()]),
    refusal_reason: Type.String({ description: 'Empty unless it was rejected.' }),
    created_at: moment,
    updated_at: moment,
  },
  { title: 'Adjustment' },
)

export const viewAdjustment = (adjustment: MerchantsAdjustment): Static<typeof AdjustmentView> => ({
  id: adjustment.id,
  reference: adjustment.reference,
  merchant: adjustment.merchant_id,
  merchant_name: adjustment.merchant_name,
  environment: adjustment.environment,
  country: adjustment.country,
  currency: adjustment.currency,
  kind: adjustment.kind,
  amount: formatAmount(adjustment.amount),
  reason: adjustment.reason,
  status: adjustment.status,
  asked_by: adjustment.asked_by,
  decided_by: adjustment.decided_by,
  decided_at: adjustment.decided_at?.toISOString() ?? null,
  refusal_reason: adjustment.refusal_reason,
  created_at: adjustment.created_at.toISOString(),
  updated_at: adjustment.updated_at.toISOString(),
})

/** For OpenAPI. */
export const adjustmentExample = {
  id: '01981f3a-0000-7000-8000-00000000ad01',
  reference: 'ADJ-20261121-7K2MPQ4RWX',
  merchant: '01981f3a-0000-7000-8000-00000000a001',
  merchant_name: 'Boutique Awa',
  environment: 'SANDBOX',
  country: 'SN',
  currency: 'XOF',
  kind: 'CREDIT_MERCHANT',
  amount: '2500.00',
  reason: 'A fee was taken twice: ticket 4711.',
  status: 'PENDING',
  asked_by: '01981f3a-0000-7000-8000-00000000b001',
  decided_by: null,
  decided_at: null,
  refusal_reason: '',
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T08:00:00.000Z',
} as const satisfies Static<typeof AdjustmentView>

const decided = {
  decided_by: '01981f3a-0000-7000-8000-00000000b002',
  decided_at: '2026-11-21T09:00:00.000Z',
  updated_at: '2026-11-21T09:00:00.000Z',
}

export const bookedExample = { ...adjustmentExample, ...decided, status: 'BOOKED' } as const

export const refusedExample = {
  ...adjustmentExample,
  ...decided,
  status: 'REFUSED',
  refusal_reason: 'The fee was right.',
} as const
