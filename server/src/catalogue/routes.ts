// The reference catalogue (contract: Reference catalogue). Read from memory: the caller's request,
// or for the public list one small query, tells which version counts.

import { Type } from 'typebox'
import type { Db } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import { orderings, uuidParam } from '../platform/http/filters.ts'
import { numberPageSchema, numberQuery } from '../platform/http/pages.ts'
import { type Input, ok, type Route } from '../platform/http/route.ts'
import { sortedPage } from '../platform/http/sorted-page.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import type { Network } from './catalogue.ts'
import type { CatalogueOf } from './catalogue-in-memory.ts'
import { getCatalogueVersion } from './store.ts'
import { CountryView, NetworkView, viewCountry, viewNetwork } from './view.ts'

export type CatalogueDeps = Readonly<{ db: Db; catalogue: CatalogueOf }>

const tag = 'Catalogue'
const networkFields = ['code', 'name', 'created_at'] as const

const countryExample = {
  id: '01981f3a-0000-7000-8000-00000000c001',
  iso_code: 'SN',
  name: 'Sénégal',
  default_currency: 'XOF',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}
const networkExample = {
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

export const catalogueRoutes = (deps: CatalogueDeps): Route[] => [
  listCountriesRoute(deps),
  {
    method: 'GET',
    path: '/countries/:id/',
    access: 'any',
    suspended: 'refused',
    summary: 'Retrieve a country',
    tag,
    responses: { 200: CountryView },
    example: { reply: countryExample },
    handler: async (input) => {
      const { countries } = await deps.catalogue(input.caller.catalogue_version)
      return ok(viewCountry(byId(countries, input)))
    },
  },
  {
    method: 'GET',
    path: '/networks/',
    access: 'any',
    suspended: 'refused',
    query: Type.Object({
      ...numberQuery,
      search: Type.Optional(
        Type.String({ maxLength: 100, description: 'Searches code and name.' }),
      ),
      ordering: Type.Optional(Type.Enum(orderings(networkFields))),
    }),
    summary: 'List mobile-money and card networks',
    description:
      'By country and code unless `ordering` says otherwise; includes inactive networks.',
    tag,
    responses: { 200: numberPageSchema(NetworkView) },
    example: { reply: { count: 1, next: null, previous: null, results: [networkExample] } },
    handler: async (input) => {
      const { networks } = await deps.catalogue(input.caller.catalogue_version)
      const words = ({ code, name }: Network) => [code, name]
      const list = { rows: networks, fields: networkFields, words, view: viewNetwork }
      return ok(sortedPage(input, list))
    },
  },
  {
    method: 'GET',
    path: '/networks/:id/',
    access: 'any',
    suspended: 'refused',
    summary: 'Retrieve a network',
    tag,
    responses: { 200: NetworkView },
    example: { reply: networkExample },
    handler: async (input) => {
      const { networks } = await deps.catalogue(input.caller.catalogue_version)
      return ok(viewNetwork(byId(networks, input)))
    },
  },
]

function listCountriesRoute({ db, catalogue }: CatalogueDeps): Route {
  return {
    method: 'GET',
    path: '/countries/',
    access: 'public',
    envelope: 'raw',
    summary: 'List countries',
    description: 'Needs no credentials and returns a bare array.',
    tag,
    responses: { 200: Type.Array(CountryView) },
    example: { reply: [countryExample] },
    handler: async () => {
      const { countries } = await catalogue(await getCatalogueVersion(db))
      return ok(countries.map(viewCountry))
    },
  }
}

function byId<Row extends { id: string }>(rows: readonly Row[], input: Pick<Input, 'params'>): Row {
  const id = uuidParam(input, 'id')
  const row = rows.find((one) => one.id === id)
  if (row === undefined) throw refuse(transportErrors.not_found)
  return row
}
