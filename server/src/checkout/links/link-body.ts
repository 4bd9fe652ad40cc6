// The bodies of a link (contract: PaymentLink): what is written, and what a PUT must name. Amount
// type and amount are not compared with each other: the merchant keeps them consistent.

import { type Static, Type } from 'typebox'
import { isCurrency } from '../../money/currency.ts'
import { amountFaultText, parseAmount, parseDecimal } from '../../money/parse-amount.ts'
import { amountTypes, type Link, type LinkForm, type WritableLink } from '../../orders/link.ts'
import { AmountInput, CurrencyInput, payerFields } from '../../planning/softpay-body.ts'
import { assert, type FieldErrors, type Text } from '../../platform/errors.ts'
import { dateOf } from '../../platform/http/formats.ts'
import { WebAddressInput } from '../session-body.ts'
import { CustomFieldsInput, fieldFaults, fieldsOf, ValuesInput } from './custom-fields.ts'

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

const name_max = 150
const description_max = 255
const usage_limit_max = 2_147_483_647

/**
 * What a PUT must name (contract 6.2). It gets none more: callers that were right would be refused.
 * A new field goes into `form`.
 */
const fields = {
  name: Type.String({ minLength: 1, maxLength: name_max, pattern: '\\S' }),
  description: Type.String({ maxLength: description_max }),
  amount_type: Type.Enum([...amountTypes]),
  amount: orNull(AmountInput),
  min_amount: orNull(AmountInput),
  currency: CurrencyInput,
  is_active: Type.Boolean(),
  expires_at: orNull(Type.String({ format: 'date-time' })),
  usage_limit: orNull(Type.Integer({ minimum: 1, maximum: usage_limit_max })),
}

const trackerId = Type.String({
  pattern: '^[A-Za-z0-9_./-]{0,100}$',
  description: 'Stored and returned; our pages never load a tracker.',
  'x-message': {
    en: 'Must have at most 100 letters, digits, _, -, / or full stops.',
    fr: 'Doit avoir au plus 100 lettres, chiffres, _, -, / ou points.',
  },
})

/** What a PUT may leave out: then it stays as it was (contract 8.3). */
const form = {
  custom_fields: orNull(CustomFieldsInput),
  require_phone: Type.Boolean(),
  redirect_url: orNull(WebAddressInput),
  show_confirmation_page: Type.Boolean(),
  facebook_pixel_id: orNull(trackerId),
  google_ads_id: orNull(trackerId),
}
const optionalForm = Type.Partial(Type.Object(form)).properties

const { name, currency, ...optional } = fields

export const LinkBody = Type.Object(
  { name, currency, ...Type.Partial(Type.Object(optional)).properties, ...optionalForm },
  { title: 'PaymentLinkCreate' },
)
export type LinkBody = Static<typeof LinkBody>

export const LinkChange = Type.Partial(Type.Object({ ...fields, ...form }), {
  title: 'PaymentLinkChange',
})
export type LinkChange = Static<typeof LinkChange>

export const LinkReplacement = Type.Object(
  { ...fields, ...optionalForm },
  { title: 'PaymentLinkReplacement' },
)

type LinkFields = Readonly<Record<string, unknown>>

const notACurrency: Text = {
  en: 'Must be an ISO 4217 currency code such as XOF.',
  fr: 'Doit être un code de devise ISO 4217 comme XOF.',
}

/**
 * What the schema cannot express: amounts are whole where the currency, if it is sent, has no
 * cents.
 */
export function checkLink(body: LinkFields): FieldErrors {
  const faults: Record<string, readonly Text[]> = { ...fieldFaults(body) }
  const { currency } = body
  const code = typeof currency === 'string' ? currency.toUpperCase() : ''
  if (code.length === 3 && !isCurrency(code)) faults['currency'] = [notACurrency]
  for (const field of ['amount', 'min_amount']) {
    const fault = amountFault(body[field], code)
    if (fault !== undefined) faults[field] = [fault]
  }
  return faults
}

