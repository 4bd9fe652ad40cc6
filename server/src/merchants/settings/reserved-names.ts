// Names that a payer would take for an operator's or a bank's: no merchant takes one without
// review; staff, who have seen the papers, may give it. Words are compared whole, without case and
// accents.

import { networkNames } from '../../catalogue/network-names.ts'
import type { Sql } from '../../platform/db.ts'
import { Invalid, type Text } from '../../platform/errors.ts'

/** Short names of operators, banks and carriers of money of the region, and the platform's own. */
const known = [
  'mtn',
  'momo',
  'moov',
  'orange money',
  'airtel',
  'wave',
  'mixx by yas',
  'togocom',
  'togocel',
  'm pesa',
  'vodacom',
  'free money',
  'visa',
  'mastercard',
  'bceao',
  'beac',
  'ecobank',
  'uba',
  'boa',
  'bank of africa',
  'orabank',
  'coris',
  'nsia',
  'banque atlantique',
  'societe generale',
  'western union',
  'moneygram',
  'paypal',
  'pirogue',
]

const folded = (text: string): string =>
  ` ${text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `

/** The first two words of a network's name: what follows them is its country. */
const brandOf = (network: string): string => folded(network).trim().split(' ').slice(0, 2).join(' ')

const reserved: Text = {
  en: 'Contains the name of an operator or a bank. Contact support if it is yours.',
  fr: 'Contient le nom d’un opérateur ou d’une banque. Contactez le support si c’est le vôtre.',
}

/** `names`: by the field of the body; those that stay as they were are not given. */
export async function requireUnreserved(
  sql: Sql,
  names: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const given = Object.entries(names).flatMap(([field, name]) => (name ? [{ field, name }] : []))
  if (given.length === 0) return
  const words = [...known, ...(await networkNames(sql)).map(brandOf)]
  const isReserved = (name: string) => words.some((word) => folded(name).includes(` ${word} `))
  const wrong = given.filter(({ name }) => isReserved(name)).map(({ field }) => [field, [reserved]])
  if (wrong.length > 0) throw new Invalid(Object.fromEntries(wrong))
}
