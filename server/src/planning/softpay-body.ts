// The body of a softpay call (contract 5.1): its schema, and the rules on amounts that a schema
// cannot express.

import { type Static, Type } from 'typebox'
import { CountryInput } from '../catalogue/view.ts'
import { isCurrency } from '../money/currency.ts'
import { amountFaultText, parseAmount, parseDecimal } from '../money/parse-amount.ts'
import type { Text } from '../platform/errors.ts'

export const AmountInput = Type.Union([Type.String({ maxLength: 32 }), Type.Number()], {
  description: 'Decimal, as a string (preferred) or a number: "5000", "5000.00", 12.5',
  'x-message': {
    en: 'Must be an amount such as "5000" or "12.50".',
    fr: 'Doit être un montant comme "5000" ou "12.50".',
  },
})

const notACurrency: Text = {
  en:
    'Must be an ISO 4217 currency code such as XOF. FCFA is written XOF in West Africa and XAF ' +
    'in Central Africa.',
  fr:
    'Doit être un code de devise ISO 4217 comme XOF. Le FCFA s’écrit XOF en Afrique de l’Ouest ' +
    'et XAF en Afrique centrale.',
}

export const CurrencyInput = Type.String({
  minLength: 3,
  maxLength: 3,
  'x-message': notACurrency,
})

/** The merchant's own object, at most 8 KB; an empty array counts as an empty object. */
export const MetadataInput = Type.Union(
  [Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.Unknown(), { maxItems: 0 })],
  {
    'x-message': {
      en: 'Must be an object of at most 8 KB.',
      fr: 'Doit être un objet de 8 Ko au plus.',
    },
  },
)

const PayerName = Type.Optional(Type.String({ maxLength: 100 }))

/** Who pays or is paid, where a phone says who: each may be left out, and empty counts as that. */
export const payerFields = {
  email: Type.Optional(
    Type.Union([Type.String({ format: 'email' }), Type.Literal('')], {
      description: 'Optional: the phone is enough.',
      'x-message': { en: 'Must be an e-mail address.', fr: 'Doit être une adresse e-mail.' },
    }),
  ),
  first_name: PayerName,
  last_name: PayerName,
}

/** A code that the payer made before: many clients send the field of a form that nobody filled. */
export const OtpInput = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 12,
    pattern: '\\S',
    description: 'Where the network wants one beforehand; an empty one counts as absent.',
    'x-empty-absent': true,
  }),
)

export const SoftpayBody = Type.Object(
  {
    amount: AmountInput,
    currency: CurrencyInput,
    country: CountryInput,
    network: Type.String({ minLength: 1, maxLength: 40 }),
    customer: Type.Object({
      ...payerFields,
      phone: Type.String({ minLength: 1, maxLength: 40 }),
    }),
    description: Type.Optional(Type.String({ maxLength: 255 })),
    metadata: Type.Optional(MetadataInput),
    fee_charge_mode: Type.Optional(Type.Enum(['ADD_ON', 'DEDUCTED'])),
    otp: OtpInput,
    return_url: Type.Optional(
      Type.Union([Type.String({ format: 'uri', maxLength: 2048 }), Type.Literal('')], {
        'x-message': {
          en: 'Must be an absolute http or https address.',
          fr: 'Doit être une adresse http ou https absolue.',
        },
      }),
    ),
    preferred_gateway: Type.Optional(Type.String({ maxLength: 100 })),
    merchant_reference: Type.Optional(Type.String({ maxLength: 100 })),
  },
  { title: 'SoftpayInitialize' },
)
export type SoftpayBody = Static<typeof SoftpayBody>

type Faults = Record<string, Text[]>

const metadataTooLarge: Text = {
  en: 'Must be at most 8 KB.',
  fr: 'Ne doit pas dépasser 8 Ko.',
}

export const metadataBytesMax = 8192

/** Checks amount and currency of a body that takes money; adds invalid fields to the same 400. */
export function checkAmountAndCurrency(body: Readonly<Record<string, unknown>>): Faults {
  const faults: Faults = {}
  const { amount, currency } = body
  if (
    typeof currency === 'string' &&
    // The schema counts signs, of which some are two of JavaScript's characters.
    (currency.length === 3 || /[^ -~]/.test(currency)) &&
    !isCurrency(currency.toUpperCase())
  ) {
    faults['currency'] = [notACurrency]
  }
  if (typeof amount !== 'string' && typeof amount !== 'number') return faults
  const code = typeof currency === 'string' ? currency.toUpperCase() : ''
  const reading = isCurrency(code) ? parseAmount(amount, code) : parseDecimal(amount)
  if (reading.is === 'invalid') faults['amount'] = [amountFaultText[reading.why]]
  return faults
}

/** Limits the size of the merchant's own object. */
export function checkMetadata({ metadata }: Readonly<Record<string, unknown>>): Faults {
  const size = metadata === undefined ? 0 : Buffer.byteLength(JSON.stringify(metadata))
  return size > metadataBytesMax ? { metadata: [metadataTooLarge] } : {}
}

export function checkSoftpay(body: Readonly<Record<string, unknown>>): Faults {
  const faults = { ...checkAmountAndCurrency(body), ...checkMetadata(body) }
  const { customer } = body
  if (typeof customer === 'object' && customer !== null && 'phone' in customer) {
    if (typeof customer.phone === 'string' && customer.phone.trim() === '') {
      faults['customer.phone'] = [blank]
    }
  }
  return faults
}

const blank: Text = { en: 'Must not be empty.', fr: 'Ne doit pas être vide.' }

/** How a record keeps them: what was not given is empty. */
export const payerColumns = ({
  email = '',
  first_name = '',
  last_name = '',
}: Readonly<{ email?: string; first_name?: string; last_name?: string }>) => ({
  customer_email: email,
  customer_first_name: first_name,
  customer_last_name: last_name,
})

/** `{}` when it is absent, or the empty array that some clients send. */
export function metadataOf(metadata: unknown): Readonly<Record<string, unknown>> {
  return isPlain(metadata) ? metadata : {}
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
