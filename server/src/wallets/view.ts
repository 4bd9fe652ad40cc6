// A transfer as its merchant and staff read it, field by field (contract: WalletTransfer).

import { type Static, Type } from 'typebox'
import type { FeedKey, NewEvent } from '../events/event.ts'
import { CreatedByNameToMembers } from '../merchants/caller-name-store.ts'
import { formatAmount, formatRate } from '../money/format.ts'
import { formatPercent } from '../money/percent.ts'
import { newId } from '../platform/ids.ts'
import { transferStatuses } from './states.ts'
import type { Transfer } from './transfer.ts'

const id = Type.String({ format: 'uuid' })
const idOrNull = Type.Union([id, Type.Null()])
const moment = Type.String({ format: 'date-time' })
const momentOrNull = Type.Union([moment, Type.Null()])
const amount = Type.String({ description: 'Decimal with two decimal places.' })
const country = Type.String({ description: 'ISO 3166 alpha-2.' })
const currency = Type.String({ description: 'ISO 4217.' })

export const TransferView = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'Also the reference of its transaction, once it succeeds.',
    }),
    reference: Type.String(),
    merchant: id,
    environment: Type.Enum(['SANDBOX', 'LIVE']),
    requested_by_member: idOrNull,
    from_country: country,
    to_country: country,
    from_amount: amount,
    to_amount: Type.String({
      description: 'The amount that arrives: from_amount less the fee, converted.',
    }),
    from_currency: currency,
    to_currency: currency,
    exchange_rate: Type.String({
      description: 'Decimal with eight decimal places; fixed at creation.',
    }),
    fee_amount: Type.String({ description: 'In from_currency, included in from_amount.' }),
    fee_percent_applied: Type.String({ description: 'A percentage, such as "1.00".' }),
    status: Type.Enum([...transferStatuses]),
    approved_by_admin: Type.Union([id, Type.Null()], {
      description: 'Also null if its amount needed no approval.',
    }),
    approved_at: momentOrNull,
    completed_at: Type.Union([moment, Type.Null()], { description: 'When the value arrived.' }),
    rejection_reason: Type.String({ description: 'Empty when there is none.' }),
    lapses_at: Type.String({ format: 'date-time', description: 'Rejected if still pending then.' }),
    created_at: moment,
    updated_at: moment,
  },
  { title: 'WalletTransfer' },
)

export function viewTransfer(transfer: Transfer): Static<typeof TransferView> {
  return {
    id: transfer.id,
    reference: transfer.reference,
    merchant: transfer.merchant_id,
    environment: transfer.environment,
    requested_by_member: transfer.requested_by_member,
    from_country: transfer.from_country,
    to_country: transfer.to_country,
    from_amount: formatAmount(transfer.from_amount),
    to_amount: formatAmount(transfer.to_amount),
    from_currency: transfer.from_currency,
    to_currency: transfer.to_currency,
    exchange_rate: formatRate(transfer.exchange_rate),
    fee_amount: formatAmount(transfer.fee_amount),
    fee_percent_applied: formatPercent(transfer.fee_percent_ppm),
    status: transfer.status,
    approved_by_admin: transfer.approved_by_admin,
    approved_at: transfer.approved_at?.toISOString() ?? null,
    completed_at: transfer.completed_at?.toISOString() ?? null,
    rejection_reason: transfer.rejection_reason,
    lapses_at: transfer.lapses_at.toISOString(),
    created_at: transfer.created_at.toISOString(),
    updated_at: transfer.updated_at.toISOString(),
  }
}

/** As its merchant reads it: whoever asked for it is named, to members. */
export const NamedTransferView = Type.Object(
  { ...TransferView.properties, created_by_name: CreatedByNameToMembers },
  { title: 'NamedWalletTransfer' },
)

/** For OpenAPI. */
export const transferExample = {
  id: '01981f3a-0000-7000-8000-00000000e701',
  reference: 'TRF-20261121-7K2MPQ4RWX',
  merchant: '01981f3a-0000-7000-8000-00000000a001',
  environment: 'SANDBOX',
  requested_by_member: null,
  from_country: 'CI',
  to_country: 'CM',
  from_amount: '10000.00',
  to_amount: '9900.00',
  from_currency: 'XOF',
  to_currency: 'XAF',
  exchange_rate: '1.00000000',
  fee_amount: '100.00',
  fee_percent_applied: '1.00',
  status: 'PENDING',
  approved_by_admin: null,
  approved_at: null,
  completed_at: null,
  rejection_reason: '',
  lapses_at: '2026-11-22T08:00:00.000Z',
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T08:00:00.000Z',
} as const satisfies Static<typeof TransferView>

export const namedExample = { ...transferExample, created_by_name: 'Awa Diop' } as const

/** The same when it has arrived. */
export const completedExample = {
  ...transferExample,
  status: 'SUCCESS',
  approved_by_admin: '01981f3a-0000-7000-8000-00000000f501',
  approved_at: '2026-11-21T09:30:00.000Z',
  completed_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:30:00.000Z',
} as const satisfies Static<typeof TransferView>

export const rejectedExample = {
  ...transferExample,
  status: 'REJECTED',
  rejection_reason: 'Asked for by mistake',
  updated_at: '2026-11-21T09:30:00.000Z',
} as const satisfies Static<typeof TransferView>

// The event of a transfer (contract 6.7): the very record that the API shows, as the change leaves
// it.

type TransferEventType =
  | 'wallet_transfer.requested'
  | 'wallet_transfer.completed'
  | 'wallet_transfer.rejected'

/** Gated by the transfer's own id. */
export const transferEvent = (type: TransferEventType, transfer: Transfer): NewEvent & FeedKey => ({
  merchant_id: transfer.merchant_id,
  environment: transfer.environment,
  gate_id: transfer.id,
  id: newId(),
  type,
  transaction_id: null,
  subject_id: transfer.id,
  data: transferData(viewTransfer(transfer), transfer.version),
})

/** `amount` as in every other event about money: what leaves, with its currency. */
export const transferData = (view: Static<typeof TransferView>, version: number) => ({
  ...view,
  amount: view.from_amount,
  currency: view.from_currency,
  version,
})
