// Payments and payouts as lists: filters in the address, pages by cursor. A table where there is
// room, cards on a telephone; one link a row.

import { useEffect, useState } from 'react'
import type {
  GetTransactionsData,
  GetTransactionsResponse,
  ListedTransaction,
  PostPaymentsSoftpayInitializeData,
  PostPayoutsInitializeData,
} from '../../api/types.gen.ts'
import type { ContentOf } from '../../data/call.ts'
import { useRead } from '../../data/queries.ts'
import { zoneName } from '../../format/moment.ts'
import { Calls } from '../../parts/as-curl.tsx'
import { Begin } from '../../parts/begin.tsx'
import { Chips } from '../../parts/chips.tsx'
import { Curl } from '../../parts/curl.tsx'
import { belowFrozen, FrozenLines, useFrozen, withFrozen } from '../../parts/frozen.tsx'
import { boundsOf } from '../../parts/narrow.tsx'
import { useNetworks } from '../../parts/networks.ts'
import { isFollowable, NewerLine } from '../../parts/newer.tsx'
import { useFilters, useHere } from '../../parts/place.tsx'
import { CutShort, Pager, sizeOf } from '../../parts/records.tsx'
import { SaveList } from '../../parts/save-list.tsx'
import { Page } from '../../parts/shell.tsx'
import { PaymentTabs, PayoutTabs } from '../../parts/tabs.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { useIsWide } from '../../ui/wide.ts'
import { t } from '../../words/translate.ts'
import { reasons } from './reasons.ts'
import {
  FilterForm,
  type Filters,
  type Kind,
  type Name,
  paymentTypes,
  statuses,
  useChipText,
  useKnown,
  vias,
  waitsOf,
} from './transaction-filters.tsx'
import { Rows, type Ticks } from './transaction-rows.tsx'

const url = '/transactions/'

function waitingQuery(kind: Kind, status: string | undefined): Query {
  const wait = waitsOf[kind].find((one) => one === status)
  if (wait === 'APPROVAL') return { approval: 'REQUIRED' }
  if (wait === 'HELD') return { waiting: 'true' }
  if (wait === 'INCIDENT') return { incident: 'CONTRADICTED' }
  return wait === 'UNKNOWN' ? { outcome: 'UNKNOWN' } : {}
}

type Query = NonNullable<GetTransactionsData['query']>

const types = {
  payouts: { transaction_type: 'RETRAIT' },
  payments: { flow_direction: 'INBOUND' },
} as const satisfies Readonly<Record<Kind, Query>>

function queryOf(kind: Kind, filters: Filters, zone: string): Query {
  const { search, status, reason, payment_link, checkout_session, via, least, most } = filters
  const { country, network, currency, customer, member, key } = filters
  const type = paymentTypes.find((one) => kind === 'payments' && one === filters.type)
  return {
    ...types[kind],
    ...(type && { transaction_type: type }),
    ...(search && { search }),
    status: statuses.find((one) => one === status),
    ...waitingQuery(kind, status),
    failure_code: reasons.find((one) => one === reason),
    ...(payment_link && { payment_link }),
    ...(checkout_session && { checkout_session }),
    via: vias.find((one) => one === via),
    ...(country && { country }),
    ...(network && { network }),
    ...(currency && { currency }),
    ...(customer && { customer }),
    ...(member && { created_by_member: member }),
    ...(key && { api_key: key }),
    ...(least && { amount__gte: least }),
    ...(most && { amount__lte: most }),
    ...boundsOf(filters, zone),
  }
}

export default function TransactionList({ kind }: { kind: Kind }) {
  const here = useHere()
  const { filters, set } = useFilters(useKnown(kind))
  const { cursor, size, ...narrowing } = filters
  const page_size = sizeOf(size)
  const asked = queryOf(kind, narrowing, here.clock.zone)
  const request = { url, query: { ...asked, ...(cursor && { cursor }), page_size } } as const
  const list = useRead<GetTransactionsData, GetTransactionsResponse>(here.place, request)
  const narrow = (next: Filters) => set({ ...next, size })
  const textOf = useChipText(narrowing)
  const only = Object.entries(narrowing).map(([name, value]) => textOf(name, value))
  const ticks = useTicks(kind, JSON.stringify(filters), list.data?.results)
  const frozen = useFrozen(kind === 'payouts')
  return (
    <Page title={t(kind)} acts={<NewOne kind={kind} />}>
      {kind === 'payouts' ? <PayoutTabs /> : <PaymentTabs />}
      <FilterForm key={JSON.stringify(narrowing)} kind={kind} filters={narrowing} set={narrow} />
      <Chips
        of={narrowing}
        textOf={textOf}
        onRemove={(name) => narrow({ ...narrowing, [name]: undefined })}
        onClear={() => narrow({})}
      />
      <FrozenLines of={frozen.balances} />
      <Read of={withFrozen(list, frozen)}>
        {(content) => (
          <>
            {isFollowable(filters, unfollowed) && !list.isPlaceholderData && (
              <NewerLine request={request} shown={content} word={`newer_${kind}`} />
            )}
            <Content {...{ kind, filters, content, set, ticks }} />
          </>
        )}
      </Read>
      <SaveList
        of={belowFrozen(list, frozen)}
        path="/transactions/export/"
        query={asked}
        {...{ only, ticks }}
      />
      <Calls />
    </Page>
  )
}

