// A settlement as its merchant and staff read it, field by field (contract 5.9).

import { type Static, type TSchema, Type } from 'typebox'
import { failureText } from '../attempts/failure-texts.ts'
import type { FeedKey, NewEvent } from '../events/event.ts'
import { CreatedByNameToMembers } from '../merchants/caller-name-store.ts'
import { feeChargeModes } from '../money/fee-charge-mode.ts'
import { formatAmount } from '../money/format.ts'
import type { Locale } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { Settlement } from './settlement.ts'
import { settlementStatuses } from './states.ts'
import type { MerchantsSettlement, Seen } from './store.ts'

const id = Type.String({ format: 'uuid' })
const moment = Type.String({ format: 'date-time' })
const momentOrNull = (description: string) => Type.Union([moment, Type.Null()], { description })
const amount = Type.String({ description: 'Decimal with two decimal places.' })

const fields = {
  id,
  reference: Type.String(),
  merchant: id,
  environment: Type.Enum(['SANDBOX', 'LIVE']),
  payout_method: Type.String({ format: 'uuid', description: 'The payout method it is paid to.' }),
  country: Type.String({ description: 'ISO 3166 alpha-2: the balance it is paid from.' }),
  requested_amount: amount,
  fee_charge_mode: Type.Enum([...feeChargeModes]),
  client_fee: amount,
  gateway_fee: amount,
  platform_fee: amount,
  debited_amount: Type.String({ description: 'The amount taken from the balance.' }),
  net_amount: Type.String({ description: 'The amount that arrives.' }),
  currency: Type.String({ description: 'ISO 4217.' }),
  status: Type.Enum([...settlementStatuses]),
  ip_address: Type.String(),
  approved_at: momentOrNull('When it was approved.'),
  executed_at: momentOrNull('When it was given to an operator, or paid by the bank.'),
  completed_at: momentOrNull('When it ended.'),
  returned_at: momentOrNull('When its money was returned and became available again.'),
  gateway_reference: Type.String({
    description: 'The operator’s or the bank’s reference; otherwise empty.',
  }),
  proof_url: Type.String({ description: 'The address of the bank’s proof; otherwise empty.' }),
  waiting_reason: Type.Union([Type.Literal('GATEWAY_FLOAT'), Type.Null()], {
    description:
      '`GATEWAY_FLOAT`: its operator took nothing because what we hold there is too little, and ' +
      'is asked again for 72 hours at most. Null when it waits for nothing of the kind.',
  }),
  failure_code: Type.String({
    description: 'The same codes for every gateway; empty if there is none.',
  }),
  failure_reason: Type.String({ description: 'Human-readable, in French or English.' }),
  created_at: moment,
  updated_at: moment,
} satisfies Record<string, TSchema>

export const SettlementView = Type.Object(fields, { title: 'Settlement' })
export type SettlementView = Static<typeof SettlementView>

export function viewSettlement(settlement: Settlement, locale: Locale): SettlementView {
  const { failure_code, failure_reason } = settlement
  return {
    id: settlement.id,
    reference: settlement.reference,
    merchant: settlement.merchant_id,
    environment: settlement.environment,
    payout_method: settlement.payout_method,
    country: settlement.country,
    requested_amount: formatAmount(settlement.requested_amount),
    fee_charge_mode: settlement.fee_charge_mode,
    client_fee: formatAmount(settlement.client_fee),
    gateway_fee: formatAmount(settlement.gateway_fee),
    platform_fee: formatAmount(settlement.platform_fee),
    debited_amount: formatAmount(settlement.debited_amount),
    net_amount: formatAmount(settlement.net_amount),
    currency: settlement.currency,
    status: settlement.status,
    ip_address: settlement.ip_address,
    approved_at: settlement.approved_at?.toISOString() ?? null,
    executed_at: settlement.executed_at?.toISOString() ?? null,
    completed_at: settlement.completed_at?.toISOString() ?? null,
    returned_at: settlement.returned_at?.toISOString() ?? null,
    gateway_reference: settlement.gateway_reference,
    proof_url: settlement.proof_url,
    waiting_reason: settlement.waits_until === null ? null : 'GATEWAY_FLOAT',
    failure_code,
    failure_reason: failureText(failure_code, locale) || failure_reason,
    created_at: settlement.created_at.toISOString(),
    updated_at: settlement.updated_at.toISOString(),
  }
}

/** As its merchant reads it: whoever asked for it is named, to members. */
export const NamedSettlementView = Type.Object(
  { ...fields, created_by_name: CreatedByNameToMembers },
  { title: 'NamedSettlement' },
)

