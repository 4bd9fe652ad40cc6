// What a sum would cost on each network of a country: as the API quotes it, of what the address
// asks for. Nothing is worked out here.

import type { GetQuotesData, GetQuotesResponse, NetworkRates, Quote } from '../../api/types.gen.ts'
import type { Place } from '../../data/call.ts'
import { useRead } from '../../data/queries.ts'
import { asTyped } from '../../format/amount.ts'
import { byName, countryName } from '../../format/country.ts'
import { sumOf } from '../../parts/act.tsx'
import { anyText, isSum } from '../../parts/filter-values.ts'
import { currencyOf } from '../../parts/network-fields.tsx'
import { useFilters, useHere } from '../../parts/place.tsx'
import { useAct } from '../../ui/act.tsx'
import { type FactRow, Facts } from '../../ui/facts.tsx'
import { Button, errorAt, Form, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

const kinds = ['PAYIN', 'PAYOUT', 'TOP_UP'] as const
type Kind = (typeof kinds)[number]

const directions = { PAYIN: 'payin', PAYOUT: 'payout', TOP_UP: 'top_up' } as const
const names = { PAYIN: 'payments', PAYOUT: 'payouts', TOP_UP: 'top_ups' } as const

const kindOf = (text: string | undefined): Kind => kinds.find((one) => one === text) ?? 'PAYIN'

type Asked = Readonly<{ kind: Kind; country: string; amount: string; currency: string }>

/** The country is the merchant's own until another is chosen. */
export function WhatItCosts({ rates }: Readonly<{ rates: readonly NetworkRates[] }>) {
  const { merchant, language } = useHere()
  const { filters, set } = useFilters({ kind: kinds, country: anyText, amount: isSum })
  const { failure, run } = useAct()
  const codes = byName([...new Set(rates.map(({ country_code }) => country_code))], language)
  const wanted = filters.country ?? merchant.country
  const country = codes.find((code) => code === wanted) ?? codes[0] ?? ''
  const currency = currencyOf(rates, { country, network: '' })
  const kind = kindOf(filters.kind)
  const ask = (form: FormData) =>
    run(async () => {
      const amount = sumOf(textIn(form, 'amount'), 'amount')
      set({ kind: textIn(form, 'kind'), country: textIn(form, 'country'), amount })
    })
  return (
    <section>
      <h2>{t('costs')}</h2>
      <Form name={t('costs')} failure={failure} fields={['amount']} onSubmit={ask}>
        <div className="filter-row">
          <SelectField
            label={t('costs_of')}
            name="kind"
            defaultValue={kind}
            options={kinds.map((one) => [one, t(names[one])] as const)}
          />
          <SelectField
            label={t('country')}
            name="country"
            value={country}
            onChange={({ currentTarget: { value } }) => set({ kind, country: value })}
            options={codes.map((code) => [code, countryName(code, language)] as const)}
          />
          <TextField
            key={filters.amount}
            label={t('amount')}
            error={errorAt(failure, 'amount')}
            name="amount"
            inputMode="decimal"
            autoComplete="off"
            maxLength={20}
            defaultValue={asTyped(filters.amount ?? '')}
            required
          />
        </div>
        <Button type="submit" look="plain">
          {t('show')}
        </Button>
      </Form>
      {filters.amount !== undefined && (
        <Networks of={{ kind, country, amount: filters.amount, currency }} rates={rates} />
      )}
    </section>
  )
}

type NetworksProps = Readonly<{ of: Asked; rates: readonly NetworkRates[] }>

function Networks({ of, rates }: NetworksProps) {
  const open = rates.filter(
    (one) => one.country_code === of.country && one[directions[of.kind]].available,
  )
  if (open.length === 0) return <Empty>{t('no_prices')}</Empty>
  const rows = open.map(
    ({ network_code, network_name }): FactRow => [
      network_name,
      <Cost key={network_code} of={of} network={network_code} />,
    ],
  )
  return (
    <section className="outcome">
      <Facts of={rows} isProse />
    </section>
  )
}

const useQuote = (place: Place, { kind, ...of }: Asked, network: string) =>
  useRead<GetQuotesData, GetQuotesResponse>(place, {
    url: '/quotes/',
    query: { kind, network, ...of },
  })

function Cost({ of, network }: Readonly<{ of: Asked; network: string }>) {
  const { place, amount } = useHere()
  const textOf = ({ charged, net, fee, currency, net_currency }: Quote) =>
    t(`costs_${of.kind}`, {
      charged: amount(charged, currency),
      net: amount(net, net_currency),
      fee: amount(fee, currency),
    })
  return (
    <Read of={useQuote(place, of, network)}>
      {(quote) => (
        <>
          {textOf(quote)}
          {quote.refusals.map(({ code, message }) => (
            <span key={code} className="wrong line">
              {message}
            </span>
          ))}
        </>
      )}
    </Read>
  )
}
