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
  /** As it is sent. */
  bare: string
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

/** Whose a number is: what was asked last. `of`: that number; its answer is what counts of it. */
type Question = { of: string; answer: Promise<void> }

/** Between digits, and in copied contacts: the API leaves them out too. */
const separators = /[\s\p{Pd}\p{Ps}\p{Pe}\p{Cf}./\u2212]/gu

/** The same however it is spaced. */
export const bareOf = (number: string): string => number.replace(separators, '')

/** With its country's code or without, and before that country's numbers were made longer. */
export const ownDigits = (bare: string): string => bare.slice(-8)

const unasked = (of = ''): Question => ({ of, answer: Promise.resolve() })

/** A number that comes with its network is not asked about. */
const begunWith = ({ number, chosen }: Begin): Question =>
  unasked((chosen?.network ?? '') === '' ? '' : number.trim())

/**
 * Kept where its form may be left and come back to: what was a guess before is one after that.
 */
export function useNumber(rates: readonly NetworkRates[], begin: Begin): NumberChoice {
  const { place, merchant } = useHere()
  const [number, writeNumber] = useState(begin.number)
  const [chosen, setChosen] = useState(begin.chosen ?? chosenIn(rates, merchant.country))
  const [isGuessed, setIsGuessed] = useState(false)
  const latest = useRef(chosen)
  const asked = useRef(begunWith(begin))
  const choose = (of: Chosen) => {
    latest.current = of
    setChosen(of)
  }
  const know = (network: string | null | undefined): boolean => {
    const known = rates.find(({ network_code }) => network_code === network)
    if (known) choose({ country: known.country_code, network: known.network_code })
    return known !== undefined
  }
  const isAsked = (): boolean => asked.current.of === number.trim()
  const guessIn = (country: string): Promise<void> => {
    const msisdn = number.trim()
    if (msisdn === '') return Promise.resolve()
    const question = unasked(msisdn)
    asked.current = question
    const learn = (found: string | null | undefined, then: Question) => {
      // Late, it says nothing of another number, and takes nobody's choice from them.
      if (asked.current !== question) return
      asked.current = then
      const isFound = know(found)
      // What was guessed of the number before counts for no other.
      if (!isFound && isGuessed) choose(chosenIn(rates, latest.current.country))
      setIsGuessed(isFound)
    }
    question.answer = predict(place, { msisdn, ...(country !== '' && { country }) }).then(
      (found) => learn(found?.network, question),
      () => learn(undefined, unasked()),
    )
    return question.answer
  }
  return {
    ...{ number, bare: bareOf(number), chosen, isGuessed },
    setNumber: (of) => {
      asked.current = unasked()
      writeNumber(of)
    },
    setChosen: (of) => {
      // Whoever chooses need not be asked for, however often the number is left after that.
      asked.current = unasked(number.trim())
      setIsGuessed(false)
      choose(of)
      // The same digits are another number there.
      if (of.country !== chosen.country) guessIn(of.country)
    },
    rate: rates.find(({ network_code }) => network_code === chosen.network),
    currency: currencyOf(rates, chosen),
    guess: () => (isAsked() ? asked.current.answer : guessIn(chosen.country)),
    whenGuessed: async () => {
      // Sent by a key from within the number, nobody has asked yet.
      const isOpen = latest.current.network === '' || isGuessed
      if (isOpen && !isAsked()) guessIn(chosen.country)
      await asked.current.answer
      return latest.current
    },
    take: (of, network) => {
      writeNumber(of)
      setIsGuessed(false)
      asked.current = unasked(know(network) ? of.trim() : '')
      // Its network is closed: none that was of another number takes its place.
      if (asked.current.of === '') choose(chosenIn(rates, latest.current.country))
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
