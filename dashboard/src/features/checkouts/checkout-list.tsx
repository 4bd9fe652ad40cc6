// Checkout sessions: each one payment asked of one customer, on a page of ours.

import { Link } from 'wouter'
import type {
  CheckoutSession,
  GetCheckoutSessionsData,
  GetCheckoutSessionsResponse,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { RecordList } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { Button, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { checkoutState, statuses } from './checkout-state.ts'

type Filters = Readonly<Partial<Record<'search' | 'status', string>>>

export default function CheckoutList() {
  const { place, amount, moment, may, to } = useHere()
  const { filters, set } = useFilters(['search', 'status', 'page'])
  const { page: wanted = '', ...kept } = filters
  const page = /^[1-9]\d{0,5}$/.test(wanted) ? Number(wanted) : 1
  const status = statuses.find((one) => one === kept.status)
  const list = useRead<GetCheckoutSessionsData, GetCheckoutSessionsResponse>(place, {
    url: '/checkout-sessions/',
    query: { search: kept.search, status, page, page_size: 25 },
  })
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
      <FilterForm key={JSON.stringify(kept)} filters={kept} set={set} />
      <RecordList
        of={list}
        caption={t('checkouts')}
        empty={t(isNarrowed ? 'none_found' : 'no_checkouts_yet')}
        go={(next) => set({ ...kept, ...next })}
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
    </Page>
  )
}

const FilterForm = ({ filters, set }: { filters: Filters; set: (next: Filters) => void }) => (
  <search>
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        set({ search: textIn(form, 'search'), status: textIn(form, 'status') })
      }}
    >
      <details open={Object.keys(filters).length > 0}>
        <summary>{t('narrow')}</summary>
        <div className="filter-row">
          <TextField
            label={t('search')}
            type="search"
            name="search"
            maxLength={200}
            defaultValue={filters.search ?? ''}
          />
          <SelectField
            label={t('status')}
            name="status"
            defaultValue={filters.status ?? ''}
            options={[
              ['', t('any_status')],
              ...statuses.map((one) => [one, t(`checkout_${one}`)] as const),
            ]}
          />
        </div>
        <Button type="submit" look="plain">
          {t('show')}
        </Button>
      </details>
    </form>
  </search>
)
