// Countries and networks as merchants read them, field by field.

import { type Static, Type } from 'typebox'
import type { Country, Network } from './catalogue.ts'

const moment = Type.String({ format: 'date-time' })

export const CountryView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    iso_code: Type.String({ description: 'ISO 3166 alpha-2; `XX` for cards in USD.' }),
    name: Type.String(),
    default_currency: Type.String({ description: 'ISO 4217.' }),
    created_at: moment,
    updated_at: moment,
  },
  { title: 'Country' },
)

export const NetworkView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    country: Type.String({ format: 'uuid', description: 'The country it belongs to.' }),
    country_code: Type.String({
      description: 'ISO 3166 alpha-2 code of the country it belongs to.',
    }),
    code: Type.String({
      description: 'The value to send as `network` (softpay) or `method` (payout).',
    }),
    name: Type.String(),
    currency: Type.String({ description: 'ISO 4217.' }),
    is_active: Type.Boolean({ description: 'Currently operational.' }),
    created_at: moment,
    updated_at: moment,
  },
  { title: 'Network' },
)

export function viewCountry(country: Country): Static<typeof CountryView> {
  return {
    id: country.id,
    iso_code: country.iso_code,
    name: country.name,
    default_currency: country.default_currency,
    created_at: country.created_at.toISOString(),
    updated_at: country.updated_at.toISOString(),
  }
}

export function viewNetwork(network: Network): Static<typeof NetworkView> {
  return {
    id: network.id,
    country: network.country_id,
    country_code: network.country_code,
    code: network.code,
    name: network.name,
    currency: network.currency,
    is_active: network.is_active,
    created_at: network.created_at.toISOString(),
    updated_at: network.updated_at.toISOString(),
  }
}

export const countryExample = {
  id: '01981f3a-0000-7000-8000-00000000c001',
  iso_code: 'SN',
  name: 'Sénégal',
  default_currency: 'XOF',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}

export const networkExample = {
  id: '01981f3a-0000-7000-8000-00000000e001',
  country: countryExample.id,
  country_code: 'SN',
  code: 'wave_sn',
  name: 'Wave Sénégal',
  currency: 'XOF',
  is_active: true,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}
