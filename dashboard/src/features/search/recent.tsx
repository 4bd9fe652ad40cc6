// What an empty search begins with: what was looked for before, and what happened last. Law: what
// was looked for may be a person, and stays in this page's memory alone.

import type { GetTransactionsData, GetTransactionsResponse } from '../../api/types.gen.ts'
import type { Place } from '../../data/call.ts'
import { useRead } from '../../data/queries.ts'
import { useHere } from '../../parts/place.tsx'
import { TransactionCards } from '../../parts/transaction-cards.tsx'
import { Link } from '../../ui/link.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

const kept_max = 5
const page_size = 5

/** Newest first, apart for each merchant and mode. */
const looked = new Map<string, readonly string[]>()

const keyOf = ({ merchant, environment }: Place): string => `${merchant} ${environment}`

/** The same once only, where it was looked for last. */
export function keepSearch(place: Place, q: string): void {
  const before = looked.get(keyOf(place)) ?? []
  looked.set(keyOf(place), [q, ...before.filter((one) => one !== q)].slice(0, kept_max))
}

export function Recent() {
  const { place, to } = useHere()
  const searches = looked.get(keyOf(place)) ?? []
  const last = useRead<GetTransactionsData, GetTransactionsResponse>(place, {
    url: '/transactions/',
    query: { page_size },
  })
  return (
    <>
      {searches.length > 0 && (
        <section>
          <h2>{t('search_before')}</h2>
          <ul className="chips">
            {searches.map((q) => (
              <li key={q}>
                <Link className="chip" href={to(`/search?${new URLSearchParams({ q })}`)}>
                  <bdi>{q}</bdi>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Read of={last}>
        {({ results }) =>
          results.length > 0 && (
            <section>
              <h2>{t('search_last')}</h2>
              <TransactionCards rows={results} />
            </section>
          )
        }
      </Read>
    </>
  )
}
