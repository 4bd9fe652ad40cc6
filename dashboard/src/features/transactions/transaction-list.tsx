// Payments and payouts as lists: filters in the address, pages by cursor. A table where there is
// room, cards on a telephone; one link a row.

import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type {
  GetTransactionsData,
  GetTransactionsResponse,
  Transaction,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { zoneName } from '../../format/moment.ts'
import { writePhone } from '../../format/phone.ts'
import { boundsOf } from '../../parts/narrow.tsx'
import { useNetworkNames } from '../../parts/networks.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Pager } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { PayoutTabs } from '../../parts/tabs.tsx'
import { TransactionCards } from '../../parts/transaction-cards.tsx'
import { Empty, Read, useIsWide } from '../../ui/state.tsx'
import { Status, stateOf } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import {
  Chips,
  FilterForm,
  type Filters,
  type Kind,
  names,
  statuses,
  vias,
  waitsOf,
} from './transaction-filters.tsx'

const page_size = 25

function waitingQuery(kind: Kind, status: string | undefined): Query {
  const wait = waitsOf[kind].find((one) => one === status)
  if (wait === 'APPROVAL') return { approval: 'REQUIRED' }
  if (wait === 'HELD') return { waiting: 'true' }
  return wait === 'UNKNOWN' ? { outcome: 'UNKNOWN' } : {}
}

type Query = GetTransactionsData['query']

const typeOf = (kind: Kind): Query =>
  kind === 'payouts' ? { transaction_type: 'RETRAIT' } : { flow_direction: 'INBOUND' }

function queryOf(kind: Kind, filters: Filters, zone: string): Query {
  const { search, status, payment_link, checkout_session, via, least, most, cursor } = filters
  return {
    ...typeOf(kind),
    ...(search && { search }),
    status: statuses.find((one) => one === status),
    ...waitingQuery(kind, status),
    ...(payment_link && { payment_link }),
    ...(checkout_session && { checkout_session }),
    via: vias.find((one) => one === via),
    ...(least && { amount__gte: least }),
    ...(most && { amount__lte: most }),
    ...boundsOf(filters, zone),
    ...(cursor && { cursor }),
    page_size,
  }
}

export default function TransactionList({ kind }: { kind: Kind }) {
  const here = useHere()
  const { filters, set } = useFilters(names)
  const list = useRead<GetTransactionsData, GetTransactionsResponse>(here.place, {
    url: '/transactions/',
    query: queryOf(kind, filters, here.clock.zone),
  })
  const { cursor, ...narrowing } = filters
  const isNarrowed = Object.keys(narrowing).length > 0
  return (
    <Page title={t(kind)} acts={<NewOne kind={kind} />}>
      {kind === 'payouts' && <PayoutTabs />}
      <FilterForm key={JSON.stringify(narrowing)} kind={kind} filters={narrowing} set={set} />
      {isNarrowed && <Chips filters={narrowing} set={set} />}
      <Read of={list}>
        {({ results, next, previous }) =>
          results.length === 0 && next === null ? (
            <Empty>{emptyText(kind, isNarrowed, cursor !== undefined)}</Empty>
          ) : (
            <>
              {results.length > 0 && <Rows kind={kind} rows={results} />}
              {results.length < page_size && next !== null && <p>{t('looked_so_far')}</p>}
              <Pager
                newer={cursor === undefined ? null : previous}
                older={next}
                go={(at) => set({ ...narrowing, ...at })}
              />
              <p className="mute small">{t('times_of', { zone: zoneName(here.clock.zone) })}</p>
            </>
          )
        }
      </Read>
    </Page>
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

function emptyText(kind: Kind, isNarrowed: boolean, isPaged: boolean): ReactNode {
  if (isNarrowed || isPaged) return <p>{t('none_found')}</p>
  return <p>{t(kind === 'payouts' ? 'no_payouts_yet' : 'no_payments_yet')}</p>
}

type RowsProps = Readonly<{ kind: Kind; rows: readonly Transaction[] }>

const Rows = (props: RowsProps) =>
  useIsWide() ? <Table {...props} /> : <TransactionCards rows={props.rows} />

function Table({ kind, rows }: RowsProps) {
  const { amount, moment, to } = useHere()
  const networkName = useNetworkNames()
  return (
    <div className="scroll">
      <table>
        <caption className="unseen">{t(kind)}</caption>
        <thead>
          <tr>
            <th scope="col">{t('reference')}</th>
            <th scope="col">{t('date')}</th>
            <th scope="col">{t('status')}</th>
            <th scope="col">{t('number')}</th>
            <th scope="col">{t('network')}</th>
            <th scope="col" className="figure">
              {t('amount')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">
                <Link className="whole" href={to(`/${kind}/${row.id}`)}>
                  {row.reference}
                </Link>
                {row.description !== '' && <bdi className="mute small line">{row.description}</bdi>}
              </th>
              <td className="whole">{moment(row.created_at)}</td>
              <td>
                <Status of={stateOf(row)} />
                {row.status === 'FAILED' && (
                  <span className="mute small line">{row.failure_message}</span>
                )}
              </td>
              <td className="whole">{writePhone(row.operation_msisdn)}</td>
              <td>{networkName(row.network_code)}</td>
              <td className="figure">{amount(row.requested_amount, row.currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
