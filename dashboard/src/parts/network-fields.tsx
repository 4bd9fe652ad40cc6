// Which country and which network: two lists, the second of those that are open in the first; and
// the code that the payer of some networks has got beforehand.

import type { NetworkRates } from '../api/types.gen.ts'
import type { Failure } from '../data/call.ts'
import { writeCurrency } from '../format/amount.ts'
import { byName, countryName } from '../format/country.ts'
import { errorAt, SelectField, TextField } from '../ui/form.tsx'
import { t } from '../words/translate.ts'
import { useHere } from './place.tsx'

export type Direction = 'payin' | 'payout' | 'top_up'
export type Chosen = Readonly<{ country: string; network: string }>

export const openTo = (rates: readonly NetworkRates[], direction: Direction): NetworkRates[] =>
  rates.filter((rate) => rate[direction].available)

/**
 * A country, and its network where it has only one. Else nobody has chosen one, and none is chosen
 * for them: money that goes to another network does not come back by itself. Without a country, or
 * where nothing there is open, neither.
 */
export function chosenIn(rates: readonly NetworkRates[], country: string | null): Chosen {
  const [first, ...others] = rates.filter(({ country_code }) => country_code === country)
  const isOnly = others.length === 0
  return { country: first?.country_code ?? '', network: (isOnly && first?.network_code) || '' }
}

/** The currency of what was chosen, which its country fixes already; `''` without a country. */
export const currencyOf = (rates: readonly NetworkRates[], { country, network }: Chosen): string =>
  (
    rates.find(({ network_code }) => network_code === network) ??
    rates.find(({ country_code }) => country_code === country)
  )?.currency ?? ''

/** Where there is no country to begin with, the list begins by asking for one. */
export const askedFirst = (country: string | null): readonly (readonly [string, string])[] =>
  country === null || country === '' ? [['', t('choose_country')]] : []

/** What the field of a sum is called; `''`: its currency is known with the country. */
export const sumLabel = (currency: string): string =>
  currency === '' ? t('how_much') : t('how_much_in', { currency: writeCurrency(currency) })

type Props = Readonly<{
  rates: readonly NetworkRates[]
  chosen: Chosen
  onChoose: (chosen: Chosen) => void
  failure: Failure | undefined
  /** Of the network's field in the API's refusals. */
  name: 'method' | 'network'
  hint?: string | undefined
  /** A number may name both a moment later: what it does not name is asked for by the API. */
  isNumberTyped: boolean
}>

export function NetworkFields(props: Props) {
  const { rates, chosen, onChoose, failure, name, hint, isNumberTyped } = props
  const { language } = useHere()
  const countries = byName([...new Set(rates.map(({ country_code }) => country_code))], language)
  const networks = rates.filter(({ country_code }) => country_code === chosen.country)
  return (
    <>
      <SelectField
        label={t('country')}
        error={errorAt(failure, 'country')}
        name="country"
        required={!isNumberTyped}
        value={chosen.country}
        onChange={({ currentTarget: { value } }) => onChoose(chosenIn(rates, value))}
        options={[
          ...askedFirst(chosen.country),
          ...countries.map((code) => [code, countryName(code, language)] as const),
        ]}
      />
      <SelectField
        label={t('network')}
        hint={hint}
        error={errorAt(failure, name)}
        name={name}
        value={chosen.network}
        onChange={({ currentTarget: { value } }) =>
          onChoose({ country: chosen.country, network: value })
        }
        options={[
          ...(chosen.network === '' ? [['', t('choose_network')] as const] : []),
          ...networks.map((rate) => [rate.network_code, rate.network_name] as const),
        ]}
      />
    </>
  )
}

type CodeProps = Readonly<{
  /** Of the network that is chosen; nothing is asked for where it wants no code. */
  rates: NetworkRates['payin'] | undefined
  failure: Failure | undefined
  autoComplete: 'off' | 'one-time-code'
}>

/** The operator's code of its payer, and how they get one: the network's own instructions. */
export const CodeField = ({ rates, failure, autoComplete }: CodeProps) =>
  rates?.otp_required === true ? (
    <TextField
      label={t('operator_code')}
      hint={rates.otp_instructions.replaceAll('{amount}', t('amount').toUpperCase())}
      error={errorAt(failure, 'otp')}
      name="otp"
      inputMode="numeric"
      autoComplete={autoComplete}
      maxLength={10}
    />
  ) : null
