// The form of a payment link: the sum where it is free, the number that pays, and what the merchant
// wants to know; the payer's name and e-mail are optional and folded away.

import type { Country } from '../catalogue/catalogue.ts'
import type { FoundLink } from '../checkout/links/open-link.ts'
import { callingCodeOf, exampleOf } from '../customers/phone.ts'
import { writeAmount, writeCurrency } from '../money/format.ts'
import { parseHundredths } from '../money/parse-amount.ts'
import type { CustomField } from '../orders/link.ts'
import type { Invalid, Text } from '../platform/errors.ts'
import { type Html, html } from '../platform/html.ts'
import type { PageInput } from '../platform/http/page-route.ts'
import { choiceOf, fieldOf, type Problem, submitOf, summaryOf } from './field.ts'
import type { Brand } from './frame.ts'
import { countryFold, countrySelect, firstButton, lastButton, telField } from './pay-form.ts'
import type { Translate, Word } from './words.ts'
import { readTyped, unturned } from './write-values.ts'

export type LinkVisit = Readonly<{
  input: PageInput
  opened: FoundLink
  brand: Brand & Readonly<{ image: string | undefined }>
  here: string
  /** Whole, as it is shared. */
  address: string
  countries: readonly Country[]
  takes_cards: boolean
  /** Of the number; empty: nothing shows it yet. */
  country: string
  t: Translate
}>

/** Their names have a prefix, so that none can be taken for a field of ours. */
export const idOf = (name: string): string => `own-${name}`

const places: Readonly<Record<string, readonly [string, Word]>> = {
  'customer.first_name': ['first_name', 'field_first_name'],
  'customer.last_name': ['last_name', 'field_last_name'],
  'customer.email': ['email', 'field_email'],
}

export function problemOf(own: LinkVisit, { fields }: Invalid): Problem {
  const { t, input } = own
  const errors = Object.entries(fields).map(([field, texts]) => {
    const own_field = /^custom_field_values\.(.+)$/.exec(field)?.[1]
    if (own_field !== undefined) return [idOf(own_field), labelled(own, own_field, texts)] as const
    if (field === 'customer.phone') return ['phone', numberError(own, texts)] as const
    if (field === 'amount') return ['amount', amountError(own)] as const
    const [id, word] = places[field] ?? [field]
    return [id, word === undefined ? (texts[0]?.[input.locale] ?? '') : t(word)] as const
  })
  return { status: 422, errors: Object.fromEntries(errors) }
}

const numberError = ({ t, input }: LinkVisit, texts: readonly Text[]): string =>
  (input.form['phone'] ?? '') === ''
    ? t('field_phone_needed')
    : (texts[0]?.[input.locale] ?? t('field_phone_plain'))

const field_words = {
  NUMBER: 'own_number',
  EMAIL: 'own_email',
  PHONE: 'own_phone',
  SELECT: 'own_choice',
} as const satisfies Record<Exclude<CustomField['type'], 'TEXT'>, Word>

/** The list of errors is above all fields, so each names the field it means. */
function labelled({ opened, input, t }: LinkVisit, name: string, texts: readonly Text[]): string {
  const { label = name, type = 'TEXT' } =
    opened.link.custom_fields.find((one) => one.name === name) ?? {}
  const given = input.form[idOf(name)] ?? ''
  const text =
    given.trim() === '' && type !== 'SELECT'
      ? t('own_needed')
      : type === 'TEXT'
        ? (texts[0]?.[input.locale] ?? '')
        : t(field_words[type])
  return t('wrong_in', { label: unturned(label), text })
}

/** The API answers programs; here people read. */
function amountError(own: LinkVisit): string {
  const { t, input } = own
  const { min_amount, currency } = own.opened.link
  const text = input.form['amount'] ?? ''
  if (text === '') return t('field_amount_none')
  const typed = parseHundredths(readTyped(text))
  const isBelow = min_amount !== null && typed !== undefined && typed < min_amount
  if (isBelow) return floorIn(own, 'field_amount') ?? ''
  const example = writeAmount(500_000n, currency, input.locale)
  return t('field_amount_form', { example })
}

