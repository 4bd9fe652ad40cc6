// What payments and payouts can be narrowed by: a form whose choices the address holds, and each of
// them with its own end.

import { useState } from 'react'
import { asTyped, readTyped, sumIn } from '../../format/amount.ts'
import { countryName } from '../../format/country.ts'
import { Periods } from '../../parts/narrow.tsx'
import { useCountries, useNetworkNames, useNetworks } from '../../parts/networks.ts'
import { useHere } from '../../parts/place.tsx'
import { Button, SelectField, sendByKeys, TextField, textIn } from '../../ui/form.tsx'
import { type Key, t } from '../../words/translate.ts'
import { FilterOfMaker, useMakerName } from './filter-of-maker.tsx'

export type Kind = 'payments' | 'payouts'

export const names = [
  ...(['search', 'status', 'from', 'to', 'via', 'least', 'most'] as const),
  ...(['country', 'network', 'payment_link', 'checkout_session'] as const),
  ...(['customer', 'member', 'key', 'cursor', 'size'] as const),
] as const
export type Filters = Partial<Record<(typeof names)[number], string>>

export const statuses = ['PENDING', 'SUCCESS', 'FAILED'] as const

/** Of what is pending, what it waits for; the API has a filter of its own for each. */
const waits = ['APPROVAL', 'HELD', 'UNKNOWN'] as const
export const waitsOf: Readonly<Record<Kind, readonly (typeof waits)[number][]>> = {
  payments: ['UNKNOWN'],
  payouts: waits,
}

export const vias = ['KEY', 'DASHBOARD', 'CHECKOUT', 'LINK'] as const

type Setting = Readonly<{ filters: Filters; set: (next: Filters) => void }>

export function FilterForm({ kind, filters, set }: Setting & { kind: Kind }) {
  const { status, from, to, via, country, network, member, key } = filters
  // Drawn once it is opened: its lists are longer than the page of rows that it stands above.
  const isOn =
    [status, from, to, via, country, network, member, key].some(Boolean) || isOfSum(filters)
  const [isDrawn, setIsDrawn] = useState(isOn)
  return (
    <search>
      <form
        className="filters"
        onKeyDown={sendByKeys}
        onSubmit={(event) => {
          event.preventDefault()
          const form = new FormData(event.currentTarget)
          const read = (name: string) => textIn(form, name) || undefined
          set({
            payment_link: filters.payment_link,
            checkout_session: filters.checkout_session,
            customer: filters.customer,
            member: read('member'),
            key: read('key'),
            search: read('search'),
            status: read('status'),
            from: read('from'),
            to: read('to'),
            via: read('via'),
            country: read('country'),
            network: read('network'),
            least: sumIn(readTyped(textIn(form, 'least'))) || undefined,
            most: sumIn(readTyped(textIn(form, 'most'))) || undefined,
          })
        }}
      >
        <div className="search-line">
          <TextField
            label={t('search')}
            hint={t('search_hint')}
            type="search"
            name="search"
            maxLength={200}
            defaultValue={filters.search ?? ''}
          />
          <Button type="submit">{t('show')}</Button>
        </div>
        <details open={isOn} onToggle={({ currentTarget: { open } }) => open && setIsDrawn(true)}>
          <summary>{t('more_filters')}</summary>
          {isDrawn && <MoreFilters kind={kind} filters={filters} />}
        </details>
      </form>
    </search>
  )
}

function MoreFilters({ kind, filters }: Pick<Setting, 'filters'> & { kind: Kind }) {
  const known = [...statuses, ...waitsOf[kind]]
  const options = [['', t('any_status')] as const, ...known.map(nameOfStatus)]
  return (
    <>
      <div className="filter-row">
        <SelectField
          label={t('status')}
          name="status"
          defaultValue={filters.status ?? ''}
          options={options}
        />
        <TextField label={t('from')} type="date" name="from" defaultValue={filters.from} />
        <TextField label={t('until')} type="date" name="to" defaultValue={filters.to} />
      </div>
      <Periods />
      <FilterOfWhere filters={filters} />
      <FilterOfMaking filters={filters} />
      <FilterOfMaker filters={filters} />
    </>
  )
}

