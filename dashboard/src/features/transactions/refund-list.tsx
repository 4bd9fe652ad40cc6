// What was given back, of all payments; each leads to the payment that it is of, where it is
// decided, cancelled and followed.

import type { GetRefundsData, GetRefundsResponse, Refund } from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { Calls } from '../../parts/as-curl.tsx'
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
import { SaveList } from '../../parts/save-list.tsx'
import { Page } from '../../parts/shell.tsx'
import { PaymentTabs } from '../../parts/tabs.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { refundState } from './refund-state.ts'

const names = ['search', 'status', 'from', 'to'] as const
const statuses = ['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED'] as const

const fieldsOf = (): FilterField<(typeof names)[number]>[] => [
  { name: 'search', label: t('refund_search'), is: 'search' },
  {
    ...{ name: 'status', label: t('status') },
    is: statuses.map((one) => [one, t(`filter_${one}`)] as const),
  },
  ...periodFields(),
]

export default function RefundList() {
  const { place, clock, amount, moment } = useHere()
  const { filters, set } = useFilters([...names, 'page', 'size'])
  const { page, size, ...kept } = filters
  const status = statuses.find((one) => one === kept.status)
  const asked = { search: kept.search, status, ...boundsOf(kept, clock.zone) }
  const request = {
    url: '/refunds/',
    query: { ...asked, page: pageNumber(page), page_size: sizeOf(size) },
  } as const
  const list = useRead<GetRefundsData, GetRefundsResponse>(place, request)
  const sum = (of: Refund) => amount(of.amount, of.currency)
  const state = (of: Refund) => <Status of={refundState(of)} />
  const why = ({ reason, reference }: Refund) => <bdi>{reason || reference}</bdi>
  return (
    <Page title={t('refunds')}>
      <PaymentTabs />
      <Narrow fields={fieldsOf()} filters={kept} set={(next) => set({ ...next, size })} />
      <RecordList
        of={list}
        above={(shown) =>
          isFollowable(filters) && <NewerLine {...{ request, shown }} word="newer_refunds" />
        }
        caption={t('refunds')}
        empty={
          Object.keys(kept).length > 0 ? (
            t('none_found')
          ) : (
            <Begin text={t('no_refunds_yet')} acts={[['/payments', 'payments', true]]} />
          )
        }
        go={(next) => set({ ...kept, ...next })}
        size={sizeOf(size)}
        keyOf={({ id }) => id}
        to={({ payment_id }) => `/payments/${payment_id}`}
        columns={[
          { name: t('date'), of: ({ created_at }) => moment(created_at), is: 'whole' },
          { name: t('status'), of: state },
          { name: t('receiver'), of: ({ msisdn_masked }) => msisdn_masked, is: 'whole' },
          { name: t('reason'), of: ({ reason }) => <bdi>{reason}</bdi> },
          { name: t('your_reference'), of: ({ reference }) => <bdi>{reference}</bdi> },
          { name: t('amount'), of: sum, is: 'figure' },
        ]}
        card={(of) => ({
          head: sum(of),
          status: state(of),
          left: why(of),
          right: moment(of.created_at),
        })}
      />
      <SaveList of={list} path="/refunds/export/" query={asked} />
      <Calls />
    </Page>
  )
}
