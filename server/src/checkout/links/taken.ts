// What links took: of one in a period (its stats), by when its payments were begun; of each on a
// page of their list in the last thirty days, by when they were paid, which is counted day by day.

import { type Static, Type } from 'typebox'
import { readDays } from '../../merchants/time-zones/time-zone.ts'
import { formatAmount } from '../../money/format.ts'
import type { Db } from '../../platform/db.ts'
import type { Query } from '../../platform/http/filters.ts'
import { readPeriod } from '../../reports/day.ts'
import { type LinkMeans, readLinksTaken } from '../../reports/series/read-links.ts'
import { LinkSchema } from './view.ts'

const usual_days = 30

export const TakenView = Type.Object(
  {
    currency: Type.String({ description: 'ISO 4217.' }),
    paid: Type.Integer({ minimum: 0, description: 'Payments that are paid.' }),
    amount: Type.String({ description: 'What they asked for, whatever was refunded since.' }),
    net: Type.String({ description: 'What was booked to the merchant for them.' }),
  },
  { title: 'PaymentLinkTaken' },
)

const LatelyView = Type.Object(
  {
    from: Type.String({ format: 'date', description: 'The first of thirty days, today the last.' }),
    sums: Type.Array(TakenView, { description: 'Of each currency; they are never added.' }),
  },
  { title: 'PaymentLinkTakenLately' },
)

export const ListedLinkSchema = Type.Object(
  {
    ...LinkSchema.properties,
    taken: Type.Optional(
      Type.Object(LatelyView.properties, {
        title: 'PaymentLinkTakenLately',
        description: 'With `taken=true`: what was paid in the last thirty days.',
      }),
    ),
  },
  { title: 'ListedPaymentLink' },
)

type Lately = Static<typeof LatelyView>

/** Of the links of one page, by their ids; one that nobody began to pay has no sums. */
export async function readTaken(
  means: LinkMeans,
  payment_links: readonly string[],
): Promise<(payment_link: string) => Lately> {
  const { first } = await readDaysAsked(means.db, means.owner.merchant_id, {})
  const lines = await readLinksTaken(means, payment_links, first)
  return (payment_link) => {
    const own = lines.filter((line) => line.payment_link === payment_link)
    const sums = own.map(({ currency, paid, amount, net }) => ({
      ...{ currency, paid, amount: formatAmount(amount), net: formatAmount(net) },
    }))
    return { from: first, sums }
  }
}

const day_ms = 86_400_000
/** `days` later in the calendar. */
export const dayFrom = (from: string, days: number): string =>
  new Date(Date.parse(from) + days * day_ms).toISOString().slice(0, 10)

const first_day = '0001-01-01'

/** By the merchant's clock. Without an end: until today. Without a beginning: thirty days. */
export async function readDaysAsked(db: Db, merchant_id: string, { from, to }: Query) {
  const { today } = await readDays(db, merchant_id, { first: first_day, last: first_day })
  const last = to && to < today ? to : today
  const usual = dayFrom(last, 1 - usual_days)
  return readPeriod(db, merchant_id, {
    first: from || (usual < first_day ? first_day : usual),
    last,
  })
}
