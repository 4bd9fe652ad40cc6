// One field for everything: a reference, a number in any form, a name, an e-mail. What is found
// stands by kind; what is found whole opens at once.

import { useEffect } from 'react'
import { Redirect } from 'wouter'
import type { GetSearchData, GetSearchResponse } from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { readTyped } from '../../format/amount.ts'
import { anyText } from '../../parts/filter-values.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Page } from '../../parts/shell.tsx'
import { Button, TextField, textIn } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { Found, pathOf } from './found.tsx'
import { keepSearch, Recent } from './recent.tsx'

const shortest = 2

export default function Search() {
  const { filters, set } = useFilters({ q: anyText })
  const { q = '' } = filters
  return (
    <Page title={t('search')}>
      <search>
        <form
          className="filters"
          onSubmit={(event) => {
            event.preventDefault()
            set({ q: textIn(new FormData(event.currentTarget), 'q') })
          }}
        >
          <div className="search-line">
            <TextField
              key={q}
              label={t('search_all')}
              hint={t('search_all_hint')}
              type="search"
              name="q"
              maxLength={200}
              defaultValue={q}
            />
            <Button type="submit">{t('show')}</Button>
          </div>
        </form>
      </search>
      {q === '' && <Recent />}
      {q.trim().length >= shortest && <Groups key={q} q={q} />}
      <ByAmount q={q} />
      {q !== '' && q.trim().length < shortest && <p role="status">{t('search_short')}</p>}
    </Page>
  )
}

/** What may be a sum is no word of anything: payments of it are a list of their own. */
function ByAmount({ q }: { q: string }) {
  const { to } = useHere()
  const sum = readTyped(q.trim())
  if (!/^[1-9]\d{1,8}(\.\d{1,2})?$/.test(sum)) return null
  return (
    <p>
      <Link href={to(`/payments?least=${sum}&most=${sum}`)}>
        {t('search_by_amount', { amount: q.trim() })}
      </Link>
    </p>
  )
}

/** All kinds come in one answer; the very thing that was typed opens at once. */
function Groups({ q }: { q: string }) {
  const { place, to } = useHere()
  const { merchant, environment } = place
  useEffect(() => {
    if (q.trim().length >= shortest) keepSearch({ merchant, environment }, q.trim())
  }, [merchant, environment, q])
  const found = useRead<GetSearchData, GetSearchResponse>(place, { url: '/search/', query: { q } })
  return (
    <Read of={found}>
      {({ groups }) => {
        const exact = groups.flatMap(({ kind, results }) =>
          results.filter(({ is_exact }) => is_exact).map((of) => ({ kind, of })),
        )
        const [only] = exact
        // A number is a person's, whose payments are looked for.
        const isNamed = only?.kind !== 'CUSTOMER' || only.of.id === q.trim().toLowerCase()
        if (only !== undefined && exact.length === 1 && isNamed) {
          return <Redirect to={to(pathOf(only.kind, only.of))} replace />
        }
        if (groups.length === 0) {
          return (
            <Empty>
              <p>{t('search_none')}</p>
            </Empty>
          )
        }
        return groups.map((group) => <Found key={group.kind} group={group} q={q} />)
      }}
    </Read>
  )
}
