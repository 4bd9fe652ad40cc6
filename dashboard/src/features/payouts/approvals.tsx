// What waits for a second person's word: payouts and refunds, each leading to its page.

import { useEffect, useRef, useState } from 'react'
import type {
  GetRefundsData,
  GetRefundsResponse,
  GetTransactionsByIdData,
  GetTransactionsByIdResponse,
  GetTransactionsData,
  GetTransactionsResponse,
  ListedTransaction,
  TransactionDetail,
} from '../../api/types.gen.ts'
import type { ContentOf } from '../../data/call.ts'
import { useRead } from '../../data/queries.ts'
import { isZero } from '../../format/amount.ts'
import { whoIs } from '../../parts/actor.ts'
import { WaitsSince } from '../../parts/countdown.tsx'
import { ApprovalEnds, DecidePayout } from '../../parts/decide-payout.tsx'
import { anyText, isPageNumber } from '../../parts/filter-values.ts'
import { pageNumber } from '../../parts/narrow.tsx'
import { useNetworkNames } from '../../parts/networks.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { RecordList } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { PayoutTabs } from '../../parts/tabs.tsx'
import { Sum } from '../../parts/tips.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Link } from '../../ui/link.tsx'
import { Below, Loading, Read, type Reading } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

const every_ms = 60_000

export default function Approvals() {
  const { place } = useHere()
  const { filters } = useFilters({ cursor: anyText })
  const list = useRead<GetTransactionsData, GetTransactionsResponse>(
    place,
    {
      url: '/transactions/',
      query: { transaction_type: 'RETRAIT', approval: 'REQUIRED', ...filters, page_size: 25 },
    },
    { every_ms },
  )
  const first = useFirst(list.data?.results)
  return (
    <Page title={t('to_approve')}>
      <PayoutTabs />
      <Payouts {...{ list, first }} />
      <Below of={{ isFetched: list.isFetched && first?.isFetched !== false }}>
        <Refunds />
      </Below>
    </Page>
  )
}

type First = Readonly<{
  of: ListedTransaction
  detail: Reading<TransactionDetail>
  isFetched: boolean
  /** The reader came for it; what follows only shows itself: who presses twice approves one. */
  isOpenAtFirst: boolean
}>

/**
 * The one that is laid open, so that nobody opens a page for each. It stays until it is decided,
 * whatever else comes meanwhile: no other payout may slip under a finger.
 */
function useFirst(rows: readonly ListedTransaction[] | undefined): First | undefined {
  const { place, may } = useHere()
  const { filters } = useFilters({ cursor: anyText })
  const [chosen, setChosen] = useState<string>()
  const [opened, setOpened] = useState<string>()
  const isOff = filters.cursor !== undefined || !may('payouts')
  const of = isOff ? undefined : (rows?.find(({ id }) => id === chosen) ?? rows?.[0])
  if (of !== undefined && of.id !== chosen) setChosen(of.id)
  if (of !== undefined && opened === undefined) setOpened(of.id)
  const detail = useRead<GetTransactionsByIdData, GetTransactionsByIdResponse>(
    place,
    { url: '/transactions/{id}/', path: { id: of?.id ?? '' } },
    { on: of !== undefined },
  )
  if (of === undefined) return undefined
  return { of, detail, isFetched: detail.isFetched, isOpenAtFirst: of.id === opened }
}

type PayoutsProps = Readonly<{
  list: Reading<ContentOf<GetTransactionsResponse>>
  first: First | undefined
}>

