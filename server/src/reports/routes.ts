// What a merchant reconciles with: its days. As JSON, or as CSV when the query requests it.

import { Type } from 'typebox'
import { csv_type, csvForm, csvQuery } from '../platform/csv.ts'
import type { Db } from '../platform/db.ts'
import { reportLabelQuery } from '../platform/export/file-label.ts'
import { ok, type ServedRoute } from '../platform/http/route.ts'
import { reads } from '../platform/http/route-list.ts'
import { makeDailyReport } from './make-daily-report.ts'
import { DailyReportSchema, dailyReportCsv, dailyReportExample, viewDailyReport } from './view.ts'

/** A day is read whole, however busy it was: beside what moves money. */
type Deps = Readonly<{ reads: Db }>

export const reportRoutes = (deps: Deps): ServedRoute[] => [dailyRoute(deps)]

const dailyRoute = ({ reads: db }: Deps): ServedRoute => ({
  path: '/reports/daily/',
  access: 'any',
  query: Type.Object({
    date: Type.String({
      format: 'date',
      description: 'A day in the merchant’s time zone, today at the latest.',
    }),
    format: Type.Optional(Type.Enum(['json', 'csv'])),
    ...csvQuery,
    ...reportLabelQuery,
  }),
  summary: 'Retrieve the daily reconciliation report',
  description:
    'What succeeded on a day by country, network and type, and each balance from opening to ' +
    'closing. The closing balance of a day is the opening balance of the next. A day ends at ' +
    'midnight in its `time_zone`, the merchant’s on that day. With `format=csv`, a single table ' +
    'with one line per country, network and type, and below them one per country and `movement` ' +
    '(PAYIN, PAYOUT, REFUND …) with its `credits` and `debits`.',
  tag: 'Reports',
  takes_turns: true,
  sends: ['Content-Disposition'],
  also: { 'text/csv': Type.String() },
  ...reads(DailyReportSchema, dailyReportExample),
  handler: async ({ caller, query }) => {
    const { date = '', format } = query
    const report = await makeDailyReport(db, caller, date)
    if (format !== 'csv') return ok(viewDailyReport(report, caller.environment))
    const { file_label: label = `${date}-${caller.environment.toLowerCase()}` } = query
    const filename = `daily-${label}.csv`
    const file = dailyReportCsv(report, csvForm(query))
    return { status: 200, file, content_type: csv_type, filename }
  },
})
