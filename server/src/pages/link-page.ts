// The page of a payment link: the amount, where the payer chooses it, the number that pays, and
// what the merchant asks. It opens a session and leads to it; nothing is paid here.

import { cards } from '../catalogue/catalogue.ts'
import { LinkPayerBody } from '../checkout/links/link-body.ts'
import {
  answerFaults,
  type FoundLink,
  findLinkBySlug,
  type LinkPayer,
  requireOpen,
  sessionByLink,
} from '../checkout/links/open-link.ts'
import { countPublic } from '../checkout/public/payer.ts'
import { checkoutUrl } from '../checkout/view.ts'
import { countryOfPhone, readAnyPhone, readPhone } from '../customers/phone.ts'
import { viewProfile } from '../merchants/settings/read-settings.ts'
import { writeAmount } from '../money/format.ts'
import { takesCards } from '../planning/plan-softpay.ts'
import { Invalid } from '../platform/errors.ts'
import type { PageInput, PageReply } from '../platform/http/page-route.ts'
import { compileBody } from '../platform/http/validation.ts'
import type { Problem } from './field.ts'
import { framed } from './frame.ts'
import { idOf, type LinkVisit, linkForm, problemOf } from './link-form.ts'
import { rememberedNumber } from './own-number.ts'
import { countriesToChoose, homeOf, lastChoice, otherPlaceOf } from './preselect.ts'
import { refusedHere } from './refused-page.ts'
import { impossibleNumber } from './send-payment.ts'
import { type PageDeps, prefixOf } from './visit.ts'
import { translateIn } from './words.ts'
import { readTyped } from './write-values.ts'

export async function showLink(deps: PageDeps, input: PageInput): Promise<PageReply> {
  const own = await visit(deps, input)
  if ('is' in own) return own
  // Whoever changes its language has opened it before.
  if (!input.is_machine && input.query['lang'] === undefined) {
    const { merchant_id, id: payment_link } = own.opened.link
    deps.noteVisit({ merchant_id, payment_link })
  }
  return linkPage(own)
}

export async function openByLink(deps: PageDeps, input: PageInput): Promise<PageReply> {
  const own = await visit(deps, input)
  if ('is' in own) return own
  // Another country was chosen: the same form, with what was typed.
  if (input.form['change'] !== undefined) return linkPage(own)
  try {
    const payer = payerOf(own)
    const session = await sessionByLink(deps, own.opened, payer, input)
    const { pathname } = new URL(checkoutUrl(deps.public_url, session))
    const e164 = payer.customer.phone ?? ''
    const typed = { slug: session.slug, e164 }
    const path = `${prefixOf(deps)}/checkout`
    const cookies = e164.startsWith('+') ? [rememberedNumber(deps, typed, path)] : []
    // Without a number nothing else gives the next page the country that was chosen here.
    const query = e164 === '' && own.country !== '' ? `?country=${own.country}` : ''
    return { is: 'see', location: `${pathname}${query}`, cookies }
  } catch (error) {
    if (error instanceof Invalid) return linkPage(own, problemOf(own, error))
    return refusedHere(error, own)
  }
}

async function visit(deps: PageDeps, input: PageInput): Promise<LinkVisit | PageReply> {
  const slug = input.params['slug'] ?? ''
  const here = `${prefixOf(deps)}/pay/${encodeURIComponent(slug)}`
  try {
    await countPublic(deps, input)
    const opened = await findLinkBySlug(deps.db, slug)
    return await visitOf(deps, { input, here, opened })
  } catch (error) {
    return refusedHere(error, { input, here })
  }
}

type Opened = Pick<LinkVisit, 'input' | 'here' | 'opened'>

