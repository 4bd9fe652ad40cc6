// What each network costs this merchant, a sum on each of them, and the rates in force between
// currencies. To a suspended one the API quotes nothing and gives no rates: neither is offered.

import type {
  DirectionRates,
  ExchangeRate,
  GetExchangeRatesData,
  GetExchangeRatesResponse,
  NetworkRates,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { writeRate } from '../../format/amount.ts'
import { byName, countryName } from '../../format/country.ts'
import { useHere } from '../../parts/place.tsx'
import { Tiers } from '../../parts/price.tsx'
import { useRates } from '../../parts/rates.ts'
import { Records } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { Below, Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { WhatItCosts } from './what-it-costs.tsx'

export default function Prices() {
  const { merchant, language } = useHere()
  const isQuoted = merchant.status !== 'SUSPENDED'
  const rates = useRates()
  return (
    <Page title={t('prices')}>
      <p className="mute">{t('prices_how')}</p>
      <Read of={rates}>
        {(all) => {
          const codes = [...new Set(all.map(({ country_code }) => country_code))]
          const countries = byName(codes, language)
          return countries.length === 0 ? (
            <Empty>
              <p>{t('no_prices')}</p>
            </Empty>
          ) : (
            <>
              {isQuoted && <WhatItCosts rates={all} />}
              {countries.map((code) => (
                <Country
                  key={code}
                  isOpen={code === merchant.country || countries.length === 1}
                  name={countryName(code, language)}
                  rates={all.filter(({ country_code }) => country_code === code)}
                />
              ))}
            </>
          )
        }}
      </Read>
      {isQuoted && (
        <Below of={rates}>
          <Rates />
        </Below>
      )}
    </Page>
  )
}

type CountryProps = Readonly<{ isOpen: boolean; name: string; rates: readonly NetworkRates[] }>

function Country({ isOpen, name, rates }: CountryProps) {
  const price = ({ available, tiers }: DirectionRates, currency: string) =>
    available ? <Tiers tiers={tiers} currency={currency} /> : t('closed_now')
  return (
    <details className="record" open={isOpen}>
      <summary>{name}</summary>
      <Records
        caption={name}
        rows={rates}
        keyOf={({ network_code }) => network_code}
        columns={[
          { name: 'network', of: ({ network_name }) => network_name },
          { name: 'payments', of: ({ payin, currency }) => price(payin, currency) },
          { name: 'payouts', of: ({ payout, currency }) => price(payout, currency) },
          { name: 'top_ups', of: ({ top_up, currency }) => price(top_up, currency) },
        ]}
        card={({ network_name, payin, payout, top_up, currency }) => ({
          head: network_name,
          left: (
            <>
              <span className="line">
                {t('payments')}
                {t('colon')} {price(payin, currency)}
              </span>
              <span className="line">
                {t('payouts')}
                {t('colon')} {price(payout, currency)}
              </span>
              <span className="line">
                {t('top_ups')}
                {t('colon')} {price(top_up, currency)}
              </span>
            </>
          ),
        })}
      />
    </details>
  )
}

function Rates() {
  const { place, moment, language } = useHere()
  const list = useRead<GetExchangeRatesData, GetExchangeRatesResponse>(place, {
    url: '/exchange-rates/',
    query: { page_size: 100 },
  })
  const pair = ({ from_currency: from, to_currency: to }: ExchangeRate) =>
    t('from_to', { from, to })
  return (
    <details className="record">
      <summary>{t('exchange_rates')}</summary>
      <Read of={list}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty>
              <p>{t('no_exchange_rates')}</p>
            </Empty>
          ) : (
            <Records
              caption={t('exchange_rates')}
              rows={results}
              keyOf={({ id }) => id}
              columns={[
                { name: 'currency', of: pair },
                { name: 'rate', of: ({ rate }) => writeRate(rate, language), is: 'figure' },
                { name: 'rate_since', of: ({ effective_at }) => moment(effective_at) },
              ]}
              card={(of) => ({
                head: pair(of),
                left: writeRate(of.rate, language),
                right: moment(of.effective_at),
              })}
            />
          )
        }
      </Read>
    </details>
  )
}
