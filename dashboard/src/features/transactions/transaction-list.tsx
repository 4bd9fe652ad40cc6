// Payments and payouts as lists: filters in the address, pages by cursor. A table where there is
// room, cards on a telephone; one link a row.

import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type {
  GetTransactionsData,
  GetTransactionsResponse,
  Transaction,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { edgeOfDay, zoneName } from '../../format/moment.ts'
import { writePhone } from '../../format/phone.ts'
import { useNetworkNames } from '../../parts/networks.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Pager } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { PayoutTabs } from '../../parts/tabs.tsx'
import { TransactionCards } from '../../parts/transaction-cards.tsx'
import { Button, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { Empty, Read, useIsWide } from '../../ui/state.tsx'
import { Status, stateOf } from '../../ui/status.tsx'
import { type Key, t } from '../../words/translate.ts'

export type Kind = 'payments' | 'payouts'

const names = ['search', 'status', 'from', 'to', 'cursor'] as const
type Filters = Partial<Record<(typeof names)[number], string>>

const page_size = 25
const statuses = ['PENDING', 'SUCCESS', 'FAILED'] as const

/** Of what is pending, what it waits for; the API has a filter of its own for each. */
const waits = ['APPROVAL', 'HELD', 'UNKNOWN'] as const
const waitsOf: Readonly<Record<Kind, readonly (typeof waits)[number][]>> = {
  payments: ['UNKNOWN'],
  payouts: waits,
}

function waitingQuery(kind: Kind, status: string | undefined): Query {
  const wait = waitsOf[kind].find((one) => one === status)
  if (wait === 'APPROVAL') return { approval: 'REQUIRED' }
  if (wait === 'HELD') return { waiting: 'true' }
  return wait === 'UNKNOWN' ? { outcome: 'UNKNOWN' } : {}
}

const looksLikeDay = /^\d{4}-\d\d-\d\d$/

type Query = GetTransactionsData['query']

const typeOf = (kind: Kind): Query =>
  kind === 'payouts' ? { transaction_type: 'RETRAIT' } : { flow_direction: 'INBOUND' }

function queryOf(kind: Kind, filters: Filters, zone: string): Query {
  const { search, status, from = '', to = '', cursor } = filters
  return {
    ...typeOf(kind),
    ...(search && { search }),
    status: statuses.find((one) => one === status),
    ...waitingQuery(kind, status),
    ...(looksLikeDay.test(from) && { created_at__gte: edgeOfDay(from, 'begins', zone) }),
    ...(looksLikeDay.test(to) && { created_at__lte: edgeOfDay(to, 'ends', zone) }),
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
          results.length === 0 ? (
            <Empty>{emptyText(kind, isNarrowed, cursor !== undefined)}</Empty>
          ) : (
            <>
              <Rows kind={kind} rows={results} />
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

type Setting = Readonly<{ filters: Filters; set: (next: Filters) => void }>

function FilterForm({ kind, filters, set }: Setting & { kind: Kind }) {
  const [isOpen, setIsOpen] = useState(Boolean(filters.status || filters.from || filters.to))
  const known = [...statuses, ...waitsOf[kind]]
  const options = [['', t('any_status')] as const, ...known.map(nameOfStatus)]
  return (
    <search>
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault()
          const form = new FormData(event.currentTarget)
          const read = (name: string) => textIn(form, name) || undefined
          set({
            search: read('search'),
            status: read('status'),
            from: read('from'),
            to: read('to'),
          })
        }}
      >
        <div className="search-line">
          <TextField
            label={t('search')}
            hint={t('search_hint')}
            type="search"
            name="search"
            maxLength={200}
            defaultValue={filters.search ?? ''}
          />
          <Button type="submit">{t('show')}</Button>
        </div>
        <details open={isOpen} onToggle={({ currentTarget: { open } }) => setIsOpen(open)}>
          <summary>{t('more_filters')}</summary>
          <div className="filter-row">
            <SelectField
              label={t('status')}
              name="status"
              defaultValue={filters.status ?? ''}
              options={options}
            />
            <TextField label={t('from')} type="date" name="from" defaultValue={filters.from} />
            <TextField label={t('until')} type="date" name="to" defaultValue={filters.to} />
          </div>
        </details>
      </form>
    </search>
  )
}

type Known = (typeof statuses)[number] | (typeof waits)[number]

const nameOfStatus = (status: Known) => [status, t(`filter_${status}`)] as const

/** Which filters are on, each with its own end. */
function Chips({ filters, set }: Setting) {
  const words: Readonly<Record<string, Key>> = { from: 'from', to: 'until', search: 'search' }
  const textOf = (name: string, value: string) => {
    const status = [...statuses, ...waits].find((one) => name === 'status' && one === value)
    if (status !== undefined) return t(`filter_${status}`)
    return `${t(words[name] ?? 'status')}${t('colon')} ${value}`
  }
  return (
    <ul className="chips" aria-label={t('filters_on')}>
      {Object.entries(filters).map(([name, value]) => (
        <li key={name}>
          <button
            type="button"
            aria-label={t('remove_filter', { name: textOf(name, value) })}
            onClick={() => set({ ...filters, [name]: undefined })}
          >
            <bdi>{textOf(name, value)}</bdi> <span aria-hidden="true">✕</span>
          </button>
        </li>
      ))}
      <li>
        <button type="button" onClick={() => set({})}>
          {t('remove_all')}
        </button>
      </li>
    </ul>
  )
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
