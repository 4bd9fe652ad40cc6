// One customer: who they are, what they paid, and their right to be forgotten.

import { type RefObject, useEffect, useRef, useState } from 'react'
import type {
  Customer,
  GetCustomersByIdData,
  GetCustomersByIdResponse,
  GetCustomersByIdTransactionsData,
  GetCustomersByIdTransactionsResponse,
  PatchCustomersByIdData,
  PatchCustomersByIdResponse,
} from '../../api/types.gen.ts'
import { call, type Failure } from '../../data/call.ts'
import { readAllAgain, useRead } from '../../data/queries.ts'
import { countryName } from '../../format/country.ts'
import { Offer } from '../../parts/act.tsx'
import { isMissing } from '../../parts/allowed.tsx'
import { type Changes, useChanges } from '../../parts/changes.ts'
import { isPageNumber } from '../../parts/filter-values.ts'
import { pageNumber } from '../../parts/narrow.tsx'
import { useFilters, useHere } from '../../parts/place.tsx'
import { RecordPage } from '../../parts/record-page.tsx'
import { type PageOf, Pager } from '../../parts/records.tsx'
import { WhenExactly } from '../../parts/tips.tsx'
import { TransactionCards } from '../../parts/transaction-cards.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { CustomerFields, customerFields, customerIn, customerOf } from './customer-fields.tsx'
import { nameOf } from './customer-list.tsx'
import { Erase } from './erase.tsx'

export default function CustomerDetail({ id }: { id: string }) {
  const { place, phone } = useHere()
  const reading = useRead<GetCustomersByIdData, GetCustomersByIdResponse>(place, {
    url: '/customers/{id}/',
    path: { id },
  })
  return (
    <RecordPage
      title={
        reading.data === undefined || isMissing(reading)
          ? t('customer')
          : nameOf(reading.data, phone)
      }
      back={{ path: '/customers', name: t('all_customers') }}
      reading={reading}
      acted={id}
    >
      {(customer) => (
        <div className="columns">
          <Who of={customer} />
          <Payments id={id} />
        </div>
      )}
    </RecordPage>
  )
}

function Who({ of }: { of: Customer }) {
  const { language, phone, may, to } = useHere()
  return (
    <section>
      <h2>{t('details')}</h2>
      <Facts
        of={[
          [t('customer_name'), of.full_name],
          [t('number'), phone(of.phone)],
          [t('email'), of.email],
          [t('country'), of.country === '' ? '' : countryName(of.country, language)],
          [t('made_on'), <WhenExactly key="at" of={of.created_at} />],
        ]}
      />
      <div className="acts">
        {may('payins') && of.phone !== '' && (
          <Link className="button plain" href={to(`/payments/new?customer=${of.id}`)}>
            {t('new_payment')}
          </Link>
        )}
        {may('checkout') && (
          <Link className="button plain" href={to(`/checkouts/new?customer=${of.id}`)}>
            {t('new_checkout')}
          </Link>
        )}
        <Change of={of} />
        <Erase of={of} />
      </div>
    </section>
  )
}

type Save = Changes<ReturnType<typeof customerIn>>['save']

function Change({ of }: { of: Customer }) {
  const { place, whyNot } = useHere()
  /** Of the form that is open: it knows how they were then, and what was sent since. */
  const opened = useRef<Save>(undefined)
  const change = async (form: FormData) => {
    await opened.current?.(customerIn(form), (body) =>
      call<PatchCustomersByIdData, PatchCustomersByIdResponse>({
        ...{ method: 'PATCH', url: '/customers/{id}/', path: { id: of.id }, place, body },
      }),
    )
    await readAllAgain()
  }
  return (
    <Offer
      name={t('change')}
      title={t('customer_change')}
      act={t('save')}
      whyNot={whyNot('customers')}
      fields={customerFields}
      doing={change}
    >
      {(failure) => <OpenedFields of={of} failure={failure} opened={opened} />}
    </Offer>
  )
}

type OpenedProps = Readonly<{
  of: Customer
  failure: Failure | undefined
  opened: RefObject<Save | undefined>
}>

function OpenedFields({ of, failure, opened }: OpenedProps) {
  const [first] = useState(of)
  const { save } = useChanges(customerOf(first))
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as it is opened
  useEffect(() => {
    opened.current = save
  }, [])
  return <CustomerFields of={first} failure={failure} />
}

function Payments({ id }: { id: string }) {
  const { place, to } = useHere()
  const { filters, set } = useFilters({ page: isPageNumber })
  const page = pageNumber(filters.page)
  const list = useRead<GetCustomersByIdTransactionsData, GetCustomersByIdTransactionsResponse>(
    place,
    {
      url: '/customers/{id}/transactions/',
      path: { id },
      query: { page, page_size: 10 },
    },
    { every_ms: 60_000 },
  )
  return (
    <section>
      <h2>{t('customer_payments')}</h2>
      <Read of={list}>
        {({ results, next, previous, count }) =>
          results.length === 0 ? (
            <Empty>
              <p>{t('no_customer_payments')}</p>
            </Empty>
          ) : (
            <>
              <TransactionCards rows={results} />
              <Pager
                newer={previous}
                older={next}
                {...{ go: ({ page: at }: PageOf) => set({ page: at }), page, count }}
              />
              <p>
                <Link href={to(`/payments?customer=${id}`)}>{t('in_payments')}</Link>
              </p>
            </>
          )
        }
      </Read>
    </section>
  )
}
