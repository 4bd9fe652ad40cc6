// The reference catalogue (contract: Reference catalogue). Read from memory: the caller's request,
// or for the public list one small query, has the version that counts.

import { Type } from 'typebox'
import type { Db } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import { uuidParam } from '../platform/http/filters.ts'
import { sortedPage } from '../platform/http/lists.ts'
import { type Input, ok, type Route } from '../platform/http/route.ts'
import {
  type Listed,
  numberList,
  orderingBy,
  reads,
  routesWith,
  searchFilter,
} from '../platform/http/route-list.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import type { Network } from './catalogue.ts'
import type { CatalogueOf } from './read-catalogue.ts'
import { getCatalogueVersion } from './store.ts'
import {
  CountryView,
  countryExample,
  NetworkView,
  networkExample,
  viewCountry,
  viewNetwork,
} from './view.ts'

export type CatalogueDeps = Readonly<{ db: Db; catalogue: CatalogueOf }>

const networkFields = ['code', 'name', 'created_at'] as const

export const catalogueRoutes = (deps: CatalogueDeps): Route[] =>
  routesWith({ tag: 'Catalogue', access: 'any' }, [
    listCountriesRoute(deps),
    {
      path: '/countries/:id/',
      suspended: 'refused',
      summary: 'Retrieve a country',
      ...reads(CountryView, countryExample),
      handler: async (input) => {
        const { countries } = await deps.catalogue(input.caller.catalogue_version)
        return ok(viewCountry(byId(countries, input)))
      },
    },
    {
      path: '/networks/',
      suspended: 'refused',
      ...numberList(NetworkView, networkExample, {
        search: searchFilter('Searches code and name.', 100),
        ordering: orderingBy(networkFields),
      }),
      summary: 'List mobile-money and card networks',
      description:
        'By country and code unless `ordering` says otherwise; includes inactive networks.',
      handler: async (input) => {
        const { networks } = await deps.catalogue(input.caller.catalogue_version)
        const words = ({ code, name }: Network) => [code, name]
        const list = { rows: networks, fields: networkFields, words, view: viewNetwork }
        return ok(sortedPage(input, list))
      },
    },
    {
      path: '/networks/:id/',
      suspended: 'refused',
      summary: 'Retrieve a network',
      ...reads(NetworkView, networkExample),
      handler: async (input) => {
        const { networks } = await deps.catalogue(input.caller.catalogue_version)
        return ok(viewNetwork(byId(networks, input)))
      },
    },
  ])

function listCountriesRoute({ db, catalogue }: CatalogueDeps): Listed {
  return {
    method: 'GET',
    path: '/countries/',
    access: 'public',
    envelope: 'raw',
    summary: 'List countries',
    description: 'Needs no credentials and returns a bare array.',
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
