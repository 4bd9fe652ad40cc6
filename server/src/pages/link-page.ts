// The page of a payment link: the amount, where the payer chooses it, and the payer's details. It
// opens a session and leads to it; nothing is paid here.

import { LinkPayerBody } from '../checkout/links/link-body.ts'
import { type LinkPayer, openLink, sessionByLink } from '../checkout/links/open-link.ts'
import { countPublic } from '../checkout/public/payer.ts'
import { checkoutUrl } from '../checkout/view.ts'
import { writeAmount, writeCurrency } from '../money/format.ts'
import { parseHundredths } from '../money/parse-amount.ts'
import type { CustomField, Link } from '../orders/link.ts'
import { Invalid, type Text } from '../platform/errors.ts'
import { type Html, html } from '../platform/html.ts'
import type { PageInput, PageReply } from '../platform/http/page-route.ts'
import { compileBody } from '../platform/http/validation.ts'
import { choiceOf, fieldOf, type Problem, submitOf, summaryOf } from './field.ts'
import { type Brand, framed } from './frame.ts'
import { refusedHere } from './refused-page.ts'
import { type PageDeps, prefixOf } from './visit.ts'
import { type Translate, translateIn, type Word } from './words.ts'
import { readTyped } from './write-values.ts'

type OpenLink = Awaited<ReturnType<typeof openLink>>

type Visit = Readonly<{
  input: PageInput
  opened: OpenLink
  brand: Brand
  here: string
  t: Translate
}>

export async function showLink(deps: PageDeps, input: PageInput): Promise<PageReply> {
  const own = await visit(deps, input)
  return 'is' in own ? own : linkPage(own)
}

export async function openByLink(deps: PageDeps, input: PageInput): Promise<PageReply> {
  const own = await visit(deps, input)
  if ('is' in own) return own
  try {
    const session = await sessionByLink(deps, own.opened, payerOf(own))
    const { pathname } = new URL(checkoutUrl(deps.public_url, session))
    return { is: 'see', location: pathname }
  } catch (error) {
    if (error instanceof Invalid) return linkPage(own, problemOf(own, error))
    return refusedHere(error, own)
  }
}

async function visit(deps: PageDeps, input: PageInput): Promise<Visit | PageReply> {
  const slug = input.params['slug'] ?? ''
  const here = `${prefixOf(deps)}/pay/${encodeURIComponent(slug)}`
  try {
    await countPublic(deps, input)
    const opened = await openLink(deps.db, slug)
    const { profile, link } = opened
    const brand = {
      name: profile.brand_name || profile.name,
      colour: profile.brand_colour,
      logo: await deps.logoOf(profile),
      is_test: link.environment === 'SANDBOX',
    }
    return { input, opened, brand, here, t: translateIn(input.locale) }
  } catch (error) {
    return refusedHere(error, { input, here })
  }
}

const checkPayer = compileBody(LinkPayerBody)

function payerOf({ input: { form }, opened: { link } }: Visit): LinkPayer {
  const { first_name = '', last_name = '', email = '', phone = '', amount = '' } = form
  const customer = { email, first_name, last_name, phone }
  const isStated = link.amount_type === 'FREE' && amount !== ''
  const custom_field_values = valuesIn(form, link)
  const stated = isStated ? { amount: readTyped(amount) } : {}
  const body = { ...stated, customer, custom_field_values }
  const fields = checkPayer(body)
  if (Object.keys(fields).length > 0) throw new Invalid(fields)
  return body
}

/** Their names have a prefix, so that none can be taken for a field of ours. */
const idOf = (name: string): string => `own-${name}`

const valuesIn = (form: PageInput['form'], { custom_fields }: Link) =>
  Object.fromEntries(custom_fields.map(({ name }) => [name, form[idOf(name)] ?? '']))

const places: Readonly<Record<string, readonly [string, Word]>> = {
  'customer.first_name': ['first_name', 'field_first_name'],
  'customer.last_name': ['last_name', 'field_last_name'],
  'customer.email': ['email', 'field_email'],
  'customer.phone': ['phone', 'field_phone'],
}