/** For OpenAPI. */
export const settlementExample = {
  id: '01981f3a-0000-7000-8000-00000000e501',
  reference: 'STL-20261121-7K2MPQ4RWX',
  merchant: '01981f3a-0000-7000-8000-00000000a001',
  environment: 'SANDBOX',
  payout_method: '01981f3a-0000-7000-8000-00000000c001',
  country: 'BJ',
  requested_amount: '10000.00',
  fee_charge_mode: 'DEDUCTED',
  client_fee: '200.00',
  gateway_fee: '50.00',
  platform_fee: '150.00',
  debited_amount: '10000.00',
  net_amount: '9800.00',
  currency: 'XOF',
  status: 'PENDING',
  ip_address: '203.0.113.7',
  approved_at: null,
  executed_at: null,
  completed_at: null,
  returned_at: null,
  gateway_reference: '',
  proof_url: '',
  waiting_reason: null,
  failure_code: '',
  failure_reason: '',
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T08:00:00.000Z',
} as const satisfies SettlementView

export const namedExample = { ...settlementExample, created_by_name: 'Awa Diop' } as const

const approved_at = '2026-11-21T09:30:00.000Z'

export const cancelledExample = {
  ...settlementExample,
  status: 'CANCELLED',
  completed_at: approved_at,
  updated_at: approved_at,
} as const satisfies SettlementView

export const approvedExample = {
  ...settlementExample,
  status: 'APPROVED',
  approved_at,
  updated_at: approved_at,
} as const satisfies SettlementView

export const paidExample = {
  ...approvedExample,
  status: 'SUCCESS',
  executed_at: '2026-11-21T10:00:00.000Z',
  completed_at: '2026-11-21T10:00:00.000Z',
  gateway_reference: 'VIR-2026-0815',
  updated_at: '2026-11-21T10:00:00.000Z',
} as const satisfies SettlementView

/** The bank sent it back, weeks after it was paid. */
export const returnedExample = {
  ...paidExample,
  returned_at: '2026-12-09T09:00:00.000Z',
  updated_at: '2026-12-09T09:00:00.000Z',
} as const satisfies SettlementView

export const failedExample = {
  ...settlementExample,
  status: 'FAILED',
  failure_reason: 'The account is closed.',
  completed_at: approved_at,
  updated_at: approved_at,
} as const satisfies SettlementView

// The event of a settlement (contract 6.7): the very record that the API shows, as the move leaves
// it.

export type SettlementEventType =
  | 'settlement.requested'
  | 'settlement.approved'
  | 'settlement.success'
  | 'settlement.failed'
  | 'settlement.cancelled'
  | 'settlement.returned'

/** Gated by the settlement's own id. */
export const settlementEvent = (
  type: SettlementEventType,
  settlement: Settlement,
): NewEvent & FeedKey => ({
  merchant_id: settlement.merchant_id,
  environment: settlement.environment,
  gate_id: settlement.id,
  id: newId(),
  type,
  transaction_id: null,
  subject_id: settlement.id,
  data: settlementData(viewSettlement(settlement, 'en'), settlement.version),
})

/** `amount` as in every other event: the requested one. */
export const settlementData = (view: SettlementView, version: number) => ({
  ...view,
  amount: view.requested_amount,
  version,
})

// A settlement as staff read it: its merchant and, for those who pay it, its destination in full.
// Nobody else is shown a whole account number.

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const merchant_name = 'Boutique Awa'

export const SettlementOfMerchant = Type.Object(
  { ...SettlementView.properties, merchant_name: Type.String() },
  { title: 'SettlementOfMerchant' },
)

const DestinationView = Type.Object({
  type: Type.Enum(['MOBILE_MONEY', 'BANK_ACCOUNT']),
  network: Type.Union([Type.String(), Type.Null()], { description: 'Network code.' }),
  msisdn: orNull(Type.String()),
  bank_name: orNull(Type.String()),
  account_number: Type.Union([Type.String(), Type.Null()], { description: 'Whole.' }),
  account_name: orNull(Type.String()),
})

export const SettlementToPay = Type.Object(
  { ...SettlementOfMerchant.properties, destination: DestinationView },
  { title: 'SettlementToPay' },
)

export const viewOfMerchant = (
  settlement: MerchantsSettlement,
  locale: Locale,
): Static<typeof SettlementOfMerchant> => ({
  ...viewSettlement(settlement, locale),
  merchant_name: settlement.merchant_name,
})

export function viewToPay(
  { settlement, destination, merchant_name: name }: Seen,
  locale: Locale,
): Static<typeof SettlementToPay> {
  return {
    ...viewSettlement(settlement, locale),
    merchant_name: name,
    destination: {
      type: destination.type,
      network: destination.network_code,
      msisdn: destination.msisdn,
      bank_name: destination.bank_name,
      account_number: destination.account_number,
      account_name: destination.account_name,
    },
  }
}

export const ofMerchantExample = { ...settlementExample, merchant_name }

const destination = {
  type: 'BANK_ACCOUNT',
  network: null,
  msisdn: null,
  bank_name: 'Banque du Golfe',
  account_number: 'BJ66BJ0610100100144390000769',
  account_name: 'Boutique Awa SARL',
} as const

/** Any settlement's example, as staff see it. */
export const toPay = (example: SettlementView) => ({ ...example, merchant_name, destination })
