// A phone number and its network: the network is guessed when the number has been typed, shown as a
// guess, and chosen otherwise by whoever knows better.

import { useRef, useState } from 'react'
import type { NetworkRates } from '../api/types.gen.ts'
import type { Failure } from '../data/call.ts'
import { errorAt, TextField } from '../ui/form.tsx'
import { t } from '../words/translate.ts'
import { type Chosen, chosenIn, currencyOf, NetworkFields } from './network-fields.tsx'
import { useHere } from './place.tsx'
import { predict } from './predict.ts'

export type NumberChoice = Readonly<{
  number: string
  chosen: Chosen
  rate: NetworkRates | undefined
  /** Of the network, or of the country while no network is chosen; `''` without either. */
  currency: string
  isGuessed: boolean
  setNumber: (number: string) => void
  setChosen: (chosen: Chosen) => void
  /** Asks whose number it is. */
  guess: () => Promise<void>
  /** What is chosen once the answer to that is there: whoever is quicker need not choose. */
  whenGuessed: () => Promise<Chosen>
  /** Somebody's number and the network that it was of. */
  take: (number: string, network: string | null) => void
}>

type Begin = Readonly<{ number: string; chosen: Chosen | undefined }>

export function useNumber(rates: readonly NetworkRates[], begin: Begin): NumberChoice {
  const { place, merchant } = useHere()
  const [number, setNumber] = useState(begin.number)
  const [chosen, setChosen] = useState(begin.chosen ?? chosenIn(rates, merchant.country))
  const [isGuessed, setIsGuessed] = useState(false)
  const latest = useRef(chosen)
  const asked = useRef({ of: '', answer: Promise.resolve() })
  const choose = (of: Chosen) => {
    latest.current = of
    setChosen(of)
  }
  const know = (network: string | null | undefined): boolean => {
    const known = rates.find(({ network_code }) => network_code === network)
    if (known) choose({ country: known.country_code, network: known.network_code })
    return known !== undefined
  }
  const guessIn = (country: string): Promise<void> => {
    const msisdn = number.trim()
    if (msisdn === '') return Promise.resolve()
    const question = { msisdn, ...(country !== '' && { country }) }
    const answer = predict(place, question).then(
      (found) => setIsGuessed(know(found?.network)),
      () => setIsGuessed(false),
    )
    asked.current = { of: msisdn, answer }
    return answer
  }
  return {
    ...{ number, chosen, isGuessed, setNumber },
    setChosen: (of) => {
      setIsGuessed(false)
      choose(of)
      // The same digits are another number there.
      if (of.country !== chosen.country) guessIn(of.country)
    },
    rate: rates.find(({ network_code }) => network_code === chosen.network),
    currency: currencyOf(rates, chosen),
    guess: () => guessIn(chosen.country),
    whenGuessed: async () => {
      // Sent by a key from within the number, nobody has asked yet.
      const isAsked = asked.current.of === number.trim()
      if (latest.current.network === '' && !isAsked) guessIn(chosen.country)
      await asked.current.answer
      return latest.current
    },
    take: (of, network) => {
      setNumber(of)
      setIsGuessed(false)
      know(network)
    },
  }
}

type Props = Readonly<{
  of: NumberChoice
  rates: readonly NetworkRates[]
  failure: Failure | undefined
  label: string
  /** What the browser may fill in: `tel` where the number is the reader's own. */
  autoComplete?: 'off' | 'tel'
  /** Of the number's and the network's fields in the API's refusals. */
  names: Readonly<{ number: string; network: 'method' | 'network' }>
}>

export const NumberFields = (props: Props) => {
  const { of, rates, failure, label, names, autoComplete = 'off' } = props
  return (
    <>
      <TextField
        label={label}
        hint={t('recipient_number_hint')}
        error={errorAt(failure, names.number)}
        name="msisdn"
        type="tel"
        autoComplete={autoComplete}
        maxLength={32}
        value={of.number}
        onInput={({ currentTarget: { value } }) => of.setNumber(value)}
        onBlur={of.guess}
        required
      />
      <NetworkFields
        {...{ rates, chosen: of.chosen, failure, onChoose: of.setChosen, name: names.network }}
        hint={of.isGuessed ? t('network_guessed') : undefined}
        isNumberTyped={of.number.trim() !== ''}
      />
    </>
  )
}
