// The price list of the calling merchant (contract 2.4, 6.4).

import { Type } from 'typebox'
import type { CatalogueOf } from '../catalogue/catalogue-in-memory.ts'
import { ok, type Route } from '../platform/http/route.ts'
import { myRates, NetworkRates } from './my-rates.ts'
import type { PricesOf } from './rules.ts'

export type PricingDeps = Readonly<{ catalogue: CatalogueOf; prices: PricesOf }>

const tierExample = {
  min_amount: '200.00',
  max_amount: '100000000.00',
  percent: '3.50',
  fixed: '0.00',
  floor_amount: null,
  cap_amount: null,
  fee_charge_mode: 'ADD_ON',
}
const directionExample = {
  available: true,
  is_custom: false,
  otp_required: false,
  otp_instructions: '',
}

const example = [
  {
    country_code: 'SN',
    country_name: 'Sénégal',
    currency: 'XOF',
    network_code: 'wave_sn',
    network_name: 'Wave Sénégal',
    payin: { ...directionExample, tiers: [tierExample] },
    payout: {
      ...directionExample,
      tiers: [
        {
          ...tierExample,
          min_amount: '1.00',
          percent: '2.00',
          fixed: '100.00',
          fee_charge_mode: 'DEDUCTED',
        },
      ],
    },
    top_up: { ...directionExample, tiers: [{ ...tierExample, percent: '0.00' }] },
  },
]

export const pricingRoutes = ({ catalogue, prices }: PricingDeps): Route[] => [
  {
    method: 'GET',
    path: '/pricing/my-rates/',
    access: 'any',
    summary: 'List what you pay on each network',
    tag: 'Pricing',
    responses: { 200: Type.Array(NetworkRates) },
    example: { reply: example },
    handler: async ({ caller }) => {
      const { merchant_id, catalogue_version: version } = caller
      const [networks, rules] = await Promise.all([
        catalogue(version),
        prices(merchant_id, version),
      ])
      return ok(myRates(networks, rules))
    },
  },
]
