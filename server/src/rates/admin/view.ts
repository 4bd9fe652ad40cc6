// An exchange rate with its place in the history, as staff see it.

import { type Static, Type } from 'typebox'
import { viewRate } from '../view.ts'
import { type HistoricRate, rateStates } from './store.ts'

const moment = Type.String({ format: 'date-time' })

export const HistoricRateView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    base: Type.String({ description: 'ISO 4217. One unit of it buys `rate` units of `quote`.' }),
    quote: Type.String({ description: 'ISO 4217.' }),
    rate: Type.String({ description: 'Decimal with eight decimal places.' }),
    status: Type.Enum([...rateStates]),
    effective_at: moment,
    source: Type.String({ description: '`staff`, or the source that the seed data names.' }),
    created_at: moment,
  },
  { title: 'HistoricExchangeRate' },
)

export function viewHistoricRate(row: HistoricRate): Static<typeof HistoricRateView> {
  const { id, rate, effective_at } = viewRate(row)
  return {
    id,
    base: row.from_currency,
    quote: row.to_currency,
    rate,
    status: row.status,
    effective_at,
    source: row.source,
    created_at: row.created_at.toISOString(),
  }
}

export const addedRateExample = {
  id: '01981f3a-0000-7000-8000-00000000f001',
  base: 'USD',
  quote: 'XOF',
  rate: '612.35000000',
  status: 'UPCOMING',
  effective_at: '2026-11-22T00:00:00.000Z',
  source: 'staff',
  created_at: '2026-11-21T08:00:00.000Z',
}
