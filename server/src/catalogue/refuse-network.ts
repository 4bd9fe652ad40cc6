// The refusal of a network code that is none of the country's (contract 5.2, 8.21): it names those
// of the country that would do, and the one that the code is nearest to.

import { type ErrorRow, type Refusal, refuse } from '../platform/errors.ts'
import { distance } from '../platform/nearest.ts'
import type { Catalogue, Country, Network } from './catalogue.ts'

export type WrongNetwork = Readonly<{
  country: Country
  /** What the caller wrote. */
  code: string
  takes: 'takes_payins' | 'takes_payouts'
}>

/** `invalid_method` of the caller; `accepted` and `nearest` stand beside its message. */
export function refuseNetwork(
  invalid_method: ErrorRow,
  { networks }: Pick<Catalogue, 'networks'>,
  { country, code, takes }: WrongNetwork,
): Refusal {
  const accepted = networks.filter(
    (one) => one.is_active && one[takes] && one.country_id === country.id,
  )
  const wanted = lettersOf(operatorIn(code))
  const [first] = accepted
    .map((network) => ({ network, far: distanceTo(wanted, network) }))
    .toSorted((a, b) => a.far - b.far)
  if (first === undefined) return refuse(invalid_method)
  const nearest = first.network.code
  const isClose = first.far <= Math.max(1, wanted.length / 3)
  const list = accepted.map((one) => one.code).join(', ')
  const guess = isClose
    ? { en: ` Did you mean ${nearest}?`, fr: ` Vouliez-vous dire ${nearest} ?` }
    : { en: '', fr: '' }
  const { iso_code } = country
  return refuse(invalid_method, {
    message: {
      en: `This network is not available in ${iso_code}: use ${list}.${guess.en}`,
      fr: `Ce réseau n’est pas disponible (${iso_code}) : ${list}.${guess.fr}`,
    },
    extra: { accepted: accepted.map((one) => one.code), nearest },
  })
}

/** An operator by itself, or in another country: `mtn` of `mtn_ci`. */
const operatorIn = (code: string): string => code.replace(/[_-][a-z]{2}$/i, '')

/** Lower-case letters and digits without accents, at most 40. */
const lettersOf = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 40)

/** To the code, or to what people call it: its name, a word of that, the first two's initials. */
function distanceTo(wanted: string, { code, name }: Network): number {
  const words = name.split(/\s+/).map(lettersOf)
  const initials = words.slice(0, 2).map((word) => word.slice(0, 1))
  const known = [lettersOf(operatorIn(code)), lettersOf(name), initials.join(''), ...words]
  return Math.min(...known.filter((each) => each !== '').map((each) => distance(wanted, each)))
}