function Payouts({ list, first }: PayoutsProps) {
  const { phone } = useHere()
  const networkName = useNetworkNames()
  const { set } = useFilters({ cursor: anyText })
  const others = list.data?.results.filter(({ id }) => id !== first?.of.id) ?? []
  const isAlone = first !== undefined && others.length === 0 && list.data?.next === null
  const isComing = first?.isFetched === false
  const [done, setDone] = useState('')
  const heading = useFocusAfter(done, first?.of.id)
  return (
    <section>
      <h2 ref={heading} tabIndex={-1}>
        {t('payouts')}
      </h2>
      <div role="status">{done !== '' && <p>{done}</p>}</div>
      {isComing && <Loading />}
      {first && !isComing && <LaidOpen key={first.of.id} {...first} onDone={setDone} />}
      {!isAlone && !isComing && (
        <RecordList
          of={{ ...list, data: list.data && { ...list.data, results: others } }}
          caption={t('payouts')}
          empty={t('nothing_to_approve')}
          go={set}
          keyOf={({ id }) => id}
          kept="approvals"
          hasNumbers
          to={({ id }) => `/payouts/${id}?act=approve`}
          columns={[
            { name: 'reference', of: ({ reference }) => reference, is: 'whole' },
            { name: 'date', of: ({ created_at }) => <WaitsSince of={created_at} />, is: 'whole' },
            { name: 'recipient', of: (row) => phone(row.operation_msisdn), is: 'whole' },
            { name: 'network', of: ({ network_code }) => networkName(network_code) },
            { name: 'made_how', of: makerOf },
            { name: 'description', of: ({ description }) => description },
            {
              name: 'amount',
              of: (row) => <Sum of={row.requested_amount} currency={row.currency} />,
              is: 'figure',
            },
          ]}
          card={(row) => ({
            head: <Sum of={row.requested_amount} currency={row.currency} />,
            left: [phone(row.operation_msisdn), networkName(row.network_code), makerOf(row)]
              .filter(Boolean)
              .join(' · '),
            right: <WaitsSince of={row.created_at} />,
          })}
        />
      )}
    </section>
  )
}

/** Where what had the focus was decided and is gone, it begins at the heading again. */
function useFocusAfter(done: string, id: string | undefined) {
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = useRef(id)
  useEffect(() => {
    const isOther = shown.current !== id
    shown.current = id
    if (isOther && done !== '' && document.activeElement === document.body) heading.current?.focus()
  }, [done, id])
  return heading
}

const makerOf = ({ created_by_name: name, api_key }: ListedTransaction): string =>
  name === '' ? '' : whoIs({ kind: api_key === null ? 'MEMBER' : 'KEY', id: null, name })

type LaidOpenProps = First & Readonly<{ onDone: (said: string) => void }>

function LaidOpen({ of, detail, isOpenAtFirst, onDone }: LaidOpenProps) {
  const { amount, to, phone } = useHere()
  const networkName = useNetworkNames()
  const { fee, charged, net, currency } = of.amounts
  return (
    <div className="outcome laid-open">
      <p className="sum">
        <b>{amount(of.requested_amount, of.currency)}</b>
      </p>
      <Facts
        of={[
          [t('recipient'), phone(of.operation_msisdn)],
          [t('network'), networkName(of.network_code)],
          [t('fees'), isZero(fee) ? '' : amount(fee, currency)],
          [t('balance_gives'), amount(charged, currency)],
          [t('recipient_gets'), amount(net, currency)],
          [t('made_how'), makerOf(of)],
          [t('description'), of.description],
          [t('date'), <WaitsSince key="at" of={of.created_at} />],
          [
            t('reference'),
            <Link key={of.id} href={to(`/payouts/${of.id}`)}>
              {of.reference}
            </Link>,
          ],
        ]}
      />
      <Read of={detail}>
        {(payout) =>
          payout.approval === 'REQUIRED' && payout.status === 'PENDING' ? (
            <>
              <ApprovalEnds of={payout} />
              <div className="acts">
                <DecidePayout of={payout} {...{ isOpenAtFirst, onDone }} />
              </div>
            </>
          ) : null
        }
      </Read>
    </div>
  )
}

function Refunds() {
  const { place } = useHere()
  const { filters, set } = useFilters({ cursor: anyText, page: isPageNumber })
  const page = pageNumber(filters.page)
  const list = useRead<GetRefundsData, GetRefundsResponse>(
    place,
    { url: '/refunds/', query: { waiting_for: 'SECOND_MEMBER', page, page_size: 25 } },
    { every_ms },
  )
  return (
    <section>
      <h2>{t('refunds')}</h2>
      <RecordList
        of={list}
        caption={t('refunds')}
        empty={t('no_refund_to_approve')}
        go={(next) => set({ ...filters, ...next })}
        page={page}
        keyOf={({ id }) => id}
        to={({ payment_id }) => `/payments/${payment_id}`}
        columns={[
          { name: 'date', of: ({ created_at }) => <WaitsSince of={created_at} />, is: 'whole' },
          { name: 'recipient', of: ({ msisdn_masked }) => msisdn_masked, is: 'whole' },
          { name: 'reason', of: ({ reason }) => reason },
          {
            name: 'amount',
            of: (row) => <Sum of={row.amount} currency={row.currency} />,
            is: 'figure',
          },
        ]}
        card={(row) => ({
          head: <Sum of={row.amount} currency={row.currency} />,
          left: row.msisdn_masked,
          right: <WaitsSince of={row.created_at} />,
        })}
      />
    </section>
  )
}
