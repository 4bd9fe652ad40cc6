// Which country and network are selected when the page opens: what the payer just chose, then the
// last payment, the session's country, country and network of the payer's number, and the last
// choice in this browser. A network is only preselected: the payer may choose any other.

import type { Catalogue, Country } from '../catalogue/catalogue.ts'
import { countryOfPhone, readPhone } from '../customers/phone.ts'
import { networkOfPhone } from '../customers/predict-network.ts'
import type { Session } from '../orders/session.ts'
import { isAllowed } from '../planning/plan-softpay.ts'
import type { Cookie, PageInput } from '../platform/http/page-route.ts'
import type { Payment } from './visit.ts'

/** Countries with a network that takes payins, that the merchant has not excluded. */
export function countriesToChoose(
  { countries, networks }: Catalogue,
  profile: Parameters<typeof isAllowed>[0],
): Country[] {
  const served = new Set(
    networks.filter((one) => one.is_active && one.takes_payins).map((one) => one.country_id),
  )
  return countries.filter((one) => served.has(one.id) && isAllowed(profile, one))
}

const choice_cookie = 'choice'

export const rememberedChoice = (chosen: Chosen, path: string): Cookie => ({
  name: choice_cookie,
  value: `${chosen.country}.${chosen.network}`,
  path,
})

type Chosen = Readonly<{ country: string; network: string }>

function lastChoice({ cookies }: PageInput): Chosen | undefined {
  const [, country, network] = /^([A-Z]{2})\.(\w{1,40})$/.exec(cookies[choice_cookie] ?? '') ?? []
  return country === undefined || network === undefined ? undefined : { country, network }
}

export function preselect(
  catalogue: Catalogue,
  countries: readonly Country[],
  {
    input,
    session,
    payment,
  }: Readonly<{
    input: PageInput
    session: Session
    payment: Payment | undefined
  }>,
): Readonly<{ country: Country | undefined; network: string }> {
  const last = lastChoice(input)
  const wanted = [
    input.form['country'],
    input.query['country'],
    payment?.now.transaction.country_code,
    session.country,
    countryOfPhone(session.customer_phone),
    last?.country,
    countries.length === 1 ? countries[0]?.iso_code : undefined,
  ]
  const code = wanted.find((wanted) => countries.some((one) => one.iso_code === wanted))
  const own =
    input.form['network'] ??
    payment?.network?.code ??
    (code == null ? undefined : networkOfNumber(catalogue, code, { input, session }))
  const network = own ?? last?.network ?? ''
  return { country: countries.find((one) => one.iso_code === code), network }
}

/** Of the number that was typed, otherwise of the one that the merchant gave (contract 8.17). */
function networkOfNumber(
  catalogue: Catalogue,
  country: string,
  { input, session }: Readonly<{ input: PageInput; session: Session }>,
): string | undefined {
  const reading = readPhone(input.form['phone']?.trim() || session.customer_phone, country)
  return reading.is === 'phone' ? networkOfPhone(catalogue, reading.e164)?.code : undefined
}
