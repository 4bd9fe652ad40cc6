// A customer as the merchant keeps them (contract 6.3): one per merchant, environment and phone, or
// e-mail where there is no phone. And what is published of a customer, field by field.

import { Type } from 'typebox'
import {
  omitColumns,
  orNull,
  pickColumns,
  type RowOf,
  text,
  timestamptz,
  uuid,
} from '../../platform/columns.ts'
import { defineErrors } from '../../platform/errors.ts'
import type { Environment } from '../../platform/http/route.ts'
import { countryOfPhone } from '../phone.ts'

export const name_length_max = 100

/** The columns of `customers`, said once. */
export const customerRow = {
  merchant_id: uuid(),
  id: uuid(),
  environment: text<Environment>(),
  phone: orNull(text<string>()),
  /** Alpha-2; null: unknown. */
  country: orNull(text<string>()),
  email: orNull(text<string>()),
  first_name: text(),
  last_name: text(),
  created_at: timestamptz(),
  updated_at: timestamptz(),
}

export type Customer = RowOf<typeof customerRow>

/** What is known of the person. */
export const personalRow = pickColumns(customerRow, [
  'phone',
  'country',
  'email',
  'first_name',
  'last_name',
])

export type CustomerFields = RowOf<typeof personalRow>

/** What one is made with. */
export const newCustomerRow = omitColumns(customerRow, ['created_at', 'updated_at'])

export const customerErrors = defineErrors({
  customer_exists: {
    status: 409,
    message: {
      en: 'A customer with this phone (or, without one, this e-mail) already exists.',
      fr: 'Un client avec ce téléphone (ou, à défaut, cet e-mail) existe déjà.',
    },
  },
  invalid_customer: {
    status: 422,
    message: {
      en: 'This is not a valid phone number. Send it in international format, with its +.',
      fr: 'Ce numéro n’est pas valable. Envoyez-le au format international, avec son +.',
    },
  },
})

const moment = Type.String({ format: 'date-time' })

export const CustomerSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    merchant: Type.String({ format: 'uuid' }),
    environment: Type.Enum(['SANDBOX', 'LIVE']),
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    full_name: Type.String({ description: 'First and last name.' }),
    country: Type.String({
      description: 'ISO 3166 alpha-2: as given, or else derived from the phone; may be empty.',
    }),
    phone: Type.String({ description: 'E.164, or empty.' }),
    created_at: moment,
    updated_at: moment,
  },
  { title: 'Customer' },
)

export const viewCustomer = (customer: Customer) => ({
  id: customer.id,
  merchant: customer.merchant_id,
  environment: customer.environment,
  email: customer.email ?? '',
  first_name: customer.first_name,
  last_name: customer.last_name,
  full_name: `${customer.first_name} ${customer.last_name}`.trim(),
  country: customer.country ?? countryOfPhone(customer.phone ?? '') ?? '',
  phone: customer.phone ?? '',
  created_at: customer.created_at.toISOString(),
  updated_at: customer.updated_at.toISOString(),
})

export const customerExample = {
  id: '01981f3a-5b60-7c11-9a52-0242ac120301',
  merchant: '01981f3a-5b60-7c11-9a52-0242ac120001',
  environment: 'SANDBOX',
  email: 'awa@example.com',
  first_name: 'Awa',
  last_name: 'Diop',
  full_name: 'Awa Diop',
  country: 'BJ',
  phone: '+2290197000010',
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T08:00:00.000Z',
}
