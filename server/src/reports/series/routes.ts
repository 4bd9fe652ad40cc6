// `GET /stats/transactions/`: a merchant's hours, days, weeks or months, as JSON or as CSV.

import { Type } from 'typebox'
import { CountryInput } from '../../catalogue/view.ts'
import { csv_type, csvForm, csvQuery } from '../../platform/csv.ts'
import type { Db } from '../../platform/db.ts'
import { reportLabelQuery } from '../../platform/export/file-label.ts'
import { enumFilter, type Query } from '../../platform/http/filters.ts'
import { ok, type ServedRoute } from '../../platform/http/route.ts'
import { reads } from '../../platform/http/route-list.ts'
import { keptHours } from '../overview/hours.ts'
import type { LinkMeans } from './read-links.ts'
import { groupings, makeSeries, type SeriesQuery, steps } from './series.ts'
import { keptHoursOfStarts } from './starts-store.ts'
import { seriesTypes } from './store.ts'
import { SeriesView, seriesCsv, seriesExample, viewSeries } from './view.ts'

const day = (description: string) => Type.String({ format: 'date', description })

const readSeriesQuery = (query: Query): SeriesQuery => ({
  ...{ first: query['from'] ?? '', last: query['to'] ?? '' },
  step: enumFilter(query, 'step', steps) ?? 'day',
  group_by: enumFilter(query, 'group_by', groupings) ?? 'currency',
  type: enumFilter(query, 'transaction_type', seriesTypes),
  country: query['country']?.toUpperCase() || undefined,
})

type SeriesDeps = Readonly<{ reads: Db }> & Pick<LinkMeans, 'hoursOfLinks'>

/** `reads`: nothing of it is written, and a long period may take its time. */
export function seriesRoutes({ reads: db, hoursOfLinks }: SeriesDeps): ServedRoute[] {
  const hoursOf = keptHours(seriesTypes)
  const kept = { hoursOf, hoursOfStarts: keptHoursOfStarts(), hoursOfLinks }
  return [
    {
      path: '/stats/transactions/',
      access: 'any',
      query: Type.Object({
        from: day('The first day, in the merchant’s time zone.'),
        to: day('The last day; one that is to come is read as today.'),
        step: Type.Optional(
          Type.Enum([...steps], { description: 'Default `day`; `hour`: of at most seven days.' }),
        ),
        group_by: Type.Optional(
          Type.Enum([...groupings], {
            description:
              'Default `currency`; `failure_code`: only those that failed; `payment_link`: only ' +
              'those of links, of which the twenty with the most have a series.',
          }),
        ),
        transaction_type: Type.Optional(
          Type.Enum([...seriesTypes], {
            description: 'Payments (the default), payouts or top-ups; by type, without it all.',
          }),
        ),
        country: Type.Optional({
          ...CountryInput,
          description: 'ISO 3166 alpha-2: only this country.',
        }),
        format: Type.Optional(Type.Enum(['json', 'csv'])),
        ...csvQuery,
        ...reportLabelQuery,
      }),
      summary: 'Retrieve payments, payouts or top-ups by hour, day, week or month',
      description:
        'What began, by when it did, and what was paid and failed, by when it ended, in at ' +
        'most 1,500 steps and 30,000 points of all series. Weeks begin on Mondays; the first and ' +
        'the last step may be a part of one. Amounts of several currencies are never added. ' +
        'With `format=csv`, a line for each point.',
      tag: 'Reports',
      takes_turns: true,
      sends: ['Content-Disposition'],
      also: { 'text/csv': Type.String() },
      ...reads(SeriesView, seriesExample),
      handler: async ({ caller, query, locale }) => {
        const asked = readSeriesQuery(query)
        const made = await makeSeries(db, caller, asked, kept)
        if (query['format'] !== 'csv') return ok(viewSeries(made, asked, locale))
        const { first, last } = made
        const mode = caller.environment.toLowerCase()
        const { file_label: label = `${first}-${last}-${mode}` } = query
        const filename = `series-${label}.csv`
        const file = seriesCsv(made, asked, csvForm(query))
        return { status: 200, file, content_type: csv_type, filename }
      },
    },
  ]
}
