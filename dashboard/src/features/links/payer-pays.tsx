// What the customer pays by a link of a fixed sum, network by network, and what of it arrives: as
// the API quotes it, asked for when somebody wants to know.

import { useState } from 'react'
import type { GetQuotesData, GetQuotesResponse, PaymentLink } from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { countryName } from '../../format/country.ts'
import { useHere } from '../../parts/place.tsx'
import { useRates } from '../../parts/rates.ts'
import { type FactRow, Facts } from '../../ui/facts.tsx'
import { Button } from '../../ui/form.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

type Fixed = Readonly<{ amount: string; currency: string }>

export function PayerPays({ link: { amount, currency } }: { link: PaymentLink }) {
  const { merchant } = useHere()
  const [isShown, setIsShown] = useState(false)
  if (amount === null || merchant.status === 'SUSPENDED') return null
  return (
    <section>
      <h2>{t('link_pays')}</h2>
      {isShown ? (
        <Networks of={{ amount, currency }} />
      ) : (
        <Button look="plain" onClick={() => setIsShown(true)}>
          {t('show')}
        </Button>
      )}
    </section>
  )
}

/** Of the merchant's own country, or of the first one where the currency is another's. */
function Networks({ of }: { of: Fixed }) {
  const { merchant, language } = useHere()
  return (
    <Read of={useRates()}>
      {(rates) => {
        const open = rates.filter(
          ({ payin, currency }) => payin.available && currency === of.currency,
        )
        const own = open.find(({ country_code }) => country_code === merchant.country)
        const country = (own ?? open[0])?.country_code
        if (country === undefined) return <Empty>{t('no_payment_network')}</Empty>
        const rows = open
          .filter(({ country_code }) => country_code === country)
          .map(
            ({ network_code, network_name }): FactRow => [
              network_name,
              <Pays key={network_code} of={of} country={country} network={network_code} />,
            ],
          )
        return (
          <>
            <p className="mute small">{countryName(country, language)}</p>
            <Facts of={rows} />
          </>
        )
      }}
    </Read>
  )
}

type PaysProps = Readonly<{ of: Fixed; country: string; network: string }>

function Pays({ of, country, network }: PaysProps) {
  const { place, amount } = useHere()
  const query = { kind: 'PAYIN', country, network, ...of } as const
  const reading = useRead<GetQuotesData, GetQuotesResponse>(place, { url: '/quotes/', query })
  return (
    <Read of={reading}>
      {({ charged, net, currency, net_currency }) =>
        t('link_pays_so', { charged: amount(charged, currency), net: amount(net, net_currency) })
      }
    </Read>
  )
}
