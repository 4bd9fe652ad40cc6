// Balances and movements as merchants read them, field by field (contract: MerchantBalance;
// contract 5.12).

import { type Static, Type } from 'typebox'
import { formatAmount } from '../money/format.ts'
import { type EntryKind, entryKinds, type LedgerEntry } from './entries-store.ts'
import type { Balance } from './store.ts'

const id = Type.String({ format: 'uuid' })
const moment = Type.String({ format: 'date-time' })
const amount = Type.String({ description: 'Decimal with two decimal places.' })
const country = Type.String({ description: 'ISO 3166 alpha-2.' })
const currency = Type.String({ description: 'ISO 4217.' })

export const BalanceView = Type.Object(
  {
    id,
    merchant: id,
    environment: Type.Enum(['SANDBOX', 'LIVE']),
    country,
    currency,
    available_amount: amount,
    pending_amount: Type.String({
      description: 'Held for payouts, settlements, transfers and refunds in flight.',
    }),
    frozen_amount: Type.String({ description: 'Amount that staff have frozen.' }),
    is_frozen: Type.Boolean({
      description: 'When true, no new outflow is accepted; credits still land.',
    }),
    created_at: moment,
    updated_at: moment,
  },
  { title: 'MerchantBalance' },
)

export const EntryView = Type.Object(
  {
    id,
    country,
    currency,
    direction: Type.Enum(['CREDIT', 'DEBIT']),
    amount,
    balance_after: Type.String({ description: 'The available amount after this movement.' }),
    reference: Type.String({
      description:
        'The reference of the transaction, settlement, transfer or adjustment; otherwise its ' +
        'kind.',
    }),
    transaction: Type.Union([id, Type.Null()]),
    created_at: moment,
    kind: Type.Enum([...entryKinds], {
      description:
        'What it was for. An outflow that comes back, such as a payout that failed, is a CREDIT ' +
        'of its kind.',
    }),
    settlement: Type.Union([id, Type.Null()]),
    wallet_transfer: Type.Union([id, Type.Null()]),
  },
  { title: 'LedgerEntry' },
)

export function viewBalance(balance: Balance): Static<typeof BalanceView> {
  return {
    id: balance.id,
    merchant: balance.merchant_id,
    environment: balance.environment,
    country: balance.country,
    currency: balance.currency,
    available_amount: formatAmount(balance.available),
    pending_amount: formatAmount(balance.pending),
    frozen_amount: formatAmount(balance.frozen),
    is_frozen: balance.is_frozen,
    created_at: balance.created_at.toISOString(),
    updated_at: balance.updated_at.toISOString(),
  }
}

export function viewEntry(entry: LedgerEntry): Static<typeof EntryView> {
  const change = entry.available_change
  return {
    id: entry.id,
    country: entry.country,
    currency: entry.currency,
    direction: change > 0n ? 'CREDIT' : 'DEBIT',
    amount: formatAmount(change > 0n ? change : -change),
    balance_after: formatAmount(entry.balance_after),
    reference: entry.reference ?? causeName(entry),
    transaction: entry.transaction_id,
    created_at: entry.created_at.toISOString(),
    kind: kindOf(entry),
    settlement: entry.settlement_id,
    wallet_transfer: kindOf(entry) === 'TRANSFER' ? transferOf(entry) : null,
  }
}

const ofTransaction: Readonly<Record<string, EntryKind>> = {
  ...{ PAIEMENT: 'PAYMENT', RECHARGE: 'TOP_UP', RETRAIT: 'PAYOUT', TRANSFERT: 'TRANSFER' },
}

/** A hold is of what it is for; the kinds that mean the same to a merchant are one. */
function kindOf(entry: LedgerEntry): EntryKind {
  const { cause_kind, hold_kind, transaction_type } = entry
  if (cause_kind === 'RESOLUTION') return 'INCIDENT'
  const name = cause_kind === 'HOLD' || cause_kind === 'HOLD_END' ? hold_kind : cause_kind
  const known = entryKinds.find((kind) => kind === name) ?? ofTransaction[transaction_type ?? '']
  // Only what has lost its transaction has none: a list is read for its sums all the same.
  return known ?? (entry.available_change > 0n ? 'PAYMENT' : 'PAYOUT')
}

/** One that has succeeded has booked by its own id, without a hold. */
const transferOf = ({ wallet_transfer_id, cause_id }: LedgerEntry): string =>
  wallet_transfer_id ?? cause_id

/** `SANDBOX-3F9A1C07`: the last eight digits, since ids of one moment begin alike. */
const causeName = ({ cause_kind, cause_id }: LedgerEntry): string =>
  `${cause_kind}-${cause_id.slice(-8).toUpperCase()}`

/** For OpenAPI. */
export const balanceExample = {
  id: '01981f3a-0000-8000-8000-00000000b001',
  merchant: '01981f3a-0000-7000-8000-00000000a001',
  environment: 'SANDBOX',
  country: 'SN',
  currency: 'XOF',
  available_amount: '150000.00',
  pending_amount: '10000.00',
  frozen_amount: '0.00',
  is_frozen: false,
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T09:30:00.000Z',
}

export const entryExample = {
  id: '01981f3a-0000-7000-8000-00000000d001',
  country: 'SN',
  currency: 'XOF',
  direction: 'CREDIT',
  amount: '10000.00',
  balance_after: '150000.00',
  reference: 'TXN-20261121-7K2MPQ4RWX',
  transaction: '01981f3a-0000-7000-8000-000000007001',
  created_at: '2026-11-21T09:30:00.000Z',
  kind: 'PAYMENT',
  settlement: null,
  wallet_transfer: null,
}
