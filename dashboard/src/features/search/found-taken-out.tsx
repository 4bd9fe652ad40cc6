// What a search finds by the reference of a settlement or a transfer.

import type {
  GetSettlementsData,
  GetSettlementsResponse,
  GetWalletTransfersData,
  GetWalletTransfersResponse,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { useHere } from '../../parts/place.tsx'
import { t } from '../../words/translate.ts'
import { Found } from './found.tsx'

type Looking = Readonly<{ q: string }>

const page_size = 5

export function FoundSettlements({ q }: Looking) {
  const { place, amount, moment } = useHere()
  const list = useRead<GetSettlementsData, GetSettlementsResponse>(place, {
    url: '/settlements/',
    query: { search: q, page_size },
  })
  return (
    <Found
      of={list}
      name={t('settlements')}
      more="/settlements"
      saysNone
      row={(of) => ({
        ...{ id: of.id, to: `/settlements/${of.id}`, left: of.reference },
        head: amount(of.requested_amount, of.currency),
        right: moment(of.created_at),
      })}
    />
  )
}

export function FoundTransfers({ q }: Looking) {
  const { place, amount, moment } = useHere()
  const list = useRead<GetWalletTransfersData, GetWalletTransfersResponse>(place, {
    url: '/wallet-transfers/',
    query: { search: q, page_size },
  })
  return (
    <Found
      of={list}
      name={t('transfers')}
      more="/transfers"
      saysNone
      row={(of) => ({
        ...{ id: of.id, to: `/transfers/${of.id}`, left: of.reference },
        head: amount(of.from_amount, of.from_currency),
        right: moment(of.created_at),
      })}
    />
  )
}
