// `GET /overview/`: a merchant's day at a glance.

import { Type } from 'typebox'
import { CountryInput } from '../../catalogue/view.ts'
import type { AvailabilityNow } from '../../gateways/availability.ts'
import type { Db } from '../../platform/db.ts'
import { ok, type Route } from '../../platform/http/route.ts'
import { reads } from '../../platform/http/route-list.ts'
import { keptHours } from './hours.ts'
import { makeOverview } from './overview.ts'
import { OverviewView, overviewExample, viewOverview } from './view.ts'

type OverviewDeps = Readonly<{ reads: Db; availability: AvailabilityNow }>

/** `reads`: nothing of it is written, and a large merchant's first look may take its time. */
export function overviewRoutes({ reads: db, availability }: OverviewDeps): Route[] {
  const hoursOf = keptHours()
  return [
    {
      path: '/overview/',
      access: 'any',
      query: Type.Object({
        country: Type.Optional({
          ...CountryInput,
          description: 'ISO 3166 alpha-2: only this country.',
        }),
      }),
      summary: 'Retrieve today at a glance',
      description:
        'Today until now beside the same weekday a week before until the same time: what was ' +
        'paid, taken, paid out and charged, by country, hour and network; the commonest ' +
        'failures; balances; what is waiting for a person; and which networks of the merchant’s ' +
        'countries are interrupted. Counted by when it ended, as the daily report is. ' +
        'Amounts of several currencies are never added.',
      tag: 'Reports',
      takes_turns: true,
      ...reads(OverviewView, overviewExample),
      handler: async ({ caller, query, locale }) => {
        const country = query['country']?.toUpperCase() || undefined
        const overview = await makeOverview(db, caller, { hoursOf, country, availability })
        return ok(viewOverview(overview, locale))
      },
    },
  ]
}
