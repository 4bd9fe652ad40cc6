// What a merchant reads of its balance and of its movements, field by field, and that the published
// interface agrees.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fieldDescriptions } from '../app/field-descriptions.ts'
import { Components } from '../platform/http/openapi-schemas.ts'
import type { LedgerEntry } from './entries-store.ts'
import type { Balance } from './store.ts'
import { BalanceView, balanceExample, EntryView, viewBalance, viewEntry } from './view.ts'

const balance: Balance = {
  merchant_id: '01981f3a-0000-7000-8000-00000000a001',
  id: '01981f3a-0000-8000-8000-00000000b001',
  environment: 'SANDBOX',
  country: 'SN',
  currency: 'XOF',
  available: 15_000_000n,
  pending: 1_000_000n,
  frozen: 0n,
  is_frozen: false,
  created_at: new Date('2026-11-21T08:00:00Z'),
  updated_at: new Date('2026-11-21T09:30:00Z'),
}

const entry: LedgerEntry = {
  id: '01981f3a-0000-7000-8000-00000000e001',
  country: 'SN',
  currency: 'XOF',
  amount: 1_000_000n,
  available_change: 1_000_000n,
  balance_after: 16_000_000n,
  cause_kind: 'TRANSACTION',
  cause_id: '01981f3a-0000-7000-8000-00003f9a1c07',
  hold_kind: null,
  transaction_id: '01981f3a-0000-7000-8000-00003f9a1c07',
  transaction_type: 'PAIEMENT',
  settlement_id: null,
  wallet_transfer_id: null,
  reference: 'TXN-20261121-7K2MPQ4RWX',
  created_at: new Date('2026-11-21T08:00:04.123Z'),
  place: '2026-11-21 08:00:04.123+00',
}

describe('a balance as it is read', () => {
  it('is the published example, from the row that it shows', () => {
    expect(viewBalance(balance)).toEqual(balanceExample)
  })

  it('keeps the three sums apart, and says that it is frozen', () => {
    const row = { ...balance, available: 1n, pending: 2n, frozen: 3n, is_frozen: true }
    expect(viewBalance(row)).toMatchObject({
      available_amount: '0.01',
      pending_amount: '0.02',
      frozen_amount: '0.03',
      is_frozen: true,
    })
  })
})

describe('a movement as it is read', () => {
  it('is a credit of what came in', () => {
    expect(viewEntry(entry)).toEqual({
      id: entry.id,
      country: 'SN',
      currency: 'XOF',
      direction: 'CREDIT',
      amount: '10000.00',
      balance_after: '160000.00',
      reference: 'TXN-20261121-7K2MPQ4RWX',
      kind: 'PAYMENT',
      transaction: entry.transaction_id,
      settlement: null,
      wallet_transfer: null,
      created_at: '2026-11-21T08:00:04.123Z',
    })
  })

  it('is a debit of what went out, told without a sign', () => {
    const out = { ...entry, available_change: -1_000_050n, balance_after: -50n }
    expect(viewEntry(out)).toMatchObject({
      direction: 'DEBIT',
      amount: '10000.50',
      balance_after: '-0.50',
    })
  })

  it('without a transaction is named by its cause: ids of one moment begin alike', () => {
    const funded = {
      ...entry,
      cause_kind: 'SANDBOX',
      transaction_id: null,
      transaction_type: null,
      reference: null,
    } as const
    expect(viewEntry(funded)).toMatchObject({ reference: 'SANDBOX-3F9A1C07', transaction: null })
  })
})

describe('what a movement was for', () => {
  const cause_id = entry.cause_id
  it.each<[Partial<LedgerEntry>, object]>([
    [{ transaction_type: 'RECHARGE' }, { kind: 'TOP_UP' }],
    [{ transaction_type: 'RETRAIT' }, { kind: 'PAYOUT' }],
    [{ cause_kind: 'HOLD', hold_kind: 'PAYOUT' }, { kind: 'PAYOUT' }],
    [{ cause_kind: 'HOLD_END', hold_kind: 'PAYOUT' }, { kind: 'PAYOUT' }],
    [{ cause_kind: 'HOLD', hold_kind: 'REFUND' }, { kind: 'REFUND' }],
    [{ cause_kind: 'REFUND' }, { kind: 'REFUND' }],
    [
      { cause_kind: 'HOLD', hold_kind: 'SETTLEMENT', settlement_id: cause_id },
      { kind: 'SETTLEMENT', settlement: cause_id },
    ],
    [
      { cause_kind: 'HOLD', hold_kind: 'TRANSFER', wallet_transfer_id: 'one' },
      { kind: 'TRANSFER', wallet_transfer: 'one' },
    ],
    [{ cause_kind: 'TRANSFER' }, { kind: 'TRANSFER', wallet_transfer: cause_id }],
    [{ cause_kind: 'INCIDENT' }, { kind: 'INCIDENT', wallet_transfer: null }],
    [{ cause_kind: 'RESOLUTION' }, { kind: 'INCIDENT' }],
    [{ cause_kind: 'FREEZE' }, { kind: 'FREEZE' }],
    [{ cause_kind: 'ADJUSTMENT' }, { kind: 'ADJUSTMENT' }],
    [{ cause_kind: 'SANDBOX' }, { kind: 'SANDBOX' }],
  ])('%j', (changes, shown) => {
    expect(viewEntry({ ...entry, ...changes })).toMatchObject(shown)
  })
})

it('the published interface describes both as they are made', () => {
  const path = new URL('../../openapi.json', import.meta.url)
  const { MerchantBalance, LedgerEntry } = JSON.parse(readFileSync(path, 'utf8')).components.schemas
  const components = new Components(fieldDescriptions)
  for (const schema of [BalanceView, EntryView]) components.publish(schema)
  expect(components.schemas).toEqual({ MerchantBalance, LedgerEntry })
})
