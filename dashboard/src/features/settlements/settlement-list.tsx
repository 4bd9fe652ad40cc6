// Settlements: what one has taken out of one's balances to one's own accounts.

import { Link } from 'wouter'
import type { GetSettlementsData, GetSettlementsResponse, Settlement } from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { countryName } from '../../format/moment.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { RecordList } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { SettlementTabs } from './settlement-tabs.tsx'
import { settlementState } from './state.ts'

export default function SettlementList() {
  const { place, amount, moment, language, may, to } = useHere()
  const { filters, set } = useFilters(['page'])
  const page = /^[1-9]\d{0,5}$/.test(filters.page ?? '') ? Number(filters.page) : 1
  const list = useRead<GetSettlementsData, GetSettlementsResponse>(place, {
    url: '/settlements/',
    query: { page, page_size: 25 },
  })
  const make = may('settlements') && (
    <Link className="button act" href={to('/settlements/new')}>
      {t('new_settlement')}
    </Link>
  )
  const sum = (of: Settlement) => amount(of.requested_amount, of.currency)
  const state = (of: Settlement) => <Status of={settlementState(of)} />
  return (
    <Page title={t('settlements')} acts={make}>
      <SettlementTabs />
      <RecordList
        of={list}
        caption={t('settlements')}
        empty={t('no_settlements_yet')}
        go={set}
        keyOf={({ id }) => id}
        to={({ id }) => `/settlements/${id}`}
        columns={[
          { name: t('reference'), of: ({ reference }) => reference, is: 'whole' },
          { name: t('date'), of: ({ created_at }) => moment(created_at), is: 'whole' },
          { name: t('status'), of: state },
          { name: t('country'), of: ({ country }) => countryName(country, language) },
          { name: t('amount'), of: sum, is: 'figure' },
        ]}
        card={(of) => ({
          head: sum(of),
          status: state(of),
          left: of.reference,
          right: moment(of.created_at),
        })}
      />
    </Page>
  )
}
