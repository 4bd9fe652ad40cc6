// What waits for a decision, as staff see it: where it is decided, and since when it waits.

import { Type } from 'typebox'
import { formatAmount } from '../money/format.ts'
import { type Approval, type ApprovalKind, approvalKinds } from './approval.ts'

const folders: Readonly<Record<ApprovalKind, string>> = {
  MERCHANT: 'merchants',
  MERCHANT_NAME: 'merchants',
  WALLET_TRANSFER: 'wallet-transfers',
  SETTLEMENT: 'settlements',
  REFUND: 'refunds',
  INCIDENT_RESOLUTION: 'incidents',
  ADJUSTMENT: 'adjustments',
}

export const ApprovalView = Type.Object(
  {
    kind: Type.Enum([...approvalKinds]),
    id: Type.String({ format: 'uuid' }),
    path: Type.String({
      description: 'The path of the resource; the routes that decide it are below this path.',
    }),
    merchant: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
      description: 'Null: not known to concern any merchant’s payment.',
    }),
    merchant_name: Type.Union([Type.String(), Type.Null()]),
    environment: Type.Union([Type.Enum(['SANDBOX', 'LIVE']), Type.Null()], {
      description:
        'Null for a merchant that requests LIVE access: it is listed in both environments.',
    }),
    reference: Type.String({ description: 'Empty if it has none.' }),
    country: Type.String({ description: 'ISO 3166 alpha-2; empty if unknown.' }),
    currency: Type.String({ description: 'ISO 4217; empty if no amount is involved.' }),
    amount: Type.Union([Type.String(), Type.Null()], {
      description: 'Decimal with two decimal places.',
    }),
    proposed_by: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
      description:
        'The person who proposed it, who therefore cannot confirm it; null: anyone may decide.',
    }),
    since: Type.String({ format: 'date-time' }),
  },
  { title: 'Approval' },
)

export const approvalExample = {
  kind: 'SETTLEMENT',
  id: '01981f3a-0000-7000-8000-000000005e01',
  path: '/admin/settlements/01981f3a-0000-7000-8000-000000005e01/',
  merchant: '01981f3a-0000-7000-8000-00000000a001',
  merchant_name: 'Boutique Awa',
  environment: 'LIVE',
  reference: 'STL-20261121-7K2MPQ4RWX',
  country: 'CI',
  currency: 'XOF',
  amount: '250000.00',
  proposed_by: null,
  since: '2026-11-21T08:00:00.000Z',
}

export const viewApproval = (approval: Approval) => ({
  kind: approval.kind,
  id: approval.id,
  path: `/admin/${folders[approval.kind]}/${approval.id}/`,
  merchant: approval.merchant_id,
  merchant_name: approval.merchant_id === null ? null : approval.merchant_name,
  environment: approval.environment,
  reference: approval.reference,
  country: approval.country,
  currency: approval.currency,
  amount: approval.amount === null ? null : formatAmount(approval.amount),
  proposed_by: approval.proposed_by,
  since: approval.since.toISOString(),
})
