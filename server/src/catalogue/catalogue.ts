// Countries and networks: what a merchant may collect from and pay to.

import type { Locale } from '../platform/errors.ts'

export type Country = Readonly<{
  id: string
  iso_code: string
  name: string
  default_currency: string
  created_at: Date
  updated_at: Date
}>

/** Where a mark of a network is from, and of which day (`2026-07-17`). */
export type MarkSource = Readonly<{ source: string; date: string }>

export type MarkName = 'colour' | 'rank' | 'prefixes' | 'ussd'

/** What payers know an operator by; empty (a rank: null) where it is unknown. */
export type NetworkMarks = Readonly<{
  /** `#ff7900` */
  colour: string
  /** 1 for the one that most people of its country use. */
  rank: number | null
  /** What its numbers begin with, behind the calling code. */
  prefixes: readonly string[]
  /** The code that opens its menu. */
  ussd: string
  mark_sources: Readonly<Partial<Record<MarkName, MarkSource>>>
}>

/** Which of several routes is tried first: `planning/order-routes.ts`. */
export const routings = ['PRIORITY', 'COST', 'SUCCESS'] as const
export type Routing = (typeof routings)[number]

export type Network = NetworkMarks &
  Readonly<{
    id: string
    country_id: string
    country_code: string
    code: string
    name: string
    currency: string
    flow: 'push' | 'redirect'
    otp_kind: 'NONE' | 'PRE' | 'POST'
    /** What the payer does to get a code; `{amount}` is replaced by the whole amount. */
    otp_instructions: string
    takes_payins: boolean
    takes_payouts: boolean
    is_active: boolean
    collect_routing: Routing
    disburse_routing: Routing
    created_at: Date
    updated_at: Date
  }>

/** ISO 3166 gives this code to no country: the catalogue keeps under it what people pay by card. */
export const cards = 'XX'

export type Catalogue = Readonly<{
  countries: readonly Country[]
  networks: readonly Network[]
  countryByCode(iso_code: string): Country | undefined
  networkByCode(code: string): Network | undefined
}>

// What a payer dials to get a code. The catalogue has it in English; its three phrases are
// translated into French here, and anything else is shown as it is.

const french: readonly (readonly [RegExp, string])[] = [
  [
    /^Dial (\S+) and choose option (\d+) to get a payment code$/,
    'Composez $1 et choisissez l’option $2 pour obtenir un code de paiement',
  ],
  [/^Dial (\S+) to get a payment code$/, 'Composez $1 pour obtenir un code de paiement'],
  [/^Enter the code received by SMS$/, 'Entrez le code reçu par SMS'],
]

export function instructionIn(locale: Locale, instruction: string): string {
  const text = instruction.trim().replace(/\.$/, '')
  if (locale === 'en' || text === '') return text
  const translation = french.find(([form]) => form.test(text))
  return translation === undefined ? text : text.replace(translation[0], translation[1])
}

// Countries in the reader's language; what is no country (cards of anywhere) as in the catalogue.

const regions = {
  en: new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }),
  fr: new Intl.DisplayNames('fr', { type: 'region', fallback: 'none' }),
}

export const countryName = (iso_code: string, name: string, locale: Locale): string =>
  regions[locale].of(iso_code) ?? name
