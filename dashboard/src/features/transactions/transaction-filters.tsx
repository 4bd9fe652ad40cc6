// What payments and payouts can be narrowed by: a form whose choices the address holds, and what
// each of them is called while it is on.

import { useState } from 'react'
import { asTyped, currencyName, readTyped, sumIn } from '../../format/amount.ts'
import { countryName } from '../../format/country.ts'
import { anyText, isId, isSum, type MayBe, period } from '../../parts/filter-values.ts'
import { Periods } from '../../parts/narrow.tsx'
import { useCountries, useListed, useNetworkNames, useNetworks } from '../../parts/networks.ts'
import { useHere } from '../../parts/place.tsx'
import { sizes } from '../../parts/records.tsx'
import { Button, SelectField, sendByKeys, TextField, textIn } from '../../ui/form.tsx'
import { useIsWide } from '../../ui/wide.ts'
import { type Key, t } from '../../words/translate.ts'
import { FilterOfMaker, useMakerName } from './filter-of-maker.tsx'
import { reasons } from './reasons.ts'

export type Kind = 'payments' | 'payouts'

type OfWhat = 'search' | 'status' | 'reason' | 'from' | 'to' | 'via' | 'least' | 'most' | 'type'
type OfWhom = 'country' | 'network' | 'currency' | 'customer' | 'member' | 'key'
export type Name = OfWhat | OfWhom | 'payment_link' | 'checkout_session' | 'cursor' | 'size'
export type Filters = Partial<Record<Name, string>>

export const statuses = ['PENDING', 'SUCCESS', 'FAILED'] as const

/** What waits, and for what; the API has a filter of its own for each. */
const waits = ['APPROVAL', 'HELD', 'UNKNOWN', 'INCIDENT'] as const
export const waitsOf: Readonly<Record<Kind, readonly (typeof waits)[number][]>> = {
  payments: ['UNKNOWN', 'INCIDENT'],
  payouts: waits,
}

/** What comes in: what payers pay, and what the merchant adds to its own balance. */
export const paymentTypes = ['PAIEMENT', 'RECHARGE'] as const

export const vias = ['KEY', 'DASHBOARD', 'CHECKOUT', 'LINK'] as const

const reasonsOf: Readonly<Record<Kind, readonly (typeof reasons)[number][]>> = {
  payments: reasons.filter((one) => !/RECIPIENT|MERCHANT|STAFF/.test(one)),
  payouts: reasons.filter((one) => !/PAYER|OTP/.test(one)),
}

/** What each filter may be; a reason only of what has failed, as `narrowedTo` has it. */
export function useKnown(kind: Kind): Readonly<Record<Name, MayBe>> {
  const listed = useListed()
  return {
    ...{ search: anyText, status: [...statuses, ...waitsOf[kind]] },
    reason: (value, { status }) =>
      reasons.some((one) => one === value) && (status ?? 'FAILED') === 'FAILED',
    ...{ ...period, via: vias, least: isSum, most: isSum },
    type: kind === 'payments' ? paymentTypes : [],
    ...listed,
    ...{ payment_link: isId, checkout_session: isId, customer: isId, member: isId, key: isId },
    ...{ cursor: anyText, size: sizes },
  }
}

type Setting = Readonly<{ filters: Filters; set: (next: Filters) => void }>

export function FilterForm({ kind, filters, set }: Setting & { kind: Kind }) {
  const { status, reason, from, to, via, type, country, network, currency, member, key } = filters
  // Drawn once it is opened: its lists are longer than the page of rows that it stands above.
  const isOn =
    [status, reason, from, to, via, type, country, network, currency, member, key].some(Boolean) ||
    isOfSum(filters)
  const [isDrawn, setIsDrawn] = useState(isOn)
  const isWide = useIsWide()
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
            ...narrowedTo(read('status'), read('reason')),
            from: read('from'),
            to: read('to'),
            via: read('via'),
            type: read('type'),
            country: read('country'),
            network: read('network'),
            currency: read('currency'),
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
        <details
          // On a telephone it would hide the rows that somebody was led to: there chips name it.
          open={isOn && isWide}
          onToggle={({ currentTarget: { open } }) => open && setIsDrawn(true)}
        >
          <summary>{t('more_filters')}</summary>
          {isDrawn && <MoreFilters kind={kind} filters={filters} />}
        </details>
      </form>
    </search>
  )
}

/** What has a reason has failed; with another status the reason is let go. */
const narrowedTo = (status: string | undefined, reason: string | undefined): Filters =>
  reason !== undefined && (status === undefined || status === 'FAILED')
    ? { status: 'FAILED', reason }
    : { status }

