// `GET /search/`: whatever a merchant's person typed into the one field for everything.

import { Type } from 'typebox'
import { search_length_max } from '../customers/search/terms.ts'
import type { Db } from '../platform/db.ts'
import type { FieldErrors, Text } from '../platform/errors.ts'
import type { Query } from '../platform/http/filters.ts'
import { ok, type Route } from '../platform/http/route.ts'
import { reads } from '../platform/http/route-list.ts'
import { search } from './search.ts'
import { SearchView, searchExample, viewSearch } from './view.ts'

const shortest = 2

const shortText: Text = {
  en: 'Must have at least two characters.',
  fr: 'Doit avoir au moins deux caractères.',
}

/** What the schema cannot express: spaces around do not count. */
const checkSearch = ({ q }: Query): FieldErrors =>
  q !== undefined && [...q.trim()].length < shortest ? { q: [shortText] } : {}

/** `reads`: nothing of it is written, and a slow search must keep nobody's payment waiting. */
export const searchRoutes = ({ reads: db }: Readonly<{ reads: Db }>): Route[] => [
  {
    path: '/search/',
    access: 'any',
    query: Type.Object({
      q: Type.String({
        maxLength: search_length_max,
        description:
          'At least two characters: an id, a reference, a phone in any form, the prefix of an ' +
          'API key, or words in any order, ignoring case and accents.',
      }),
    }),
    check_query: checkSearch,
    summary: 'Search everything you have',
    description:
      'Transactions, customers, payment links, checkout sessions, refunds, settlements, ' +
      'transfers and API keys, up to five of each; what is exactly what was typed comes first. ' +
      'Transactions and customers are found however old they are, also by your own reference. ' +
      'Of the other kinds the newest 2,000 are looked through; older ones are found by their id, ' +
      'settlements and transfers also by their whole reference. API keys are found by name, ' +
      'prefix or last4, and only by the session of a member, which alone may list them.',
    tag: 'Search',
    takes_turns: true,
    ...reads(SearchView, searchExample),
    handler: async ({ caller, query }) =>
      ok(viewSearch(await search(db, caller, query['q'] ?? ''))),
  },
]
