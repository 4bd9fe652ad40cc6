// The price list of the calling merchant (contract 2.4, 6.4).

import { Type } from 'typebox'
import type { CatalogueOf } from '../catalogue/read-catalogue.ts'
import { type Caller, ok, type Route } from '../platform/http/route.ts'
import { pricesExample } from './example.ts'
import { type CodeOf, codeIn, myRates, NetworkRates } from './my-rates.ts'
import type { PricesOf } from './rules.ts'

export type PricingDeps = Readonly<{
  catalogue: CatalogueOf
  prices: PricesOf
  /** Whether payers of this caller need a code now. Absent: as their network usually has it. */
  codeFor?: (caller: Caller) => Promise<CodeOf>
}>

export const pricingRoutes = ({ catalogue, prices, codeFor }: PricingDeps): Route[] => [
  {
    method: 'GET',
    path: '/pricing/my-rates/',
    access: 'any',
    summary: 'List what you pay on each network',
    tag: 'Pricing',
    responses: { 200: Type.Array(NetworkRates) },
    example: { reply: pricesExample },
    handler: async ({ caller, locale }) => {
      const { merchant_id, catalogue_version: version, allowed_countries } = caller
      const [networks, rules, codeOf] = await Promise.all([
        catalogue(version),
        prices(merchant_id, version),
        codeFor?.(caller),
      ])
      return ok(myRates(networks, rules, { codeOf: codeIn(locale, codeOf), allowed_countries }))
    },
  },
]
