// `GET /merchant-webhooks/{id}/stats/`: how an endpoint has answered lately (contract 6.5).

import { type Static, Type } from 'typebox'
import type { Db } from '../../platform/db.ts'
import { timeQuery, uuidParam } from '../../platform/http/filters.ts'
import { ok, type Route } from '../../platform/http/route.ts'
import { reads } from '../../platform/http/route-list.ts'
import {
  checkSpan,
  countDeliveries,
  type DeliveryStats,
  deliveries_read_max,
  readSpan,
  stats_days_max,
} from './delivery-stats.ts'
import type { DeliveryFigures } from './store.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const moment = (description: string) => Type.String({ format: 'date-time', description })
const milliseconds = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description })

const figures = {
  deliveries: count('Deliveries made in this time, whatever became of them.'),
  tries: count('Times that they were sent so far.'),
  succeeded: count('Deliveries that were acknowledged: `SUCCESS`.'),
  failed: count('Deliveries whose last try failed, and which are tried again: `FAILED`.'),
  exhausted: count('Deliveries that were given up: `EXHAUSTED`.'),
  waiting: count('Deliveries that wait to be sent, first or on request: `PENDING`.'),
  answer_ms_p50: milliseconds(
    'Half of the last tries that were answered took at most this, in milliseconds; null where ' +
      'none was answered.',
  ),
  answer_ms_p95: milliseconds('95 of a hundred took at most this, in milliseconds.'),
}

const StatsView = Type.Object(
  {
    webhook: Type.String({ format: 'uuid' }),
    from: moment('The beginning of the period.'),
    to: moment('Its end.'),
    counted_from: moment(
      'Deliveries are counted from here on: the beginning, or later where one type of event has ' +
        `${deliveries_read_max} deliveries or more in the period.`,
    ),
    ...figures,
    hours: Type.Array(
      Type.Object(
        {
          from: moment('Its beginning, by UTC; the first and the last may be a part of one.'),
          ...figures,
          height: Type.Integer({
            ...{ minimum: 0, maximum: 100 },
            description: '0 to 100: `deliveries`, of the busiest hour.',
          }),
        },
        { title: 'WebhookHour' },
      ),
      { maxItems: stats_days_max * 24 + 1, description: 'In the order of time, empty ones too.' },
    ),
  },
  { title: 'WebhookStats' },
)

const viewFigures = (of: DeliveryFigures): DeliveryFigures => ({
  ...{ deliveries: of.deliveries, tries: of.tries, succeeded: of.succeeded, failed: of.failed },
  ...{ exhausted: of.exhausted, waiting: of.waiting },
  ...{ answer_ms_p50: of.answer_ms_p50, answer_ms_p95: of.answer_ms_p95 },
})

function viewStats({ hours, ...of }: DeliveryStats): Static<typeof StatsView> {
  const most = Math.max(1, ...hours.map(({ deliveries }) => deliveries))
  return {
    webhook: of.webhook_id,
    from: of.from.toISOString(),
    to: of.to.toISOString(),
    counted_from: of.counted_from.toISOString(),
    ...viewFigures(of.totals),
    hours: hours.map((hour) => ({
      from: hour.from.toISOString(),
      ...viewFigures(hour),
      height: Math.round((hour.deliveries * 100) / most),
    })),
  }
}

const exampleFigures: DeliveryFigures = {
  ...{ deliveries: 12, tries: 14, succeeded: 10, failed: 1, exhausted: 0, waiting: 1 },
  ...{ answer_ms_p50: 84, answer_ms_p95: 410 },
}
const exampleHour = '2026-11-21T08:00:00.000Z'
const statsExample: Static<typeof StatsView> = {
  webhook: '01981f3a-0000-7000-8000-00000000f001',
  from: exampleHour,
  to: '2026-11-21T08:59:59.999Z',
  counted_from: exampleHour,
  ...exampleFigures,
  hours: [{ from: exampleHour, ...exampleFigures, height: 100 }],
}

/** `reads`: nothing of it is written, and a long period may take its time. */
export const deliveryStatsRoutes = ({ reads: db }: Readonly<{ reads: Db }>): Route[] => [
  {
    path: '/merchant-webhooks/:id/stats/',
    access: 'any',
    query: Type.Object(timeQuery),
    check_query: checkSpan,
    summary: 'Retrieve how an endpoint has answered',
    description:
      'Of the deliveries made in a period of at most seven days, by default the last 24 hours: ' +
      'what became of them so far, and how long answers took, whole and by hour. Each delivery ' +
      'counts in the hour in which it was made, also where it is tried later.',
    tag: 'Webhooks',
    takes_turns: true,
    ...reads(StatsView, statsExample),
    handler: async ({ caller, query, params }) =>
      ok(
        viewStats(await countDeliveries(db, caller, uuidParam({ params }, 'id'), readSpan(query))),
      ),
  },
]
