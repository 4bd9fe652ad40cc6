// What can be known of a payout before it is made, by asking and nothing else: what it costs, whose
// number it is, whether the same sum went there minutes ago, whether a second person is asked.

import type {
  GetTransactionsData,
  GetTransactionsResponse,
  PayoutInitialize,
  Quote,
  Transaction,
} from '../../api/types.gen.ts'
import { call, type Place } from '../../data/call.ts'
import { serviceNow } from '../../data/clock.ts'
import { fetchQuote } from '../../parts/quote.tsx'

export type Findings = Readonly<{
  /** As the API writes the number and the sum. */
  msisdn: string
  sum: string
  /** Undefined: not known, because the payout may have been made already. */
  quote: Quote | undefined
  /** The same sum to the same number, minutes ago. */
  twin: Transaction | undefined
  isWarned: boolean
}>

const recently_ms = 15 * 60_000

export async function checkPayout(
  place: Place,
  body: PayoutInitialize,
  key: string,
): Promise<Findings> {
  const { country, currency, method, recipient } = body
  const sum = String(body.amount)
  const question = {
    country,
    currency,
    network: method,
    amount: sum,
    msisdn: recipient.msisdn,
  }
  const names = { network: 'method', msisdn: 'recipient.msisdn' }
  const quote = await fetchQuote(place, 'PAYOUT', { question, key, names })
  const number = quote?.number ?? undefined
  const msisdn = number?.e164 ?? recipient.msisdn
  const twin = await findTwin(place, { msisdn, sum, currency })
  const isWarned = twin !== undefined || (number?.other_network ?? null) !== null
  return { msisdn, sum, quote, twin, isWarned }
}

type Wanted = Readonly<{ msisdn: string; sum: string; currency: string }>

async function findTwin(place: Place, { msisdn, sum, currency }: Wanted) {
  const since = new Date(serviceNow() - recently_ms).toISOString()
  const { results } = await call<GetTransactionsData, GetTransactionsResponse>({
    ...{ method: 'GET', url: '/transactions/', place },
    query: { transaction_type: 'RETRAIT', search: msisdn, created_at__gte: since, page_size: 25 },
  })
  return results.find(
    (row) =>
      ['PENDING', 'SUCCESS'].includes(row.status) &&
      row.operation_msisdn === msisdn &&
      row.requested_amount === sum &&
      row.currency === currency,
  )
}
