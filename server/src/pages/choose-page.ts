// Where a payment begins: country, network with its fee and total, number, and the code that some
// networks want first. It is also where a failed payment is tried again.

import { failureText } from '../attempts/failure-texts.ts'
import { type Country, instructionIn, type Network } from '../catalogue/catalogue.ts'
import { networksForPayer } from '../checkout/public/act-as-payer.ts'
import { callingCodeOf, readPhone, writeHiddenPhone } from '../customers/phone.ts'
import { writeAmount } from '../money/format.ts'
import type { Locale } from '../platform/errors.ts'
import { type Html, html } from '../platform/html.ts'
import type { PageReply } from '../platform/http/page-route.ts'
import { ariaOf, errorOf, fieldOf, type Problem, submitOf, summaryOf } from './field.ts'
import { framed } from './frame.ts'
import { networkMark } from './marks.ts'
import { countriesToChoose, preselect } from './preselect.ts'
import type { PageDeps, Payment, Visit } from './visit.ts'
import { translateIn } from './words.ts'
import { countryName, writeDecimal } from './write-values.ts'

type Choosing = Readonly<{
  visit: Visit
  /** The one that failed. */
  payment: Payment | undefined
  problem: Problem | undefined
}>

export async function choosePage(deps: PageDeps, choosing: Choosing): Promise<PageReply> {
  const { visit, payment, problem } = choosing
  const { checkout, input, t, brand } = visit
  const { session } = checkout.target
  const catalogue = await deps.catalogue(checkout.profile.catalogue_version)
  const countries = countriesToChoose(catalogue, checkout.profile)
  const { country, network } = preselect(catalogue, countries, { input, session, payment })
  const amount = writeAmount(session.amount, session.currency, input.locale)
  const title = t('pay_amount', { amount })
  const listed = country && (await networksForPayer(deps, checkout, input, country.iso_code))
  const byCode = (code: string) => catalogue.networkByCode(code)
  return framed({
    status: problem?.status ?? 200,
    locale: input.locale,
    title: `${title} · ${brand.name}`,
    here: country === undefined ? visit.here : `${visit.here}?country=${country.iso_code}`,
    brand,
    body: html`${summaryOf(problem, t)}${payment && failure(visit, payment)}
<h1>${title}</h1>
${session.description === '' ? '' : html`<p id="description">${session.description}</p>`}
${countryForm(visit, countries, country)}
${listed && country && payForm(choosing, { country, network, listed, byCode })}`,
  })
}

function failure({ t, input }: Visit, { state }: Payment): Html {
  const [why, then] = failureWords(state.failure_code, input.locale)
  return html`<div id="failure" class="bad" role="alert"><h2>${t('failed_title')}</h2>
<p id="reason">${why}</p><p>${then}</p></div>`
}

function countryForm(
  { t, here, input }: Visit,
  countries: readonly Country[],
  chosen: Country | undefined,
): Html {
  const options = countries.map(
    ({ iso_code, name }) =>
      html`<option value="${iso_code}"${
        iso_code === chosen?.iso_code && html` selected`
      }>${countryName(iso_code, name, input.locale)}</option>`,
  )
  const none = chosen === undefined && html`<option value="">${t('choose_country')}</option>`
  return html`<form id="country-form" action="${here}" class="field">
<label for="country">${t('country')}</label>
<select id="country" name="country" required>${none}${options}</select>
<button class="second">${t('show_networks')}</button></form>`
}

type Listed = Awaited<ReturnType<typeof networksForPayer>>

type Offer = Readonly<{
  country: Country
  network: string
  listed: Listed
  byCode: (code: string) => Network | undefined
}>

function payForm(choosing: Choosing, offer: Offer): Html {
  const { t, here } = choosing.visit
  const { country, listed } = offer
  if (listed.exchange_rate_error !== null) return html`<p class="note">${t('no_rate')}</p>`
  if (!listed.networks.some((one) => !one.unavailable)) {
    return html`<p class="note">${t('no_networks')}</p>`
  }
  const errors = choosing.problem?.errors ?? {}
  return html`<form id="pay-form" method="post" action="${here}/pay">
<input type="hidden" name="country" value="${country.iso_code}">
<fieldset id="network"${ariaOf('network', { error: errors['network'] })}>
<legend>${t('choose_network')}</legend>${errorOf('network', errors['network'])}
${listed.networks.map((row) => networkRow(choosing, offer, row))}</fieldset>
${phoneField(choosing, country)}
${submitOf('pay', t(choosing.payment === undefined ? 'pay_now' : 'try_again'), t)}</form>`
}

type Row = Listed['networks'][number]

function networkRow({ visit, problem }: Choosing, offer: Offer, row: Row): Html {
  const { t, input } = visit
  const id = `network-${row.code}`
  const checked = row.code === offer.network || offer.listed.networks.length === 1
  const state = row.unavailable ? html` disabled` : checked ? html` checked` : ''
  const wantsCode = offer.byCode(row.code)?.otp_kind === 'PRE' && !row.unavailable
  const otp = {
    id: `otp_${row.code}`,
    label: t('code_first'),
    hint: `${instructionIn(input.locale, row.otp_instructions)}.`,
    error: problem?.errors[`otp_${row.code}`],
    more: html`inputmode="numeric" autocomplete="one-time-code" maxlength="12"`,
  }
  return html`<div class="net"><input type="radio" name="network" id="${id}" value="${row.code}"
 required${state}><label for="${id}">${networkMark(row)}<span>${row.name}
<small>${priceOf(visit, offer.listed, row)}</small></span></label>${
    wantsCode && html`<div class="code">${fieldOf(otp)}</div>`
  }</div>`
}

/** Shown before the choice: what leaves the payer's account, and the fee in it. */
function priceOf({ t, input }: Visit, { amount }: Listed, row: Row): string {
  if (row.total === null || row.fee === null) return t('unavailable')
  const write = (decimal: string) => writeDecimal(decimal, row.currency, input.locale)
  const fee = row.total === amount ? t('no_fee') : t('with_fee', { fee: write(row.fee) })
  return `${t('you_pay', { total: write(row.total) })} · ${fee}`
}

function phoneField({ visit, problem }: Choosing, { iso_code }: Country): Html {
  const { t, checkout, input } = visit
  const code = callingCodeOf(iso_code)
  const reading = readPhone(checkout.target.session.customer_phone, iso_code)
  const own = reading.is === 'phone' && t('phone_kept', { phone: writeHiddenPhone(reading.e164) })
  const form = code === undefined ? t('phone_hint_plain') : t('phone_hint', { code })
  return fieldOf({
    id: 'phone',
    label: t('phone'),
    hint: own === false ? form : `${form} ${own}`,
    error: problem?.errors['phone'],
    value: input.form['phone'],
    more: html`type="tel" autocomplete="tel" maxlength="40"${own === false && html` required`}`,
  })
}

// Why a payment failed, and what the payer does now. Where the cause is unknown, the payer asks
// before paying again; everywhere else they may try again at once.

export function failureWords(code: string, locale: Locale): readonly [why: string, then: string] {
  const t = translateIn(locale)
  if (code === 'UNKNOWN') return [t('failed_unknown'), t('failed_ask')]
  return [failureText(code, locale) || t('failed_plain'), t('failed_again')]
}