const isOfSum = ({ least, most }: Filters): boolean => Boolean(least || most)

/** Where: a country, and of the networks those of the country that is chosen. */
function FilterOfWhere({ filters }: { filters: Filters }) {
  const countries = useCountries()
  const { networks } = useNetworks()
  const [country, setCountry] = useState(filters.country ?? '')
  const there = networks.filter((one) => country === '' || one.country_code === country)
  const any = ['', t('any_status')] as const
  return (
    <div className="filter-row">
      <SelectField
        label={t('country')}
        name="country"
        value={country}
        onChange={({ currentTarget: { value } }) => setCountry(value)}
        options={[any, ...countries]}
      />
      <SelectField
        key={`${country} ${networks.length}`}
        label={t('network')}
        name="network"
        defaultValue={filters.network ?? ''}
        options={[any, ...there.map(({ code, name }) => [code, name] as const)]}
      />
    </div>
  )
}

/** For how much, and how it was made: a payout is made on no page. */
function FilterOfMaking({ filters: { least = '', most = '', via = '' } }: { filters: Filters }) {
  const sum = { inputMode: 'decimal', autoComplete: 'off' } as const
  const options = [['', t('any_status')] as const, ...vias.map(nameOfVia)]
  return (
    <div className="filter-row">
      <TextField label={t('at_least')} name="least" defaultValue={asTyped(least)} {...sum} />
      <TextField label={t('at_most')} name="most" defaultValue={asTyped(most)} {...sum} />
      <SelectField label={t('made_how')} name="via" defaultValue={via} options={options} />
    </div>
  )
}

const nameOfVia = (via: (typeof vias)[number]) => [via, t(`made_${via}`)] as const

type Known = (typeof statuses)[number] | (typeof waits)[number]

const nameOfStatus = (status: Known) => [status, t(`filter_${status}`)] as const

/** Which filters are on, each with its own end. */
export function Chips({ filters, set }: Setting) {
  const { language } = useHere()
  const networkName = useNetworkNames()
  const makerName = useMakerName(filters)
  const words: Readonly<Record<string, Key>> = {
    ...{ from: 'from', to: 'until', search: 'search', least: 'at_least', most: 'at_most' },
  }
  const textOf = (name: string, value: string) => {
    const status = [...statuses, ...waits].find((one) => name === 'status' && one === value)
    if (status !== undefined) return t(`filter_${status}`)
    if (name === 'country') return countryName(value, language)
    if (name === 'network') return networkName(value)
    if (name === 'payment_link') return t('filter_link')
    if (name === 'checkout_session') return t('filter_checkout')
    if (name === 'customer') return t('filter_customer')
    if (name === 'member' || name === 'key') return makerName(name, value)
    const via = vias.find((one) => name === 'via' && one === value)
    if (via !== undefined) return t(`made_${via}`)
    const isSum = name === 'least' || name === 'most'
    return `${t(words[name] ?? 'status')}${t('colon')} ${isSum ? asTyped(value) : value}`
  }
  return (
    <ul className="chips" aria-label={t('filters_on')}>
      {Object.entries(filters).map(([name, value]) => (
        <li key={name}>
          <button
            type="button"
            aria-label={t('remove_filter', { name: textOf(name, value) })}
            onClick={() => set({ ...filters, [name]: undefined })}
          >
            <bdi>{textOf(name, value)}</bdi> <span aria-hidden="true">✕</span>
          </button>
        </li>
      ))}
      <li>
        <button type="button" onClick={() => set({})}>
          {t('remove_all')}
        </button>
      </li>
    </ul>
  )
}
