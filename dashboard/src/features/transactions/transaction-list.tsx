// Payments and payouts as lists: filters in the address, pages by cursor. A table where there is
// room, cards on a telephone; one link a row.

import type {
  GetTransactionsData,
  GetTransactionsResponse,
  ListedTransaction,
} from '../../api/types.gen.ts'
import type { ContentOf } from '../../data/call.ts'
import { useRead } from '../../data/queries.ts'
import { zoneName } from '../../format/moment.ts'
import { Calls } from '../../parts/as-curl.tsx'
import { Begin } from '../../parts/begin.tsx'
import { Chips } from '../../parts/chips.tsx'
import { boundsOf } from '../../parts/narrow.tsx'
import { useNetworkNames } from '../../parts/networks.ts'
import { isFollowable, NewerLine } from '../../parts/newer.tsx'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Pager, Records, sizeOf } from '../../parts/records.tsx'
import { SaveList } from '../../parts/save-list.tsx'
import { Page } from '../../parts/shell.tsx'
import { PaymentTabs, PayoutTabs } from '../../parts/tabs.tsx'
import { Sum, When } from '../../parts/tips.tsx'
import { TransactionCards } from '../../parts/transaction-cards.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { Status, stateOf } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { maker } from './made-by.ts'
import {
  FilterForm,
  type Filters,
  type Kind,
  names,
  paymentTypes,
  reasons,
  statuses,
  useChipText,
  vias,
  waitsOf,
} from './transaction-filters.tsx'

const url = '/transactions/'

function waitingQuery(kind: Kind, status: string | undefined): Query {
  const wait = waitsOf[kind].find((one) => one === status)
  if (wait === 'APPROVAL') return { approval: 'REQUIRED' }
  if (wait === 'HELD') return { waiting: 'true' }
  return wait === 'UNKNOWN' ? { outcome: 'UNKNOWN' } : {}
}

type Query = NonNullable<GetTransactionsData['query']>

const typeOf = (kind: Kind): Query =>
  kind === 'payouts' ? { transaction_type: 'RETRAIT' } : { flow_direction: 'INBOUND' }

function queryOf(kind: Kind, filters: Filters, zone: string): Query {
  const { search, status, reason, payment_link, checkout_session, via, least, most } = filters
  const { country, network, currency, customer, member, key } = filters
  const type = paymentTypes.find((one) => kind === 'payments' && one === filters.type)
  return {
    ...typeOf(kind),
    ...(type && { transaction_type: type }),
    ...(search && { search }),
    status: statuses.find((one) => one === status),
    ...waitingQuery(kind, status),
    failure_code: reasons.find((one) => one === reason && (status ?? 'FAILED') === 'FAILED'),
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
  const { filters, set } = useFilters(names)
  const { cursor, size, ...narrowing } = filters
  const page_size = sizeOf(size)
  const asked = queryOf(kind, narrowing, here.clock.zone)
  const request = { url, query: { ...asked, ...(cursor && { cursor }), page_size } } as const
  const list = useRead<GetTransactionsData, GetTransactionsResponse>(here.place, request)
  const narrow = (next: Filters) => set({ ...next, size })
  const textOf = useChipText(narrowing)
  const only = Object.entries(narrowing).map(([name, value]) => textOf(name, value))
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
      <Read of={list}>
        {(content) => (
          <>
            {isFollowable(filters, unfollowed) && !list.isPlaceholderData && (
              <NewerLine request={request} shown={content} word={`newer_${kind}`} />
            )}
            <Content {...{ kind, filters, content, set }} />
          </>
        )}
      </Read>
      <SaveList of={list} path="/transactions/export/" query={asked} only={only} />
      <Calls />
    </Page>
  )
}

/** These have no index. */
const unfollowed = [
  ...(['search', 'reason', 'via', 'least', 'most', 'type', 'country', 'network'] as const),
  ...(['currency', 'customer', 'member', 'key'] as const),
] as const satisfies readonly (typeof names)[number][]

type ContentProps = Readonly<{
  kind: Kind
  filters: Filters
  content: ContentOf<GetTransactionsResponse>
  set: (next: Filters) => void
}>

