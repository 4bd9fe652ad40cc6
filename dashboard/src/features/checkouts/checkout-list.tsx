// Checkout sessions: each one payment asked of one customer, on a page of ours.

import type {
  CheckoutSession,
  GetCheckoutSessionsData,
  GetCheckoutSessionsResponse,
  PostCheckoutSessionsData,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { Calls } from '../../parts/as-curl.tsx'
import { Curl } from '../../parts/curl.tsx'
import {
  boundsOf,
  type FilterField,
  Narrow,
  pageNumber,
  periodFields,
} from '../../parts/narrow.tsx'
import { isFollowable, NewerLine } from '../../parts/newer.tsx'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Begin, RecordList, sizeOf } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { Link } from '../../ui/link.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { checkoutState, statuses } from './checkout-state.ts'

const names = ['search', 'status', 'from', 'to'] as const

const fieldsOf = (): FilterField<(typeof names)[number]>[] => [
  { name: 'search', label: t('search'), is: 'search' },
  {
    ...{ name: 'status', label: t('status') },
    is: statuses.map((one) => [one, t(`checkout_${one}`)] as const),
  },
  ...periodFields(),
]

export default function CheckoutList() {
  const { place, clock, amount, moment, may, to } = useHere()
  const { filters, set } = useFilters([...names, 'payment_link', 'page', 'size'])
  const { page, size, ...kept } = filters
  const status = statuses.find((one) => one === kept.status)
  const request = {
    url: '/checkout-sessions/',
    query: {
      ...{ search: kept.search, payment_link: kept.payment_link, status },
      ...boundsOf(kept, clock.zone),
      ...{ page: pageNumber(page), page_size: sizeOf(size) },
    },
  } as const
  const list = useRead<GetCheckoutSessionsData, GetCheckoutSessionsResponse>(place, request)
  const make = may('checkout') && (
    <Link className="button act" href={to('/checkouts/new')}>
      {t('new_checkout')}
    </Link>
  )
  const sum = (of: CheckoutSession) => amount(of.amount, of.currency)
  const state = (of: CheckoutSession) => <Status of={checkoutState(of)} />
  const isNarrowed = Object.keys(kept).length > 0
  return (
    <Page title={t('checkouts')} acts={make}>
      <Narrow fields={fieldsOf()} filters={kept} set={(next) => set({ ...next, size })} />
      <RecordList
        of={list}
        // There are hints for what becomes of a session, none for a new one.
        above={(shown) =>
          isFollowable(filters) && (
            <NewerLine {...{ request, shown }} word="newer_checkouts" isHinted={false} />
          )
        }
        caption={t('checkouts')}
        empty={isNarrowed ? t('none_found') : <NoCheckouts />}
        go={(next) => set({ ...kept, ...next })}
        size={sizeOf(size)}
        keyOf={({ id }) => id}
        to={({ id }) => `/checkouts/${id}`}
        columns={[
          { name: t('customer'), of: (of) => <bdi>{of.customer_name || of.customer_email}</bdi> },
          { name: t('description'), of: ({ description }) => <bdi>{description}</bdi> },
          { name: t('date'), of: ({ created_at }) => moment(created_at), is: 'whole' },
          { name: t('status'), of: state },
          { name: t('amount'), of: sum, is: 'figure' },
        ]}
        card={(of) => ({
          head: sum(of),
          status: state(of),
          left: of.customer_name || of.customer_email || of.description,
          right: moment(of.created_at),
        })}
      />
      <Calls />
    </Page>
  )
}

function NoCheckouts() {
  const { may } = useHere()
  const name = t('new_checkout')
  const customer = { customer_name: 'Awa Diop', customer_email: 'awa@example.com' }
  return (
    <>
      <Begin
        text={t('no_checkouts_yet')}
        acts={[['/checkouts/new', 'new_checkout', may('checkout')]]}
      />
      <Curl<PostCheckoutSessionsData>
        name={t('curl_of', { name })}
        of={{
          ...{ method: 'POST', url: '/checkout-sessions/' },
          body: { amount: '5000', currency: 'XOF', ...customer },
        }}
      />
    </>
  )
}
