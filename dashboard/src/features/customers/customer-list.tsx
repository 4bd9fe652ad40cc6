// Customers: whoever has paid or been paid, found by name, number or e-mail.

import type {
  Customer,
  GetCustomersData,
  GetCustomersResponse,
  PostCustomersData,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { Calls } from '../../parts/as-curl.tsx'
import { Begin } from '../../parts/begin.tsx'
import { Chips } from '../../parts/chips.tsx'
import { Curl } from '../../parts/curl.tsx'
import { anyText } from '../../parts/filter-values.ts'
import { isFollowable, NewerLine } from '../../parts/newer.tsx'
import { newestFirst, usePaged, useThere } from '../../parts/paged.ts'
import { useHere } from '../../parts/place.tsx'
import { RecordList } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { When } from '../../parts/tips.tsx'
import { Button, TextField, textIn } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { t } from '../../words/translate.ts'

const orders = ['full_name', '-full_name', 'created_at', '-created_at'] as const

type Write = (e164: string) => string

export const nameOf = ({ full_name, email, phone }: Customer, write: Write): string =>
  full_name || email || write(phone) || t('customer_erased')

export default function CustomerList() {
  const { place, phone: write } = useHere()
  const { filters, kept, query, narrow, paging } = usePaged(
    { search: anyText },
    orders,
    newestFirst,
  )
  const { search = '' } = kept
  const request = { url: '/customers/', query: { search, ...query } } as const
  const list = useThere(useRead<GetCustomersData, GetCustomersResponse>(place, request))
  return (
    <Page title={t('customers')} acts={<NewOne />}>
      <Search chosen={search} narrow={narrow} />
      <RecordList
        of={list}
        above={(shown) =>
          isFollowable(filters, ['search', 'order']) && (
            <NewerLine {...{ request, shown }} word="newer_customers" isHinted={false} />
          )
        }
        caption={t('customers')}
        empty={search === '' ? <NoCustomers /> : t('none_found')}
        {...paging}
        kept="customers"
        hasNumbers
        keyOf={({ id }) => id}
        to={({ id }) => `/customers/${id}`}
        columns={[
          { name: 'customer_name', order: 'full_name', of: (of) => <bdi>{nameOf(of, write)}</bdi> },
          { name: 'number', of: ({ phone }) => write(phone), is: 'whole' },
          { name: 'email', of: ({ email }) => email },
          {
            name: 'made_on',
            order: 'created_at',
            of: ({ created_at }) => <When of={created_at} />,
            is: 'whole',
          },
        ]}
        card={(of) => ({
          head: nameOf(of, write),
          // What is its name is not said twice.
          left: [write(of.phone), of.email].find((one) => one !== nameOf(of, write)) ?? '',
          right: <When of={of.created_at} />,
        })}
      />
      <Calls />
    </Page>
  )
}

type SearchProps = Readonly<{ chosen: string; narrow: (next: { search?: string }) => void }>

function Search({ chosen, narrow }: SearchProps) {
  return (
    <>
      <search>
        <form
          className="filters"
          onSubmit={(event) => {
            event.preventDefault()
            narrow({ search: textIn(new FormData(event.currentTarget), 'search') })
          }}
        >
          <div className="search-line">
            <TextField
              key={chosen}
              label={t('search')}
              hint={t('customer_search_hint')}
              type="search"
              name="search"
              maxLength={200}
              defaultValue={chosen}
            />
            <Button type="submit">{t('show')}</Button>
          </div>
        </form>
      </search>
      <Chips
        of={{ search: chosen }}
        textOf={(_, value) => `${t('search')}${t('colon')} ${value}`}
        onRemove={() => narrow({})}
        onClear={() => narrow({})}
      />
    </>
  )
}

function NewOne() {
  const { may, to } = useHere()
  if (!may('customers')) return null
  return (
    <Link className="button act" href={to('/customers/new')}>
      {t('customer_new')}
    </Link>
  )
}

/** They come by themselves with what is paid; people and programs may bring theirs before. */
function NoCustomers() {
  const { may } = useHere()
  return (
    <>
      <Begin
        text={t('no_customers_yet')}
        acts={[['/customers/new', 'customer_new', may('customers')]]}
      />
      <Curl<PostCustomersData>
        of={{
          ...{ method: 'POST', url: '/customers/' },
          body: { full_name: 'Awa Diop', email: 'awa@example.com' },
        }}
        name={t('curl_of', { name: t('customer_new') })}
      />
    </>
  )
}
