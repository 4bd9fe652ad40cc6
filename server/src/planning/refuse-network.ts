// The refusal of a network code that is none of the country's (contract 5.2, 8.21): it names those
// of the country that would do, and the one that the code is nearest to.

import type { Catalogue, Country, Network } from '../catalogue/catalogue.ts'
import { type Refusal, refuse } from '../platform/errors.ts'
import { paymentErrors } from './errors.ts'

type Takes = 'takes_payins' | 'takes_payouts'

/** 422 `invalid_method`; `accepted` and `nearest` stand beside its message. */
export function invalidNetwork(
  { networks }: Pick<Catalogue, 'networks'>,
  country: Country,
  code: string,
  takes: Takes,
): Refusal {
  const accepted = networks
    .filter((one) => one.is_active && one[takes] && one.country_id === country.id)
    .map((one) => one.code)
  const [nearest] = accepted.toSorted((a, b) => distance(code, a) - distance(code, b))
  if (nearest === undefined) return refuse(paymentErrors.invalid_method)
  const { iso_code } = country
  const list = accepted.join(', ')
  return refuse(paymentErrors.invalid_method, {
    message: {
      en: `This network is not available in ${iso_code}: use ${list}. Did you mean ${nearest}?`,
      fr: `Ce réseau n’est pas disponible (${iso_code}) : ${list}. Vouliez-vous dire ${nearest} ?`,
    },
    extra: { accepted, nearest },
  })
}

/** An operator by itself, or in another country: `mtn`, `MTN`, `mtn_ci`. */
const operatorIn = (code: Network['code']): string =>
  code
    .toLowerCase()
    .replace(/[_-][a-z]{2}$/, '')
    .replace(/[^a-z0-9]/g, '')

/** How many characters must change, insertions and losses included. */
function distance(code: string, known: string): number {
  const [a, b] = [operatorIn(code).slice(0, 40), operatorIn(known)]
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
