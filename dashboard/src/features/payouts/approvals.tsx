// What waits for a second person's word: payouts and refunds, each leading to its page.

import type {
  GetRefundsData,
  GetRefundsResponse,
  GetTransactionsData,
  GetTransactionsResponse,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { writePhone } from '../../format/phone.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { RecordList, Records } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { PayoutTabs } from '../../parts/tabs.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

const every_ms = 60_000

export default function Approvals() {
  return (
    <Page title={t('to_approve')}>
      <PayoutTabs />
      <Payouts />
      <Refunds />
    </Page>
  )
}

function Payouts() {
  const { place, amount, moment } = useHere()
  const { filters, set } = useFilters(['cursor'])
  const list = useRead<GetTransactionsData, GetTransactionsResponse>(
    place,
    {
      url: '/transactions/',
      query: { transaction_type: 'RETRAIT', approval: 'REQUIRED', ...filters, page_size: 25 },
    },
    { every_ms },
  )
  return (
    <section>
      <h2>{t('payouts')}</h2>
      <RecordList
        of={list}
        caption={t('payouts')}
        empty={t('nothing_to_approve')}
        go={set}
        keyOf={({ id }) => id}
        to={({ id }) => `/payouts/${id}?act=approve`}
        columns={[
          { name: t('reference'), of: ({ reference }) => reference, is: 'whole' },
          { name: t('date'), of: ({ created_at }) => moment(created_at), is: 'whole' },
          { name: t('receiver'), of: (row) => writePhone(row.operation_msisdn), is: 'whole' },
          { name: t('description'), of: ({ description }) => description },
          {
            name: t('amount'),
            of: (row) => amount(row.requested_amount, row.currency),
            is: 'figure',
          },
        ]}
        card={(row) => ({
          head: amount(row.requested_amount, row.currency),
          left: writePhone(row.operation_msisdn),
          right: moment(row.created_at),
        })}
      />
    </section>
  )
}

function Refunds() {
  const { place, amount, moment } = useHere()
  const list = useRead<GetRefundsData, GetRefundsResponse>(
    place,
    { url: '/refunds/', query: { status: 'PENDING', page_size: 100 } },
    { every_ms },
  )
  return (
    <section>
      <h2>{t('refunds')}</h2>
      <Read of={list}>
        {({ results }) => {
          const rows = results.filter(({ waiting_for }) => waiting_for === 'SECOND_MEMBER')
          return rows.length === 0 ? (
            <Empty>
              <p>{t('no_refund_to_approve')}</p>
            </Empty>
          ) : (
            <Records
              caption={t('refunds')}
              rows={rows}
              keyOf={({ id }) => id}
              to={({ payment_id }) => `/payments/${payment_id}`}
              columns={[
                { name: t('date'), of: ({ created_at }) => moment(created_at), is: 'whole' },
                { name: t('receiver'), of: ({ msisdn_masked }) => msisdn_masked, is: 'whole' },
                { name: t('reason'), of: ({ reason }) => reason },
                { name: t('amount'), of: (row) => amount(row.amount, row.currency), is: 'figure' },
              ]}
              card={(row) => ({
                head: amount(row.amount, row.currency),
                left: row.msisdn_masked,
                right: moment(row.created_at),
              })}
            />
          )
        }}
      </Read>
    </section>
  )
}