export function amountFault(value: unknown, code: string): Text | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const reading = isCurrency(code) ? parseAmount(value, code) : parseDecimal(value)
  return reading.is === 'invalid' ? amountFaultText[reading.why] : undefined
}

export const newLinkFields: WritableLink = {
  name: '',
  description: '',
  amount_type: 'FIXED',
  amount: null,
  min_amount: null,
  currency: '',
  is_active: true,
  expires_at: null,
  usage_limit: null,
  custom_fields: [],
  require_phone: false,
  redirect_url: '',
  show_confirmation_page: true,
  facebook_pixel_id: '',
  google_ads_id: '',
}

/** The row as the body leaves it; what is absent stays as it was. */
export function writtenLink(before: WritableLink, body: LinkChange): WritableLink {
  const currency = body.currency?.toUpperCase() ?? before.currency
  return {
    name: body.name?.trim() ?? before.name,
    description: body.description ?? before.description,
    amount_type: body.amount_type ?? before.amount_type,
    amount: body.amount === undefined ? before.amount : hundredths(body.amount),
    min_amount: body.min_amount === undefined ? before.min_amount : hundredths(body.min_amount),
    currency,
    is_active: body.is_active ?? before.is_active,
    expires_at:
      body.expires_at === undefined
        ? before.expires_at
        : body.expires_at === null
          ? null
          : dateOf(body.expires_at),
    usage_limit: body.usage_limit === undefined ? before.usage_limit : body.usage_limit,
    ...writtenForm(before, body),
  }
}

/** Null removes what was there. */
function writtenForm(before: LinkForm, body: LinkChange): LinkForm {
  const textOf = (field: 'redirect_url' | 'facebook_pixel_id' | 'google_ads_id') =>
    body[field] === undefined ? before[field] : (body[field] ?? '')
  const { custom_fields } = body
  return {
    custom_fields:
      custom_fields === undefined ? before.custom_fields : fieldsOf(custom_fields ?? []),
    require_phone: body.require_phone ?? before.require_phone,
    redirect_url: textOf('redirect_url'),
    show_confirmation_page: body.show_confirmation_page ?? before.show_confirmation_page,
    facebook_pixel_id: textOf('facebook_pixel_id'),
    google_ads_id: textOf('google_ads_id'),
  }
}

function hundredths(amount: string | number | null): bigint | null {
  if (amount === null) return null
  const reading = parseDecimal(amount)
  assert(reading.is === 'amount', 'the body was checked')
  return reading.hundredths
}

export const writableOf = (link: Link): WritableLink => ({
  name: link.name,
  description: link.description,
  amount_type: link.amount_type,
  amount: link.amount,
  min_amount: link.min_amount,
  currency: link.currency,
  is_active: link.is_active,
  expires_at: link.expires_at,
  usage_limit: link.usage_limit,
  custom_fields: link.custom_fields,
  require_phone: link.require_phone,
  redirect_url: link.redirect_url,
  show_confirmation_page: link.show_confirmation_page,
  facebook_pixel_id: link.facebook_pixel_id,
  google_ads_id: link.google_ads_id,
})

// The payer's own details and, where the link is free, the sum, as a link's holder sends them
// (contract 6.2).

export const LinkPayerBody = Type.Object(
  {
    amount: Type.Optional(AmountInput),
    custom_field_values: Type.Optional(ValuesInput),
    customer: Type.Object({
      ...payerFields,
      phone: Type.Optional(Type.String({ maxLength: 40 })),
    }),
  },
  { title: 'PaymentLinkCheckout' },
)

/**
 * What is no amount in any currency, reported with the other fields; the link's own check follows.
 */
export function checkPayer({ amount }: Readonly<Record<string, unknown>>): Record<string, Text[]> {
  const fault = amountFault(amount, '')
  return fault === undefined ? {} : { amount: [fault] }
}