const none: readonly string[] = []

/** What is ticked of a page: another begins with nothing, and what has left it is not counted. */
function useTicks(kind: Kind, page: string, rows: readonly ListedTransaction[] = []): Ticks {
  const isWide = useIsWide()
  const [isAsked, setIsAsked] = useState(false)
  const [ticked, setTicked] = useState({ page, ids: none })
  const now = ticked.page === page ? ticked.ids : none
  const ids = rows.map(({ id }) => id).filter((id) => now.includes(id))
  // Whoever asks for them from below the list is led to the first.
  useEffect(() => {
    if (isAsked) document.querySelector<HTMLElement>('main .cards input')?.focus()
  }, [isAsked])
  return {
    ids,
    areShown: isWide || isAsked,
    of: types[kind],
    show: () => setIsAsked(true),
    clear: () => setTicked({ page, ids: none }),
    tick: (id, isOn) =>
      setTicked({ page, ids: isOn ? [...ids, id] : ids.filter((one) => one !== id) }),
  }
}

/** These have no index. */
const unfollowed = [
  ...(['search', 'reason', 'via', 'least', 'most', 'type', 'country', 'network'] as const),
  ...(['currency', 'customer', 'member', 'key'] as const),
] as const satisfies readonly Name[]

type ContentProps = Readonly<{
  kind: Kind
  filters: Filters
  content: ContentOf<GetTransactionsResponse>
  set: (next: Filters) => void
  ticks: Ticks
}>

function Content({ kind, filters, content, set, ticks }: ContentProps) {
  const { clock } = useHere()
  const { cursor, size, ...narrowing } = filters
  const { results, next, previous } = content
  if (results.length === 0 && next === null) {
    const isAsked = cursor !== undefined || Object.keys(narrowing).length > 0
    return <Empty>{isAsked ? <p>{t('none_found')}</p> : <NoneYet kind={kind} />}</Empty>
  }
  return (
    <>
      {results.length > 0 && <Rows kind={kind} rows={results} ticks={ticks} />}
      <CutShort of={content} isStart={cursor === undefined} size={sizeOf(size)} />
      <Pager
        newer={cursor === undefined ? null : previous}
        older={next}
        go={(at) => set({ ...narrowing, ...at })}
        size={sizeOf(size)}
      />
      <p className="mute small">{t('times_of', { zone: zoneName(clock.zone) })}</p>
    </>
  )
}

function NewOne({ kind }: { kind: Kind }) {
  const { to, may } = useHere()
  const isOut = kind === 'payouts'
  if (!may(isOut ? 'payouts' : 'payins')) return null
  return (
    <Link className="button act" href={to(`/${kind}/new`)}>
      {t(isOut ? 'new_payout' : 'new_payment')}
    </Link>
  )
}

const NoneYet = ({ kind }: { kind: Kind }) => (kind === 'payouts' ? <NoPayouts /> : <NoPayments />)

/** What a first call of the shop's own would say, at a network of its country, where it has one. */
function useExample() {
  const { environment, merchant } = useHere()
  const { networks } = useNetworks()
  const network = networks.find(
    (one) => one.is_active && one.country_code === (merchant.country ?? one.country_code),
  )
  if (network === undefined) return undefined
  const { code, country_code: country, currency } = network
  // Of the sandbox, in Benin; any other may be a stranger's, and is left to be filled in.
  const isOurs = environment === 'SANDBOX' && country === 'BJ'
  const phone = isOurs ? '+2290197000010' : t('number')
  return { code, phone, sum: { amount: '5000', currency, country } }
}

const customer = { first_name: 'Awa', last_name: 'Diop' } as const

function NoPayouts() {
  const { may } = useHere()
  const example = useExample()
  return (
    <>
      <Begin
        text={t('no_payouts_yet')}
        acts={[
          ['/payouts/new', 'new_payout', may('payouts')],
          ['/balances/top-up', 'top_up', may('top_ups')],
        ]}
      />
      {example && (
        <Curl<PostPayoutsInitializeData>
          name={t('curl_of', { name: t('new_payout') })}
          of={{
            ...{ method: 'POST', url: '/payouts/initialize/', key: 'payroll-11-07' },
            body: {
              ...{ ...example.sum, method: example.code, customer },
              recipient: { msisdn: example.phone },
            },
          }}
        />
      )}
    </>
  )
}

function NoPayments() {
  const { may, environment } = useHere()
  const example = useExample()
  return (
    <>
      <Begin
        text={t('no_payments_yet')}
        acts={[
          ['/payments/new', 'new_payment', may('payins')],
          ['/links/new', 'new_link', may('links')],
          ['/developers/sandbox', 'sandbox_customer', environment === 'SANDBOX' && may('payins')],
        ]}
      />
      {example && (
        <Curl<PostPaymentsSoftpayInitializeData>
          name={t('curl_of', { name: t('new_payment') })}
          of={{
            ...{ method: 'POST', url: '/payments/softpay/initialize/', key: 'order-1042' },
            body: {
              ...{ ...example.sum, network: example.code },
              customer: { ...customer, phone: example.phone },
            },
          }}
        />
      )}
    </>
  )
}