/** What cannot be paid says so under its merchant's name. */
async function visitOf(deps: PageDeps, own: Opened): Promise<LinkVisit | PageReply> {
  const { input, opened } = own
  const { profile, link } = opened
  const brand = {
    name: profile.brand_name || profile.name,
    colour: profile.brand_colour,
    logo: await deps.logoOf(profile),
    is_test: link.environment === 'SANDBOX',
    contact: profile.contact,
    image: viewProfile(profile, deps.public_url).logo_url ?? undefined,
  }
  try {
    requireOpen(opened)
  } catch (error) {
    return refusedHere(error, { ...own, brand })
  }
  const catalogue = await deps.catalogue(profile.catalogue_version)
  const countries = countriesToChoose(catalogue, profile, input.locale).filter(
    ({ iso_code }) => iso_code !== cards,
  )
  const wanted = [
    input.form['country'],
    lastChoice(input)?.country,
    onlyOne(countries, link),
    homeOf(profile, link.currency, countries),
  ]
  const country = wanted.find((code) => countries.some(({ iso_code }) => iso_code === code)) ?? ''
  const address = `${deps.public_url}/pay/${link.slug}`
  const takes_cards = takesCards(catalogue, profile)
  return { ...own, brand, countries, takes_cards, country, address, t: translateIn(input.locale) }
}

/** Where only one country uses the link's currency, that is where its payers are. */
function onlyOne(countries: LinkVisit['countries'], { currency }: FoundLink['link']) {
  const [first, ...more] = countries.filter((one) => one.default_currency === currency)
  return more.length === 0 ? first?.iso_code : undefined
}

const checkPayer = compileBody(LinkPayerBody)

function payerOf(own: LinkVisit): LinkPayer & { customer: { phone: string } } {
  const { input, opened } = own
  const { form } = input
  const { link } = opened
  const { first_name = '', last_name = '', email = '', amount = '' } = form
  const phone = numberOf(own)
  const customer = { email, first_name, last_name, phone: phone ?? form['phone'] ?? '' }
  const isStated = link.amount_type === 'FREE' && amount !== ''
  const custom_field_values = Object.fromEntries(
    link.custom_fields.map(({ name }) => [name, form[idOf(name)] ?? '']),
  )
  const stated = isStated ? { amount: readTyped(amount) } : {}
  const body = { ...stated, customer, custom_field_values }
  const shape = checkPayer(body)
  if (phone !== undefined && Object.keys(shape).length === 0) return body
  const text = impossibleNumber(own.country, own)
  const number = phone === undefined ? { 'customer.phone': [{ en: text, fr: text }] } : {}
  // The sum stands above the number, and the merchant's own fields below it.
  const { amount: sum, ...others } = answerFaults(link, body)
  throw new Invalid({
    ...(sum === undefined ? {} : { amount: sum }),
    ...shape,
    ...number,
    ...others,
  })
}

/** E.164, so that the session knows its country; empty where none was given; undefined: wrong. */
function numberOf({ input, country, countries }: LinkVisit): string | undefined {
  const typed = input.form['phone'] ?? ''
  if (typed === '') return ''
  const known = countries.map(({ iso_code }) => iso_code)
  const own = readPhone(typed, country)
  if (country !== '' && own.is === 'phone') return own.e164
  const any = readAnyPhone(typed.trim().replace(/^00/, '+'), null, known)
  if (any.is !== 'phone') return undefined
  const place = country === '' ? countryOfPhone(any.e164) : otherPlaceOf(typed, country, known)
  return known.includes(place ?? '') ? any.e164 : undefined
}

function linkPage(own: LinkVisit, problem?: Problem): PageReply {
  const { input, opened, brand, here, t } = own
  const { link } = opened
  const merchant = brand.name
  const amount =
    link.amount === null || link.amount_type === 'FREE'
      ? undefined
      : writeAmount(link.amount, link.currency, input.locale)
  const title = amount === undefined ? t('pay_merchant', { merchant }) : t('pay_sum', { amount })
  const ways = t(own.takes_cards ? 'ways_any' : 'ways_phone')
  return framed({
    status: problem?.status ?? 200,
    locale: input.locale,
    title: `${title} · ${merchant}`,
    here,
    brand,
    card: {
      title: `${link.name} · ${merchant}`,
      description:
        link.description ||
        (amount === undefined
          ? t('card_free', { merchant, ways })
          : t('card_link', { merchant, amount, ways })),
      address: own.address,
      image: brand.image,
    },
    body: linkForm(own, { amount, title, problem }),
  })
}
