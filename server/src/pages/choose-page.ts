// Where a payment begins: the number, its network with the fee, and the sum. It is also where a
// failed payment is tried again. Cards have a page of their own, at the "country" of cards.

import { failureText } from '../attempts/failure-texts.ts'
import { type Country, cards } from '../catalogue/catalogue.ts'
import { networksForPayer } from '../checkout/public/act-as-payer.ts'
import { keptIn } from '../checkout/public/list-networks.ts'
import { writeAmount } from '../money/format.ts'
import { takesCards } from '../planning/plan-softpay.ts'
import type { Locale } from '../platform/errors.ts'
import { type Html, html } from '../platform/html.ts'
import type { PageReply } from '../platform/http/page-route.ts'
import { type Problem, summaryOf } from './field.ts'
import { framed } from './frame.ts'
import { crossMark } from './marks.ts'
import { keptNumber } from './own-number.ts'
import { cardForm, countryForm, type Offer, payForm } from './pay-form.ts'
import { countriesToChoose, preselect } from './preselect.ts'
import { footOf, type PageDeps, type Payment, type Visit } from './visit.ts'
import { translateIn } from './words.ts'
import { writeDecimal } from './write-values.ts'

export type Choosing = Readonly<{
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
  const countries = countriesToChoose(catalogue, checkout.profile, input.locale)
  const seeming = problem?.doubt?.seems.code
  const place = problem?.place
  const facts = { input, session, merchant: checkout.profile, payment, seeming, place }
  const { country, network } = preselect(catalogue, countries, facts)
  const amount = writeAmount(session.amount, session.currency, input.locale)
  const title = t('pay_sum', { amount })
  const ways = t(takesCards(catalogue, checkout.profile) ? 'ways_any' : 'ways_phone')
  const offer = country && (await offerOf(deps, choosing, { countries, country, network }))
  return framed({
    status: problem?.status ?? 200,
    locale: input.locale,
    title: `${title} · ${brand.name}`,
    here: country === undefined ? visit.here : `${visit.here}?country=${country.iso_code}`,
    brand,
    card: {
      title: `${title} · ${brand.name}`,
      description: session.description || t('card_free', { merchant: brand.name, ways }),
      address: `${deps.public_url}/checkout/${session.slug}`,
      image: brand.image,
    },
    foot: footOf(deps, visit),
    body: html`${summaryOf(problem, t)}${payment && failure(visit, payment)}
${headingOf(choosing, offer, amount)}
${session.description !== '' && html`<p id="description" class="mute">${session.description}</p>`}
${offer === undefined ? countryForm(choosing, countries) : formOf(choosing, offer)}
${otherWay(visit, countries, country)}`,
  })
}

type Chosen = Pick<Offer, 'countries' | 'country' | 'network'>

async function offerOf(
  deps: PageDeps,
  { visit, payment }: Choosing,
  { countries, country, network }: Chosen,
): Promise<Offer> {
  const { checkout, input } = visit
  const { session } = checkout.target
  const catalogue = await deps.catalogue(checkout.profile.catalogue_version)
  const number = payment?.attempt.operation_msisdn || session.customer_phone
  return {
    countries,
    country,
    network,
    listed: await networksForPayer(deps, checkout, input, {
      country: country.iso_code,
      payment: payment?.now.transaction,
    }),
    byCode: (code) => catalogue.networkByCode(code),
    now_ms: deps.clock(),
    kept: keptNumber(deps, { input, slug: session.slug }, { number, country: country.iso_code }),
  }
}

const formOf = (choosing: Choosing, offer: Offer): Html =>
  offer.country.iso_code === cards ? cardForm(choosing, offer) : payForm(choosing, offer)

/**
 * Where the payer's currency is another one, the sum in theirs stands beside it; that of a retry
 * was converted when its payment began.
 */
function headingOf({ visit, payment }: Choosing, offer: Offer | undefined, amount: string): Html {
  const { checkout, t, input } = visit
  const own = offer?.listed
  const kept = offer && keptIn(offer.country.iso_code, payment?.now.transaction)
  const differs =
    own?.exchange_rate_error === null && own.currency !== checkout.target.session.currency
  const there = differs && writeDecimal(own.amount, own.currency, input.locale)
  return html`<h1>${t('pay')} <span class="sum">${amount}</span></h1>${
    there !== false &&
    there !== amount &&
    html`<p id="converted">${kept === undefined ? t('card_sum', { amount: there }) : there}</p>`
  }`
}

function otherWay({ t, here }: Visit, countries: readonly Country[], country?: Country): Html {
  if (country?.iso_code === cards) {
    return html`<p><a id="by-phone" class="link" href="${here}">${t('by_phone')}</a></p>`
  }
  if (!countries.some((one) => one.iso_code === cards)) return html``
  const address = `${here}?country=${cards}`
  return html`<p><a id="by-card" class="link" href="${address}">${t('by_card')}</a></p>`
}

function failure({ t, input }: Visit, { state }: Payment): Html {
  const [why, then] = failureWords(state.failure_code, input.locale)
  return html`<div id="failure" class="bad" role="alert"><div class="head">${crossMark(24)}
<h2>${t('failed_title')}</h2></div><p id="reason">${why}</p><p>${then}</p></div>`
}

// Why a payment failed, and what the payer does now. Where the cause is unknown, the payer asks
// before paying again; everywhere else they may try again at once.

function failureWords(code: string, locale: Locale): readonly [why: string, then: string] {
  const t = translateIn(locale)
  if (code === 'UNKNOWN') return [t('failed_unknown'), t('failed_ask')]
  return [failureText(code, locale) || t('failed_plain'), t('failed_again')]
}
