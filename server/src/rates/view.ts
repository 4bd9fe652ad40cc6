// Exchange rates and conversions as they are shown: amounts with two digits, rates with eight.

import { type Static, Type } from 'typebox'
import { formatAmount, formatRate } from '../money/format.ts'
import { divideHalfUp } from '../money/round.ts'
import { assert } from '../platform/errors.ts'
import { type Conversion, parseRate } from './convert.ts'
import { type HistoricRate, rateStates, type StoredRate } from './store.ts'

const currency = Type.String({ description: 'ISO 4217.' })
const rate = Type.String({ description: 'Decimal with eight decimal places.' })

export const RateView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    from_currency: currency,
    to_currency: currency,
    rate,
    effective_at: Type.String({ format: 'date-time' }),
  },
  { title: 'ExchangeRate' },
)

export const ConversionView = Type.Object(
  {
    from: currency,
    to: currency,
    rate,
    amount: Type.String({ description: 'In the currency `from`.' }),
    converted_amount: Type.String({
      description: 'In the currency `to`, rounded to its smallest unit.',
    }),
    effective_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Conversion' },
)

/** One `from_currency` buys `rate` `to_currency`. */
export function viewRate(row: StoredRate): Static<typeof RateView> {
  const ratio = parseRate(row.rate)
  assert(ratio, `rate ${row.id} is ${row.rate}`)
  return {
    id: row.id,
    from_currency: row.from_currency,
    to_currency: row.to_currency,
    rate: formatRate(divideHalfUp(ratio.numerator * 10n ** 8n, ratio.denominator)),
    effective_at: row.effective_at.toISOString(),
  }
}

export type Question = Readonly<{ from: string; to: string; amount: bigint }>

/** A cross is as old as the older of its rates; a currency in itself is so now. */
export function viewConversion(
  { from, to, amount }: Question,
  { converted, rate_e8, rows }: Conversion<StoredRate>,
): Static<typeof ConversionView> {
  const [oldest = new Date()] = rows.map((row) => row.effective_at).sort((a, b) => (a < b ? -1 : 1))
  return {
    from,
    to,
    rate: formatRate(rate_e8),
    amount: formatAmount(amount),
    converted_amount: formatAmount(converted),
    effective_at: oldest.toISOString(),
  }
}

export const rateExample = {
  id: '01981f3a-0000-7000-8000-00000000f001',
  from_currency: 'EUR',
  to_currency: 'XOF',
  rate: '655.95700000',
  effective_at: '2026-01-01T00:00:00.000Z',
}

export const conversionExample = {
  from: 'EUR',
  to: 'XOF',
  rate: '655.95700000',
  amount: '10.00',
  converted_amount: '6560.00',
  effective_at: '2026-01-01T00:00:00.000Z',
}

// An exchange rate with its place in the history, as staff see it.

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
