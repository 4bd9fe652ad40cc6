// Transfers of value between one's own balances of two countries.

import { Link } from 'wouter'
import type {
  GetWalletTransfersData,
  GetWalletTransfersResponse,
  WalletTransfer,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { countryName } from '../../format/moment.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { RecordList } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { transferState } from './transfer-state.ts'

export default function TransferList() {
  const { place, amount, moment, language, may, to } = useHere()
  const { filters, set } = useFilters(['page'])
  const page = /^[1-9]\d{0,5}$/.test(filters.page ?? '') ? Number(filters.page) : 1
  const list = useRead<GetWalletTransfersData, GetWalletTransfersResponse>(place, {
    url: '/wallet-transfers/',
    query: { page, page_size: 25 },
  })
  const make = may('transfers') && (
    <Link className="button act" href={to('/transfers/new')}>
      {t('new_transfer')}
    </Link>
  )
  const way = ({ from_country, to_country }: WalletTransfer) =>
    `${countryName(from_country, language)} → ${countryName(to_country, language)}`
  const gone = (of: WalletTransfer) => amount(of.from_amount, of.from_currency)
  const state = (of: WalletTransfer) => <Status of={transferState(of)} />
  return (
    <Page title={t('transfers')} acts={make}>
      <RecordList
        of={list}
        caption={t('transfers')}
        empty={t('no_transfers_yet')}
        go={set}
        keyOf={({ id }) => id}
        to={({ id }) => `/transfers/${id}`}
        columns={[
          { name: t('reference'), of: ({ reference }) => reference, is: 'whole' },
          { name: t('date'), of: ({ created_at }) => moment(created_at), is: 'whole' },
          { name: t('status'), of: state },
          { name: t('transfer_way'), of: way },
          { name: t('transfer_leaves'), of: gone, is: 'figure' },
          {
            name: t('transfer_arrives'),
            of: (of) => amount(of.to_amount, of.to_currency),
            is: 'figure',
          },
        ]}
        card={(of) => ({
          head: gone(of),
          status: state(of),
          left: way(of),
          right: moment(of.created_at),
        })}
      />
    </Page>
  )
}
