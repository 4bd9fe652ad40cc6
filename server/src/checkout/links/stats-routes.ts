// `GET /payment-links/{id}/stats/`: how often a link was opened, what came of it (contract 6.2).

import { type Static, Type } from 'typebox'
import { formatAmount } from '../../money/format.ts'
import { countVisits } from '../../orders/visit-statements.ts'
import type { Db } from '../../platform/db.ts'
import { invalid, type Text } from '../../platform/errors.ts'
import { type Query, uuidParam } from '../../platform/http/filters.ts'
import { type Caller, ok, type Route } from '../../platform/http/route.ts'
import { reads } from '../../platform/http/route-list.ts'
import { listLinkFigures } from '../../transactions/link-statements.ts'
import { getOwnLink } from '../own-order.ts'
import { dayFrom, readDaysAsked, TakenView } from './taken.ts'

const days_max = 366
/** More are counted from a later moment on. */
const payments_read_max = 50_000

const day = (description: string) => Type.String({ format: 'date', description })
const moment = (description: string) => Type.String({ format: 'date-time', description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

const StatsView = Type.Object(
  {
    payment_link: Type.String({ format: 'uuid' }),
    from: day('The first day, in the merchant’s time zone.'),
    to: day('The last day.'),
    counted_from: moment(
      'Payments begun from here on are counted: the beginning of the period, or later where it ' +
        `has ${payments_read_max} of them or more.`,
    ),
    visits: count(
      'Times that our page of the link was opened, as far as they are written: those of the last ' +
        'ten seconds may be missing, and are lost where a process dies.',
    ),
    started: count('Payments that were begun.'),
    paid: count('Those of them that are paid by now.'),
    taken: Type.Array(TakenView, { description: 'Of each currency; they are never added.' }),
    last_paid_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When the last of them was paid; null where none was.',
    }),
  },
  { title: 'PaymentLinkStats' },
)

const statsExample: Static<typeof StatsView> = {
  payment_link: '01981f3a-0000-7000-8000-00000000c101',
  ...{ from: '2026-10-23', to: '2026-11-21', counted_from: '2026-10-22T23:00:00.000Z' },
  ...{ visits: 41, started: 5, paid: 3 },
  taken: [{ currency: 'XOF', paid: 3, amount: '15000.00', net: '14775.00' }],
  last_paid_at: '2026-11-21T08:00:05.000Z',
}

const tooLong: Text = {
  en: `Must be at most ${days_max} days after \`from\`.`,
  fr: `Doit suivre \`from\` de ${days_max} jours au plus.`,
}

async function readStats(
  db: Db,
  { caller, id, query }: Readonly<{ caller: Caller; id: string; query: Query }>,
): Promise<Static<typeof StatsView>> {
  const { merchant_id } = caller
  const { id: payment_link } = await getOwnLink(db, caller, id)
  const { first, last, from, to } = await readDaysAsked(db, merchant_id, query)
  if (dayFrom(first, days_max) < last) throw invalid('to', tooLong)
  const link = { merchant_id, payment_link }
  const [visits, lines] = await Promise.all([
    countVisits(db, link, { first, last }),
    listLinkFigures(db, { ...link, from, to }, payments_read_max),
  ])
  const sum = (of: 'started' | 'paid') => lines.reduce((all, line) => all + line[of], 0)
  return {
    ...{ payment_link, from: first, to: last },
    counted_from: (lines[0]?.cut_at ?? from).toISOString(),
    ...{ visits, started: sum('started'), paid: sum('paid') },
    taken: lines
      .filter(({ paid }) => paid > 0)
      .map(({ currency, paid, amount, net }) => ({
        ...{ currency, paid, amount: formatAmount(amount), net: formatAmount(net) },
      })),
    last_paid_at: lines[0]?.last_paid_at?.toISOString() ?? null,
  }
}

/** `reads`: nothing of it is written, and a long period may take its time. */
export const linkStatsRoutes = ({ reads: db }: Readonly<{ reads: Db }>): Route[] => [
  {
    path: '/payment-links/:id/stats/',
    access: 'any',
    query: Type.Object({
      from: Type.Optional(day('The first day; absent: thirty days with the last.')),
      to: Type.Optional(day('The last day; absent: today.')),
    }),
    summary: 'Retrieve how often a payment link was opened and paid',
    description:
      'Of a period of at most 366 days, by the merchant’s clock. A visit is one opening of our ' +
      'page of the link by a browser; programs that call themselves robots, previews of ' +
      'messengers and pages fetched ahead are not counted, and nothing of the reader is kept.',
    tag: 'Payment links',
    takes_turns: true,
    ...reads(StatsView, statsExample),
    handler: async ({ caller, query, params }) =>
      ok(await readStats(db, { caller, id: uuidParam({ params }, 'id'), query })),
  },
]