function floorIn({ opened: { link }, input, t }: LinkVisit, word: Word): string | undefined {
  const { min_amount, currency } = link
  if (min_amount === null) return undefined
  return t(word, { amount: writeAmount(min_amount, currency, input.locale) })
}

type Shown = Readonly<{
  /** Undefined where the payer chooses it. */
  amount: string | undefined
  title: string
  problem: Problem | undefined
}>

export function linkForm(own: LinkVisit, { amount, title, problem }: Shown): Html {
  const { opened, here, t } = own
  const { link } = opened
  const errors = problem?.errors ?? {}
  return html`${summaryOf(problem, t)}<h1>${
    amount === undefined ? title : html`${t('pay')} <span class="sum">${amount}</span>`
  }</h1>
<p id="name-of-link"><b>${link.name}</b></p>
${link.description === '' ? '' : html`<p id="description" class="mute">${link.description}</p>`}
<form id="link-form" method="post" action="${here}">${firstButton}${
    link.amount_type === 'FREE' && amountField(own, errors)
  }${numberFields(own, errors)}
${link.custom_fields.map((one) => ownFieldOf(own, one, errors))}${payerFields(
  own,
  errors,
)}<p class="go">${submitOf('go-on', t('go_on'), t)}</p>${own.country === '' && lastButton}</form>`
}

type Errors = Problem['errors']

function amountField(own: LinkVisit, errors: Errors): Html {
  const { input, opened, t } = own
  return fieldOf({
    id: 'amount',
    label: t('your_amount', { currency: writeCurrency(opened.link.currency) }),
    hint: floorIn(own, 'at_least'),
    error: errors['amount'],
    value: input.form['amount'],
    more: html`inputmode="decimal" autocomplete="transaction-amount" maxlength="20" required`,
  })
}

/** Asked once: the page that follows has it. */
function numberFields(own: LinkVisit, errors: Errors): Html {
  const { input, opened, countries, country, t } = own
  const number = exampleOf(country)
  const known = countries.find(({ iso_code }) => iso_code === country)
  const place = known
    ? countryFold({ t, input }, countries, known)
    : countrySelect({ t, input }, countries, country)
  return html`${telField({
    label: t('phone'),
    hint: number === undefined ? t('phone_hint_plain') : t('phone_example', { number }),
    error: errors['phone'],
    value: input.form['phone'] ?? '',
    code: callingCodeOf(country),
    required: opened.link.require_phone,
  })}${place}`
}

function payerFields({ input, t }: LinkVisit, errors: Errors): Html {
  const field = (id: string, label: string, more: Html) =>
    fieldOf({ id, label, error: errors[id], value: input.form[id], more })
  const isOpen = ['first_name', 'last_name', 'email'].some(
    (id) => errors[id] !== undefined || (input.form[id] ?? '') !== '',
  )
  return html`<details id="about-you"${isOpen && html` open`}><summary>${t('about_you')}</summary>
${field('first_name', t('first_name'), html`autocomplete="given-name" maxlength="100"`)}${field(
  'last_name',
  t('last_name'),
  html`autocomplete="family-name" maxlength="100"`,
)}${field(
  'email',
  t('your_email'),
  html`type="email" autocomplete="email" maxlength="254"`,
)}</details>`
}

const inputs: Readonly<Record<Exclude<CustomField['type'], 'SELECT'>, Html>> = {
  TEXT: html`type="text" maxlength="255"`,
  NUMBER: html`type="text" inputmode="decimal" maxlength="30"`,
  EMAIL: html`type="email" maxlength="254"`,
  PHONE: html`type="tel" maxlength="40"`,
}

/** A field that the merchant added. */
function ownFieldOf(
  { input, t }: LinkVisit,
  { name, label, type, required, options }: CustomField,
  errors: Errors,
): Html {
  const id = idOf(name)
  const hint = required ? undefined : t('not_needed')
  const shown = { id, label, hint, error: errors[id], value: input.form[id] }
  if (type === 'SELECT') return choiceOf({ ...shown, options, required, none: t('choose_one') })
  return fieldOf({ ...shown, more: html`${inputs[type]}${required && html` required`}` })
}