function problemOf(own: Visit, { fields }: Invalid): Problem {
  const { t, input } = own
  const errors = Object.entries(fields).map(([field, texts]) => {
    const own_field = /^custom_field_values\.(.+)$/.exec(field)?.[1]
    if (own_field !== undefined) return [idOf(own_field), labelled(own, own_field, texts)] as const
    const [id, word] = places[field] ?? [field]
    if (word !== undefined) return [id, t(word)] as const
    const below = id === 'amount' ? belowOf(own) : undefined
    return [id, below ?? texts[0]?.[input.locale] ?? ''] as const
  })
  return { status: 422, errors: Object.fromEntries(errors) }
}

/** The list of errors is above all fields, so each names the field it means. */
function labelled({ opened, input, t }: Visit, name: string, texts: readonly Text[]): string {
  const { label = name } = opened.link.custom_fields.find((one) => one.name === name) ?? {}
  return t('wrong_in', { label, text: texts[0]?.[input.locale] ?? '' })
}

/** The API writes the floor as programs do. */
function belowOf(own: Visit): string | undefined {
  const { min_amount } = own.opened.link
  const typed = parseHundredths(readTyped(own.input.form['amount'] ?? ''))
  const isBelow = min_amount !== null && typed !== undefined && typed < min_amount
  return isBelow ? describeFloor(own, 'field_amount') : undefined
}

function describeFloor({ opened: { link }, input, t }: Visit, word: Word): string | undefined {
  const { min_amount, currency } = link
  if (min_amount === null) return undefined
  return t(word, { amount: writeAmount(min_amount, currency, input.locale) })
}

function linkPage(own: Visit, problem?: Problem): PageReply {
  const { input, opened, brand, here, t } = own
  const { link } = opened
  const merchant = brand.name
  const title =
    link.amount === null || link.amount_type === 'FREE'
      ? t('pay_merchant', { merchant })
      : t('pay_amount', { amount: writeAmount(link.amount, link.currency, input.locale) })
  return framed({
    status: problem?.status ?? 200,
    locale: input.locale,
    title: `${title} · ${merchant}`,
    here,
    brand,
    body: html`${summaryOf(problem, t)}<h1>${title}</h1>
<p id="name-of-link"><b>${link.name}</b></p>
${link.description === '' ? '' : html`<p id="description">${link.description}</p>`}
<form id="link-form" method="post" action="${here}">${fieldsOf(own, problem)}
${submitOf('go-on', t('go_on'), t)}</form>`,
  })
}

function fieldsOf(own: Visit, problem?: Problem) {
  const { input, opened, t } = own
  const { link } = opened
  const errors = problem?.errors ?? {}
  const currency = writeCurrency(link.currency, input.locale)
  const field = (id: string, label: string, more: Html, hint?: string) =>
    fieldOf({ id, label, hint, error: errors[id], value: input.form[id], more })
  const sum = html`inputmode="decimal" autocomplete="transaction-amount" maxlength="20" required`
  return html`${
    link.amount_type === 'FREE' &&
    field('amount', t('your_amount', { currency }), sum, describeFloor(own, 'at_least'))
  }${field(
    'first_name',
    t('first_name'),
    html`autocomplete="given-name" maxlength="100"`,
    t('not_needed'),
  )}${field(
    'last_name',
    t('last_name'),
    html`autocomplete="family-name" maxlength="100"`,
    t('not_needed'),
  )}${field(
    'email',
    t('your_email'),
    html`type="email" autocomplete="email" maxlength="254"`,
    t('not_needed'),
  )}${field(
    'phone',
    t(link.require_phone ? 'your_phone_needed' : 'your_phone'),
    html`type="tel" autocomplete="tel" maxlength="40"${link.require_phone && html` required`}`,
  )}${link.custom_fields.map((one) => ownFieldOf(own, one, errors))}`
}

const inputs: Readonly<Record<Exclude<CustomField['type'], 'SELECT'>, Html>> = {
  TEXT: html`type="text" maxlength="255"`,
  NUMBER: html`type="text" inputmode="decimal" maxlength="30"`,
  EMAIL: html`type="email" maxlength="254"`,
  PHONE: html`type="tel" maxlength="40"`,
}

/** A field that the merchant added. */
function ownFieldOf(
  { input, t }: Visit,
  { name, label, type, required, options }: CustomField,
  errors: Problem['errors'],
): Html {
  const id = idOf(name)
  const hint = required ? undefined : t('not_needed')
  const shown = { id, label, hint, error: errors[id], value: input.form[id] }
  if (type === 'SELECT') return choiceOf({ ...shown, options, required, none: t('choose_one') })
  return fieldOf({ ...shown, more: html`${inputs[type]}${required && html` required`}` })
}
