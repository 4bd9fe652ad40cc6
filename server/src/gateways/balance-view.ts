// What an account with an operator holds, wallet by wallet, as staff see it.

import { type Static, type TSchema, Type } from 'typebox'
import { formatAmount } from '../money/format.ts'
import type { BalanceRow } from './balance-store.ts'

const amount = Type.String({ description: 'Decimal with two decimal places, in `currency`.' })
const moment = Type.String({ format: 'date-time' })
export const orNull = <T extends TSchema>(of: T, description: string) =>
  Type.Union([of, Type.Null()], { description })

export const BalanceView = Type.Object(
  {
    gateway: Type.String(),
    wallet: Type.String({ description: 'The operator’s name for it: a product, a country.' }),
    purposes: Type.Array(Type.Enum(['COLLECT', 'DISBURSE']), {
      description:
        'What it is used for: what payers pay (`COLLECT`), payouts (`DISBURSE`), or both. Empty ' +
        'where it has not been read since that is kept.',
    }),
    country: orNull(
      Type.String(),
      'ISO 3166-1 alpha-2, as the operator names it; null: it names none.',
    ),
    currency: Type.String({ description: 'ISO 4217.' }),
    amount,
    read_at: Type.String({
      format: 'date-time',
      description: 'When the operator was asked. Accounts that are on are asked every 5 minutes.',
    }),
    low_below: orNull(amount, 'Below it the balance is low; null: it never is.'),
    payouts_wait_in: orNull(
      Type.String(),
      'The country whose payouts through this account wait while it is low; null: none do.',
    ),
    low_since: orNull(moment, 'Null while it is not low.'),
  },
  { title: 'GatewayBalance' },
)

export const viewBalance = (row: BalanceRow): Static<typeof BalanceView> => ({
  gateway: row.gateway_code,
  wallet: row.wallet,
  purposes: [...row.purposes],
  country: row.country,
  currency: row.currency,
  amount: formatAmount(row.amount),
  read_at: row.read_at.toISOString(),
  low_below: row.low_below === null ? null : formatAmount(row.low_below),
  payouts_wait_in: row.payouts_wait_in,
  low_since: row.low_since?.toISOString() ?? null,
})

export const balanceExample: Static<typeof BalanceView> = {
  gateway: 'mtn_bj_live',
  wallet: 'disbursement',
  purposes: ['DISBURSE'],
  country: null,
  currency: 'XOF',
  amount: '1250000.00',
  read_at: '2026-11-21T08:00:00.000Z',
  low_below: '500000.00',
  payouts_wait_in: 'BJ',
  low_since: null,
}