function Content({ kind, filters, content, set }: ContentProps) {
  const { clock } = useHere()
  const { cursor, size, ...narrowing } = filters
  const { results, next, previous } = content
  if (results.length === 0 && next === null) {
    const isAsked = cursor !== undefined || Object.keys(narrowing).length > 0
    return <Empty>{isAsked ? <p>{t('none_found')}</p> : <NoneYet kind={kind} />}</Empty>
  }
  return (
    <>
      {results.length > 0 && <Rows kind={kind} rows={results} />}
      {results.length < sizeOf(size) && next !== null && <p>{t('looked_so_far')}</p>}
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

function NoneYet({ kind }: { kind: Kind }) {
  const { may, environment } = useHere()
  if (kind === 'payouts') {
    return (
      <Begin
        text={t('no_payouts_yet')}
        acts={[
          ['/payouts/new', 'new_payout', may('payouts')],
          ['/balances/top-up', 'top_up', may('top_ups')],
        ]}
      />
    )
  }
  return (
    <Begin
      text={t('no_payments_yet')}
      acts={[
        ['/payments/new', 'new_payment', may('payins')],
        ['/links/new', 'new_link', may('links')],
        ['/developers/sandbox', 'sandbox_customer', environment === 'SANDBOX' && may('payins')],
      ]}
    />
  )
}

type RowsProps = Readonly<{ kind: Kind; rows: readonly ListedTransaction[] }>

/** Straight to the second step of asking a payer again; only where one may and it makes sense. */
function AskAgain({ of }: { of: ListedTransaction }) {
  const { may, to } = useHere()
  const isOffered = of.status === 'FAILED' && of.transaction_type === 'PAIEMENT' && may('payins')
  if (!isOffered) return null
  return (
    <Link
      className="again"
      href={to(`/payments/${of.id}?act=retry`)}
      aria-label={t('retry_of', { reference: of.reference })}
    >
      {t('retry')}
    </Link>
  )
}

/** What came to nothing cost nothing. */
const isNothing = (status: ListedTransaction['status']): boolean =>
  status === 'FAILED' || status === 'CANCELLED'

function Rows({ kind, rows }: RowsProps) {
  const { amount, phone } = useHere()
  const networkName = useNetworkNames()
  const feeOf = ({ status, amounts: { fee, currency } }: ListedTransaction) =>
    isNothing(status) ? '–' : amount(fee, currency)
  return (
    <Records
      caption={t(kind)}
      rows={rows}
      keyOf={({ id }) => id}
      to={({ id }) => `/${kind}/${id}`}
      kept={kind}
      hasNumbers
      columns={[
        {
          name: 'reference',
          of: ({ reference }) => <span className="whole">{reference}</span>,
          below: (row) => (
            <>
              <bdi className="mute small line">{row.description}</bdi>
              <bdi className="mute small line">{maker(row)}</bdi>
            </>
          ),
        },
        { name: 'date', of: ({ created_at }) => <When of={created_at} />, is: 'whole' },
        { name: 'status', of: (row) => <State of={row} /> },
        {
          ...{ name: kind === 'payouts' ? 'receiver' : 'payer', is: 'whole' },
          of: (row) => (
            <>
              <bdi className="line">{row.customer_name}</bdi>
              {phone(row.operation_msisdn)}
              <span className="mute small line">{networkName(row.network_code)}</span>
            </>
          ),
        },
        {
          name: 'amount',
          of: (row) => <Sum of={row.requested_amount} currency={row.currency} />,
          is: 'figure',
        },
        { name: 'fees', of: feeOf, is: 'figure' },
      ]}
      cards={
        <TransactionCards
          rows={rows}
          by={(row) => (kind === 'payouts' ? maker(row) : '')}
          actOf={(row) => <AskAgain of={row} />}
        />
      }
    />
  )
}

const State = ({ of }: { of: ListedTransaction }) => (
  <>
    <Status of={stateOf(of)} />
    {of.status === 'FAILED' && <span className="mute small line">{of.failure_message}</span>}
    <AskAgain of={of} />
  </>
)
