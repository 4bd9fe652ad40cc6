// Which country and network are selected when the page opens: what the payer just chose, then the
// last payment, the session's country, country and network of the payer's number, the last choice
// in this browser, and where the merchant is. A network is only preselected: the payer may choose
// any other.

import {
  type Catalogue,
  type Country,
  cards,
  countryName,
  type Network,
} from '../catalogue/catalogue.ts'
import { countryOfPhone, readAnyPhone, readPhone } from '../customers/phone.ts'
import { networkOfPhone, otherNetworkOf } from '../customers/predict-network.ts'
import type { MerchantProfile } from '../merchants/settings/profile.ts'
import type { Session } from '../orders/session.ts'
import { isAllowed } from '../planning/plan-softpay.ts'
import type { Locale } from '../platform/errors.ts'
import type { Cookie, PageInput } from '../platform/http/page-route.ts'
import type { Payment } from './visit.ts'

/** Countries with a network that takes payins, that the merchant has not excluded; by name. */
export function countriesToChoose(
  { countries, networks }: Catalogue,
  profile: Parameters<typeof isAllowed>[0],
  locale: Locale,
): Country[] {
  const served = new Set(
    networks.filter((one) => one.is_active && one.takes_payins).map((one) => one.country_id),
  )
  const nameOf = ({ iso_code, name }: Country) => countryName(iso_code, name, locale)
  return countries
    .filter((one) => served.has(one.id) && isAllowed(profile, one))
    .toSorted((a, b) => nameOf(a).localeCompare(nameOf(b), locale))
}

/**
 * The merchant's own country, where people pay in this currency: of those of whom nothing is known,
 * most are its neighbours.
 */
export function homeOf(
  { country }: Pick<MerchantProfile, 'country'>,
  currency: string,
  countries: readonly Country[],
): string | undefined {
  const home = countries.find(({ iso_code }) => iso_code === country && iso_code !== cards)
  return home?.default_currency === currency ? home.iso_code : undefined
}

const choice_cookie = 'choice'

export const rememberedChoice = (chosen: Chosen, path: string): Cookie => ({
  name: choice_cookie,
  value: `${chosen.country}.${chosen.network}`,
  path,
})

type Chosen = Readonly<{ country: string; network: string }>

export function lastChoice({ cookies }: PageInput): Chosen | undefined {
  const [, country, network] = /^([A-Z]{2})\.(\w{1,40})$/.exec(cookies[choice_cookie] ?? '') ?? []
  return country === undefined || network === undefined ? undefined : { country, network }
}

type Facts = Readonly<{
  input: PageInput
  session: Pick<Session, 'country' | 'currency' | 'customer_phone'>
  merchant: Pick<MerchantProfile, 'country'>
  payment: Payment | undefined
  /** The network that was found from the number when the form was sent. */
  seeming?: string | undefined
  /** The country that the number turned out to be of. */
  place?: string | undefined
}>

export function preselect(
  catalogue: Catalogue,
  countries: readonly Country[],
  facts: Facts,
): Readonly<{ country: Country | undefined; network: string }> {
  const { input, session, payment } = facts
  const last = lastChoice(input)
  const mobile = countries.filter((one) => one.iso_code !== cards)
  const wanted = [
    facts.place,
    input.form['country'],
    countryOfPhone(input.form['phone'] ?? ''),
    input.query['country'],
    payment?.now.transaction.country_code,
    session.country,
    countryOfPhone(session.customer_phone),
    last?.country,
    mobile.length === 1 ? mobile[0]?.iso_code : undefined,
    homeOf(facts.merchant, session.currency, countries),
  ]
  const code = wanted.find((wanted) => countries.some((one) => one.iso_code === wanted))
  const network = (code == null ? undefined : networkIn(catalogue, code, facts)) ?? last?.network
  return { country: countries.find((one) => one.iso_code === code), network: network ?? '' }
}

function networkIn(catalogue: Catalogue, country: string, facts: Facts): string | undefined {
  const { input, session, payment, seeming } = facts
  const chosen = seeming ?? input.form['network']
  // Of another country: it was chosen before the country changed.
  if (chosen !== undefined && catalogue.networkByCode(chosen)?.country_code === country) {
    return chosen
  }
  const typed = networkOfNumber(catalogue, country, input.form['phone'])
  return (
    typed ?? payment?.network?.code ?? networkOfNumber(catalogue, country, session.customer_phone)
  )
}

function networkOfNumber(
  catalogue: Catalogue,
  country: string,
  number: string | undefined,
): string | undefined {
  const reading = readPhone(number?.trim() ?? '', country)
  return reading.is === 'phone' ? networkOfPhone(catalogue, reading.e164)?.code : undefined
}

/**
 * Alpha-2 of the country whose number this is, where it is none of `country`'s: by `+` or `00`, and
 * without them by the calling codes of the `known` countries.
 */
export function otherPlaceOf(
  typed: string,
  country: string,
  known: readonly string[],
): string | undefined {
  if (country === '' || readPhone(typed, country).is === 'phone') return undefined
  const reading = readAnyPhone(typed.trim().replace(/^00/, '+'), null, known)
  if (reading.is !== 'phone') return undefined
  const place = countryOfPhone(reading.e164)
  // By its calling code alone it may still be too short, or of a form that no number there has.
  const exists = place !== undefined && readPhone(reading.e164, place).is === 'phone'
  return exists && place !== country ? place : undefined
}

// What the number says when the form is sent (contract 8.17): the network, where none was chosen,
// or that another one seems to be right. The payer sees it once, and decides.

export type Sent = Readonly<{
  country: string
  network: string
  phone: string
  /** The payer has seen what we think of this number. */
  is_seen: boolean
}>

/** `chosen`: undefined where none was. */
export type Doubt = Readonly<{ seems: Network; chosen: Network | undefined }>

/** Undefined where the payment may begin as it was sent. */
export function doubtOf(catalogue: Catalogue, sent: Sent): Doubt | undefined {
  const reading = readPhone(sent.phone, sent.country)
  if (reading.is !== 'phone') return undefined
  const seems = networkOfPhone(catalogue, reading.e164)
  if (seems === undefined || !seems.is_active || !seems.takes_payins) return undefined
  if (sent.network === '') return { seems, chosen: undefined }
  const chosen = catalogue.networkByCode(sent.network)
  if (chosen === undefined || sent.is_seen) return undefined
  return otherNetworkOf(catalogue, chosen, reading.e164) && { seems, chosen }
}

// The order of the tiles: by how common they are where that is known, then those that give out
// numbers before wallets of any number, then by code.

export function byHowCommon(a: Network, b: Network): number {
  const [rank_a, rank_b] = [a.rank ?? Number.MAX_SAFE_INTEGER, b.rank ?? Number.MAX_SAFE_INTEGER]
  const [own_a, own_b] = [Math.sign(a.prefixes.length), Math.sign(b.prefixes.length)]
  return rank_a - rank_b || own_b - own_a || a.code.localeCompare(b.code)
}
