// The body of a new session (contract 6.1): its schema, and the rules that a schema cannot express.

import { type Static, Type } from 'typebox'
import {
  AmountInput,
  CurrencyInput,
  checkAmountAndCurrency,
  checkMetadata,
  MetadataInput,
} from '../planning/softpay-body.ts'
import type { Text } from '../platform/errors.ts'

/** Absolute, http or https; empty: none. */
export const WebAddressInput = Type.Union(
  [Type.String({ format: 'uri', maxLength: 2048 }), Type.Literal('')],
  {
    'x-message': {
      en: 'Must be an absolute http or https address.',
      fr: 'Doit être une adresse http ou https absolue.',
    },
  },
)

export const SessionBody = Type.Object(
  {
    amount: AmountInput,
    currency: CurrencyInput,
    customer_email: Type.String({ format: 'email' }),
    customer_name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
    customer_phone: Type.Optional(Type.String({ maxLength: 40 })),
    description: Type.Optional(Type.String({ maxLength: 255 })),
    country: Type.Optional(
      Type.Union([Type.String({ pattern: '^[A-Za-z]{2}$' }), Type.Literal('')], {
        description: 'Preselected on the hosted page; ignored if we do not serve it.',
        'x-message': {
          en: 'Must be a 2-letter country code, such as SN.',
          fr: 'Doit être un code de pays à 2 lettres, comme SN.',
        },
      }),
    ),
    return_url: Type.Optional(WebAddressInput),
    metadata: Type.Optional(MetadataInput),
    fee_charge_mode: Type.Optional(Type.Enum(['ADD_ON', 'DEDUCTED'])),
    merchant_reference: Type.Optional(Type.String({ maxLength: 100 })),
    expires_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: '5 minutes to 30 days ahead; defaults to 24 hours.',
      }),
    ),
  },
  { title: 'CheckoutSessionCreate' },
)
export type SessionBody = Static<typeof SessionBody>

const minute_ms = 60_000
const day_ms = 24 * 60 * minute_ms
const aheadLeastMs = 5 * minute_ms
const aheadMostMs = 30 * day_ms
export const lifetimeMs = day_ms

const outOfTime: Text = {
  en: 'Must be between 5 minutes and 30 days from now.',
  fr: 'Doit être entre 5 minutes et 30 jours à partir de maintenant.',
}

/** Seconds of grace: the body was written a moment before it is read. */
const graceMs = 5_000

export const checkSession =
  (clock: () => number) =>
  (body: Readonly<Record<string, unknown>>): Record<string, Text[]> => ({
    ...checkAmountAndCurrency(body),
    ...checkMetadata(body),
    ...checkTime(body, clock()),
  })

function checkTime({ expires_at }: Readonly<Record<string, unknown>>, now: number) {
  if (typeof expires_at !== 'string') return {}
  const ahead = Date.parse(expires_at) - now
  if (Number.isNaN(ahead)) return {}
  const isFine = ahead >= aheadLeastMs - graceMs && ahead <= aheadMostMs + graceMs
  return isFine ? {} : { expires_at: [outOfTime] }
}
