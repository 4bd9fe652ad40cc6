// What was given back, of all payments; each leads to the payment that it is of, where it is
// decided, cancelled and followed.

import type { GetRefundsData, GetRefundsResponse, Refund } from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { Calls } from '../../parts/as-curl.tsx'
import { Begin } from '../../parts/begin.tsx'
import { anyText, period } from '../../parts/filter-values.ts'
import {
  boundsOf,
  type FilterField,
  Narrow,
  narrowedTo,
  periodFields,
} from '../../parts/narrow.tsx'
import { isFollowable, NewerLine } from '../../parts/newer.tsx'
import { newestFirst, usePaged, useThere } from '../../parts/paged.ts'
import { useHere } from '../../parts/place.tsx'
import { RecordList } from '../../parts/records.tsx'
import { SaveList } from '../../parts/save-list.tsx'
import { Page } from '../../parts/shell.tsx'
import { refundState, refundStatuses } from '../../parts/states.ts'
import { PaymentTabs } from '../../parts/tabs.tsx'
import { Sum, When } from '../../parts/tips.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'

const known = { search: anyText, status: refundStatuses, ...period } as const

const orders = ['created_at', '-created_at', 'amount', '-amount'] as const

const fieldsOf = (): FilterField<keyof typeof known>[] => [
  { name: 'search', label: t('refund_search'), is: 'search' },
  {
    ...{ name: 'status', label: t('status') },
    is: refundStatuses.map((one) => [one, t(`filter_${one}`)] as const),
  },
  ...periodFields(),
]

export default function RefundList() {
  const { place, clock } = useHere()
  const { filters, kept, query, narrow, paging } = usePaged(known, orders, newestFirst)
  const status = refundStatuses.find((one) => one === kept.status)
  const asked = { search: kept.search, status, ...boundsOf(kept, clock.zone) }
  const request = {
    url: '/refunds/',
    query: { ...asked, ...query },
  } as const
  const list = useThere(useRead<GetRefundsData, GetRefundsResponse>(place, request))
  const sum = (of: Refund) => <Sum of={of.amount} currency={of.currency} />
  const state = (of: Refund) => <Status of={refundState(of)} />
  const why = ({ reason, reference }: Refund) => <bdi>{reason || reference}</bdi>
  return (
    <Page title={t('refunds')}>
      <PaymentTabs />
      <Narrow fields={fieldsOf()} filters={kept} set={narrow} />
      <RecordList
        of={list}
        above={(shown) =>
          isFollowable(filters, ['search', 'order']) && (
            <NewerLine {...{ request, shown }} word="newer_refunds" />
          )
        }
        caption={t('refunds')}
        empty={
          Object.keys(kept).length > 0 ? (
            t('none_found')
          ) : (
            <Begin text={t('no_refunds_yet')} acts={[['/payments', 'payments', true]]} />
          )
        }
        {...paging}
        kept="refunds"
        keyOf={({ id }) => id}
        to={({ payment_id }) => `/payments/${payment_id}`}
        columns={[
          {
            name: 'date',
            order: 'created_at',
            of: ({ created_at }) => <When of={created_at} />,
            is: 'whole',
          },
          { name: 'status', of: state },
          { name: 'recipient', of: ({ msisdn_masked }) => msisdn_masked, is: 'whole' },
          { name: 'reason', of: ({ reason }) => <bdi>{reason}</bdi> },
          { name: 'your_reference', of: ({ reference }) => <bdi>{reference}</bdi> },
          { name: 'amount', order: 'amount', of: sum, is: 'figure' },
        ]}
        card={(of) => ({
          head: sum(of),
          status: state(of),
          left: why(of),
          right: <When of={of.created_at} />,
        })}
      />
      <SaveList
        of={list}
        path="/refunds/export/"
        query={asked}
        only={narrowedTo(fieldsOf(), kept)}
      />
      <Calls />
    </Page>
  )
}
