// Checkout sessions: each one payment asked of one customer, on a page of ours.

import type {
  CheckoutSession,
  GetCheckoutSessionsData,
  GetCheckoutSessionsResponse,
  PostCheckoutSessionsData,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { Calls } from '../../parts/as-curl.tsx'
import { Begin } from '../../parts/begin.tsx'
import { Curl } from '../../parts/curl.tsx'
import { anyText, isId, period } from '../../parts/filter-values.ts'
import { boundsOf, type FilterField, Narrow, periodFields } from '../../parts/narrow.tsx'
import { isFollowable, NewerLine } from '../../parts/newer.tsx'
import { newestFirst, usePaged, useThere } from '../../parts/paged.ts'
import { useHere } from '../../parts/place.tsx'
import { RecordList } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { checkoutState, checkoutStatuses } from '../../parts/states.ts'
import { Sum, When } from '../../parts/tips.tsx'
import { Link } from '../../ui/link.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'

const known = {
  ...{ search: anyText, status: checkoutStatuses },
  ...{ ...period, payment_link: isId },
} as const

const orders = ['created_at', '-created_at', 'amount', '-amount'] as const

const fieldsOf = (): FilterField<keyof typeof known>[] => [
  { name: 'search', label: t('search'), is: 'search' },
  {
    ...{ name: 'status', label: t('status') },
    is: checkoutStatuses.map((one) => [one, t(`checkout_${one}`)] as const),
  },
  ...periodFields(),
  { name: 'payment_link', label: t('filter_link'), is: 'given' },
]

export default function CheckoutList() {
  const { place, clock, may, to } = useHere()
  const { filters, kept, query, narrow, paging } = usePaged(known, orders, newestFirst)
  const status = checkoutStatuses.find((one) => one === kept.status)
  const request = {
    url: '/checkout-sessions/',
    query: {
      ...{ search: kept.search, payment_link: kept.payment_link, status },
      ...boundsOf(kept, clock.zone),
      ...query,
    },
  } as const
  const list = useThere(
    useRead<GetCheckoutSessionsData, GetCheckoutSessionsResponse>(place, request),
  )
  const make = may('checkout') && (
    <Link className="button act" href={to('/checkouts/new')}>
      {t('new_checkout')}
    </Link>
  )
  const sum = (of: CheckoutSession) => <Sum of={of.amount} currency={of.currency} />
  const state = (of: CheckoutSession) => <Status of={checkoutState(of)} />
  const isNarrowed = Object.keys(kept).length > 0
  return (
    <Page title={t('checkouts')} acts={make}>
      <Narrow fields={fieldsOf()} filters={kept} set={narrow} />
      <RecordList
        of={list}
        // There are hints for what becomes of a session, none for a new one.
        above={(shown) =>
          isFollowable(filters, ['search', 'order']) && (
            <NewerLine {...{ request, shown }} word="newer_checkouts" isHinted={false} />
          )
        }
        caption={t('checkouts')}
        empty={isNarrowed ? t('none_found') : <NoCheckouts />}
        {...paging}
        kept="checkouts"
        keyOf={({ id }) => id}
        to={({ id }) => `/checkouts/${id}`}
        columns={[
          { name: 'customer', of: (of) => <bdi>{of.customer_name || of.customer_email}</bdi> },
          { name: 'description', of: ({ description }) => <bdi>{description}</bdi> },
          {
            name: 'date',
            order: 'created_at',
            of: ({ created_at }) => <When of={created_at} />,
            is: 'whole',
          },
          { name: 'status', of: state },
          { name: 'amount', order: 'amount', of: sum, is: 'figure' },
        ]}
        card={(of) => ({
          head: sum(of),
          status: state(of),
          left: of.customer_name || of.customer_email || of.description,
          right: <When of={of.created_at} />,
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
