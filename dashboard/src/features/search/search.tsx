// One field for everything: a reference, a number in any form, a name, an e-mail. What is found
// stands by kind; what is found whole opens at once.

import { Link, Redirect } from 'wouter'
import type { GetTransactionsData, GetTransactionsResponse } from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Page } from '../../parts/shell.tsx'
import { TransactionCards } from '../../parts/transaction-cards.tsx'
import { Button, TextField, textIn } from '../../ui/form.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { FoundCheckouts, FoundCustomers, FoundLinks } from './found-selling.tsx'
import { FoundSettlements, FoundTransfers } from './found-taken-out.tsx'

const each_max = 5
const shortest = 2

export default function Search() {
  const { filters, set } = useFilters(['q'])
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
      {q.length >= shortest && <Groups key={q} q={q} />}
      {q !== '' && q.length < shortest && <p role="status">{t('search_short')}</p>}
    </Page>
  )
}

/** What its own beginning says it is is looked for there alone. */
function Groups({ q }: { q: string }) {
  if (/^stl-/i.test(q)) return <FoundSettlements q={q} />
  if (/^trf-/i.test(q)) return <FoundTransfers q={q} />
  if (/^txn-/i.test(q)) return <FoundTransactions q={q} />
  return (
    <>
      <FoundTransactions q={q} />
      <FoundCustomers q={q} />
      <FoundLinks q={q} />
      <FoundCheckouts q={q} />
    </>
  )
}

function FoundTransactions({ q }: { q: string }) {
  const { place, to } = useHere()
  const list = useRead<GetTransactionsData, GetTransactionsResponse>(place, {
    url: '/transactions/',
    query: { search: q, page_size: each_max },
  })
  return (
    <section>
      <h2>{t('payments_and_payouts')}</h2>
      <Read of={list}>
        {({ results, next }) => {
          const [first] = results
          const isWhole = first?.reference.toLowerCase() === q.toLowerCase()
          if (first !== undefined && isWhole) {
            return <Redirect to={to(`/payments/${first.id}`)} replace />
          }
          if (first === undefined) {
            return (
              <Empty>
                <p>{t('search_none')}</p>
              </Empty>
            )
          }
          return (
            <>
              <TransactionCards rows={results} />
              {next !== null && (
                <p>
                  <Link href={to(`/payments?search=${encodeURIComponent(q)}`)}>
                    {t('search_more_payments')}
                  </Link>
                  {' · '}
                  <Link href={to(`/payouts?search=${encodeURIComponent(q)}`)}>
                    {t('search_more_payouts')}
                  </Link>
                </p>
              )}
            </>
          )
        }}
      </Read>
    </section>
  )
}
