// What a search finds of what is sold: customers, links, checkouts; the first few of each.

import type {
  Customer,
  GetCheckoutSessionsData,
  GetCheckoutSessionsResponse,
  GetCustomersData,
  GetCustomersResponse,
  GetPaymentLinksData,
  GetPaymentLinksResponse,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { writePhone } from '../../format/phone.ts'
import { useHere } from '../../parts/place.tsx'
import { t } from '../../words/translate.ts'
import { Found } from './found.tsx'

type Looking = Readonly<{ q: string }>

const page_size = 5

const nameOf = ({ full_name, email, phone }: Customer): string =>
  full_name || email || writePhone(phone) || t('customer_erased')

export function FoundCustomers({ q }: Looking) {
  const { place, moment } = useHere()
  const list = useRead<GetCustomersData, GetCustomersResponse>(place, {
    url: '/customers/',
    query: { search: q, page_size },
  })
  return (
    <Found
      of={list}
      name={t('customers')}
      more={`/customers?search=${encodeURIComponent(q)}`}
      row={(of) => ({
        ...{ id: of.id, to: `/customers/${of.id}`, head: nameOf(of) },
        ...{ left: writePhone(of.phone) || of.email, right: moment(of.created_at) },
      })}
    />
  )
}

export function FoundLinks({ q }: Looking) {
  const { place, moment } = useHere()
  const list = useRead<GetPaymentLinksData, GetPaymentLinksResponse>(place, {
    url: '/payment-links/',
    query: { search: q, page_size },
  })
  return (
    <Found
      of={list}
      name={t('links')}
      more="/links"
      row={(of) => ({
        ...{ id: of.id, to: `/links/${of.id}`, head: of.name },
        ...{ left: of.description, right: moment(of.created_at) },
      })}
    />
  )
}

export function FoundCheckouts({ q }: Looking) {
  const { place, amount } = useHere()
  const list = useRead<GetCheckoutSessionsData, GetCheckoutSessionsResponse>(place, {
    url: '/checkout-sessions/',
    query: { search: q, page_size },
  })
  return (
    <Found
      of={list}
      name={t('checkouts')}
      more={`/checkouts?search=${encodeURIComponent(q)}`}
      row={(of) => ({
        ...{ id: of.id, to: `/checkouts/${of.id}` },
        head: of.customer_name || of.customer_email || of.description,
        ...{ left: of.description, right: amount(of.amount, of.currency) },
      })}
    />
  )
}
