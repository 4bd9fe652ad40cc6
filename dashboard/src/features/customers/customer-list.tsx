// Customers: whoever has paid or been paid, found by name, number or e-mail.

import type {
  Customer,
  GetCustomersData,
  GetCustomersResponse,
  PostCustomersData,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { writePhone } from '../../format/phone.ts'
import { Calls } from '../../parts/as-curl.tsx'
import { Curl } from '../../parts/curl.tsx'
import { useFilters, useHere } from '../../parts/place.tsx'
import { RecordList, sizeOf } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { Button, TextField, textIn } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'

export const nameOf = ({ full_name, email, phone }: Customer): string =>
  full_name || email || writePhone(phone) || t('customer_erased')

export default function CustomerList() {
  const { place, moment } = useHere()
  const { filters, set } = useFilters(['search', 'page', 'size'])
  const { search = '', size } = filters
  const page = /^[1-9]\d{0,5}$/.test(filters.page ?? '') ? Number(filters.page) : 1
  const list = useRead<GetCustomersData, GetCustomersResponse>(place, {
    url: '/customers/',
    query: { search, page, page_size: sizeOf(size) },
  })
  return (
    <Page title={t('customers')}>
      <search>
        <form
          className="filters"
          onSubmit={(event) => {
            event.preventDefault()
            set({ size, search: textIn(new FormData(event.currentTarget), 'search') })
          }}
        >
          <div className="search-line">
            <TextField
              key={search}
              label={t('search')}
              hint={t('customer_search_hint')}
              type="search"
              name="search"
              maxLength={200}
              defaultValue={search}
            />
            <Button type="submit">{t('show')}</Button>
          </div>
        </form>
      </search>
      <RecordList
        of={list}
        caption={t('customers')}
        empty={search === '' ? <NoCustomers /> : t('none_found')}
        go={(next) => set({ search, ...next })}
        size={sizeOf(size)}
        keyOf={({ id }) => id}
        to={({ id }) => `/customers/${id}`}
        columns={[
          { name: t('customer_name'), of: (of) => <bdi>{nameOf(of)}</bdi> },
          { name: t('number'), of: ({ phone }) => writePhone(phone), is: 'whole' },
          { name: t('email'), of: ({ email }) => email },
          { name: t('made_on'), of: ({ created_at }) => moment(created_at), is: 'whole' },
        ]}
        card={(of) => ({
          head: nameOf(of),
          // What is its name is not said twice.
          left: [writePhone(of.phone), of.email].find((one) => one !== nameOf(of)) ?? '',
          right: moment(of.created_at),
        })}
      />
      <Calls />
    </Page>
  )
}

/** They come by themselves with what is paid; a program may bring its own before. */
const NoCustomers = () => (
  <>
    <p>{t('no_customers_yet')}</p>
    <Curl<PostCustomersData>
      of={{
        ...{ method: 'POST', url: '/customers/' },
        body: { full_name: 'Awa Diop', email: 'awa@example.com' },
      }}
      name={t('curl_of', { name: t('customer_new') })}
    />
  </>
)
