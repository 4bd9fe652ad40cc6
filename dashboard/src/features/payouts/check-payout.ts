// What can be known of a payout before it is made, by asking and nothing else: whose number it is,
// whether the same sum went there minutes ago, above what a second person is asked.

import type {
  GetMerchantPayoutLimitsData,
  GetMerchantPayoutLimitsResponse,
  GetTransactionsData,
  GetTransactionsResponse,
  PayoutInitialize,
  Transaction,
} from '../../api/types.gen.ts'
import { call, type Place } from '../../data/call.ts'
import { serviceNow } from '../../data/clock.ts'
import { predict } from '../../parts/predict.ts'

export type Findings = Readonly<{
  /** As the API writes the number and the sum. */
  msisdn: string
  sum: string
  /** The same sum to the same number, minutes ago. */
  twin: Transaction | undefined
  /** The number belongs to another network than the chosen one, surely. */
  otherNetwork: string | undefined
  /** Above it a second member approves. */
  limit: Readonly<{ amount: string; currency: string }> | undefined
  isWarned: boolean
}>

const recently_ms = 15 * 60_000

export async function checkPayout(place: Place, body: PayoutInitialize): Promise<Findings> {
  const sum = String(body.amount)
  const predicted = await predict(place, body.recipient.msisdn)
  const msisdn = predicted?.msisdn ?? body.recipient.msisdn
  const [twin, limit] = await Promise.all([
    findTwin(place, { msisdn, sum, currency: body.currency }),
    findLimit(place, body.country),
  ])
  const isOther = predicted?.is_sure === true && predicted.network !== body.method
  const otherNetwork = isOther ? (predicted.network ?? undefined) : undefined
  const isWarned = twin !== undefined || otherNetwork !== undefined
  return { msisdn, sum, twin, otherNetwork, limit, isWarned }
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

async function findLimit(place: Place, country: string): Promise<Findings['limit']> {
  const { results } = await call<GetMerchantPayoutLimitsData, GetMerchantPayoutLimitsResponse>({
    ...{ method: 'GET', url: '/merchant-payout-limits/', query: { page_size: 100 }, place },
  })
  const limit = results.find((one) => one.country === country && one.api_key === null)
  if (limit === undefined || limit.approval_above === null) return undefined
  return { amount: limit.approval_above, currency: limit.currency }
}