function MoreFilters({ kind, filters }: Pick<Setting, 'filters'> & { kind: Kind }) {
  const known = [...statuses, ...waitsOf[kind]]
  const options = [['', t('any_status')] as const, ...known.map(nameOfStatus)]
  // One that an address names is shown, also where it is none of those offered.
  const why = reasons.filter((one) => reasonsOf[kind].includes(one) || one === filters.reason)
  return (
    <>
      <div className="filter-row">
        <SelectField
          label={t('status')}
          name="status"
          defaultValue={filters.status ?? ''}
          options={options}
        />
        <SelectField
          label={t('failure_reason')}
          name="reason"
          defaultValue={filters.reason ?? ''}
          options={[['', t('any_status')] as const, ...why.map(nameOfReason)]}
        />
        <TextField label={t('from')} type="date" name="from" defaultValue={filters.from} />
        <TextField label={t('until')} type="date" name="to" defaultValue={filters.to} />
      </div>
      <Periods />
      <FilterOfWhere filters={filters} />
      <FilterOfMaking kind={kind} filters={filters} />
      <FilterOfMaker filters={filters} />
    </>
  )
}

const isOfSum = ({ least, most }: Filters): boolean => Boolean(least || most)

/** Where: a country, of the networks those of the country that is chosen, and a currency. */
function FilterOfWhere({ filters }: { filters: Filters }) {
  const countries = useCountries()
  const { networks } = useNetworks()
  const [country, setCountry] = useState(filters.country ?? '')
  const there = networks.filter((one) => country === '' || one.country_code === country)
  const any = ['', t('any_status')] as const
  const currencies = [...new Set(networks.map((one) => one.currency))].sort()
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
      <SelectField
        key={`currency ${currencies.length}`}
        label={t('currency')}
        name="currency"
        defaultValue={filters.currency ?? ''}
        options={[any, ...currencies.map((code) => [code, currencyName(code)] as const)]}
      />
    </div>
  )
}

/** For how much, what for, and how it was made: a payout is made on no page. */
function FilterOfMaking({ kind, filters }: Pick<Setting, 'filters'> & { kind: Kind }) {
  const { least = '', most = '', via = '', type = '' } = filters
  const sum = { inputMode: 'decimal', autoComplete: 'off' } as const
  const any = ['', t('any_status')] as const
  const options = [any, ...vias.map(nameOfVia)]
  const types = [any, ...paymentTypes.map((one) => [one, t(`type_${one}`)] as const)]
  return (
    <div className="filter-row">
      <TextField label={t('at_least')} name="least" defaultValue={asTyped(least)} {...sum} />
      <TextField label={t('at_most')} name="most" defaultValue={asTyped(most)} {...sum} />
      {kind === 'payments' && (
        <SelectField label={t('kind')} name="type" defaultValue={type} options={types} />
      )}
      <SelectField label={t('made_how')} name="via" defaultValue={via} options={options} />
    </div>
  )
}

const nameOfReason = (reason: (typeof reasons)[number]) => [reason, t(`reason_${reason}`)] as const

const nameOfVia = (via: (typeof vias)[number]) => [via, t(`made_${via}`)] as const

type Known = (typeof statuses)[number] | (typeof waits)[number]

const nameOfStatus = (status: Known) => [status, t(`filter_${status}`)] as const

/** What each chip of a filter that is on calls it. */
export function useChipText(filters: Filters): (name: string, value: string) => string {
  const { language } = useHere()
  const networkName = useNetworkNames()
  const makerName = useMakerName(filters)
  return (name, value) => {
    const status = [...statuses, ...waits].find((one) => name === 'status' && one === value)
    if (status !== undefined) return t(`filter_${status}`)
    const reason = reasons.find((one) => name === 'reason' && one === value)
    if (reason !== undefined) return t(`reason_${reason}`)
    if (name === 'country') return countryName(value, language)
    if (name === 'network') return networkName(value)
    if (name === 'payment_link') return t('filter_link')
    if (name === 'checkout_session') return t('filter_checkout')
    if (name === 'customer') return t('filter_customer')
    if (name === 'member' || name === 'key') return makerName(name, value)
    const type = paymentTypes.find((one) => name === 'type' && one === value)
    if (type !== undefined) return t(`type_${type}`)
    const via = vias.find((one) => name === 'via' && one === value)
    if (via !== undefined) return t(`made_${via}`)
    return `${t(words[name] ?? 'status')}${t('colon')} ${writeChosen(name, value)}`
  }
}

const words: Readonly<Record<string, Key>> = {
  ...{ from: 'from', to: 'until', search: 'search', least: 'at_least', most: 'at_most' },
  ...{ currency: 'currency', type: 'kind' },
}

function writeChosen(name: string, value: string): string {
  if (name === 'currency') return currencyName(value)
  return name === 'least' || name === 'most' ? asTyped(value) : value
}
