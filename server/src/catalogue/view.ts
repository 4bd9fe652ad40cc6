// Countries and networks as merchants read them, field by field, and how they write a country.

import { type Static, Type } from 'typebox'
import type { Country, Network } from './catalogue.ts'

const moment = Type.String({ format: 'date-time' })

/** A country in a body. */
export const CountryInput = Type.String({
  minLength: 2,
  maxLength: 2,
  description: 'ISO 3166 alpha-2.',
  'x-message': {
    en: 'Must be a 2-letter ISO 3166 country code, such as BJ for Bénin.',
    fr: 'Doit être un code de pays ISO 3166 à 2 lettres, comme BJ pour le Bénin.',
  },
})

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

const MarkSourceView = Type.Object({
  source: Type.String(),
  date: Type.String({ format: 'date' }),
})

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
    colour: Type.String({ description: 'The operator’s own, as `#rrggbb`; empty if unknown.' }),
    rank: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      description: '1 for the most used network of its country; null if unknown.',
    }),
    prefixes: Type.Array(Type.String(), {
      description:
        'What its numbers begin with after the calling code; the longest match counts. Empty if ' +
        'unknown, or if it takes numbers of any operator.',
    }),
    ussd: Type.String({ description: 'The code that opens its menu; empty if unknown.' }),
    sources: Type.Object(
      {
        colour: Type.Optional(MarkSourceView),
        rank: Type.Optional(MarkSourceView),
        prefixes: Type.Optional(MarkSourceView),
        ussd: Type.Optional(MarkSourceView),
      },
      { description: 'Where each of these four comes from; a mark that is unknown has none.' },
    ),
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
    colour: network.colour,
    rank: network.rank,
    prefixes: [...network.prefixes],
    ussd: network.ussd,
    sources: { ...network.mark_sources },
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
  colour: '',
  rank: null,
  prefixes: [],
  ussd: '',
  sources: {},
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}
