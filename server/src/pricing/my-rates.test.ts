// What a merchant reads of its prices: each network in both directions, open only where it can be
// used, and priced by the rule that will price its payment.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fieldDescriptions } from '../app/field-descriptions.ts'
import type { Catalogue, Country, Network } from '../catalogue/catalogue.ts'
import { Components } from '../platform/http/openapi-schemas.ts'
import { myRates, NetworkRates } from './my-rates.ts'
import type { Rule, Rules } from './rules.ts'

const created_at = new Date(0)

const senegal: Country = {
  id: 'sn',
  iso_code: 'SN',
  name: 'Sénégal',
  default_currency: 'XOF',
  created_at,
  updated_at: created_at,
}

const wave: Network = {
  id: 'wave',
  country_id: 'sn',
  country_code: 'SN',
  code: 'wave_sn',
  name: 'Wave',
  currency: 'XOF',
  flow: 'push',
  otp_kind: 'NONE',
  otp_instructions: '',
  takes_payins: true,
  takes_payouts: true,
  collect_routing: 'PRIORITY',
  disburse_routing: 'PRIORITY',
  is_active: true,
  ...{ colour: '', rank: null, prefixes: [], ussd: '', mark_sources: {} },
  created_at,
  updated_at: created_at,
}

const standard: Rule = {
  id: 'standard',
  is_custom: false,
  tiers: [
    {
      min_amount: 20_000n,
      max_amount: 9_999_900n,
      percent_ppm: 32_500n,
      fixed: 0n,
      floor_amount: null,
      cap_amount: null,
      fee_charge_mode: 'ADD_ON',
    },
    {
      min_amount: 10_000_000n,
      max_amount: 200_000_000n,
      percent_ppm: 11_250n,
      fixed: 10_000n,
      floor_amount: 45_000n,
      cap_amount: 500_000n,
      fee_charge_mode: 'DEDUCTED',
    },
  ],
}
const own: Rule = { id: 'own', is_custom: true, tiers: standard.tiers.slice(0, 1) }

function ratesOf(
  changes: Partial<Network> = {},
  rules: Readonly<Record<string, Rule>> = { COLLECT: standard, DISBURSE: own },
  countries = [senegal],
) {
  const catalogue: Catalogue = {
    countries,
    networks: [{ ...wave, ...changes }],
    countryByCode: (code) => countries.find(({ iso_code }) => iso_code === code),
    networkByCode: () => undefined,
  }
  const priced: Rules = {
    of: (network_id, direction) => (network_id === 'wave' ? rules[direction] : undefined),
  }
  const [rates, ...others] = myRates(catalogue, priced)
  if (rates === undefined || others.length > 0) throw new Error('one network, one row')
  return rates
}

const low = {
  min_amount: '200.00',
  max_amount: '99999.00',
  percent: '3.25',
  fixed: '0.00',
  floor_amount: null,
  cap_amount: null,
  fee_charge_mode: 'ADD_ON',
}
const high = {
  min_amount: '100000.00',
  max_amount: '2000000.00',
  percent: '1.125',
  fixed: '100.00',
  floor_amount: '450.00',
  cap_amount: '5000.00',
  fee_charge_mode: 'DEDUCTED',
}

describe('the rates of a network', () => {
  it('are of nothing that works where the merchant’s settings allow no country of theirs', () => {
    const [rates] = myRates(
      {
        countries: [senegal],
        networks: [wave],
        countryByCode: () => senegal,
        networkByCode: () => undefined,
      },
      { of: () => standard },
      { allowed_countries: ['BJ'] },
    )
    expect([rates?.payin, rates?.payout, rates?.top_up].map((one) => one?.available)).toEqual([
      ...[false, false, false],
    ])
    expect(rates?.payin.tiers).toHaveLength(2)
  })

  it('are those of each direction, every tier told as it charges', () => {
    expect(ratesOf()).toEqual({
      country_code: 'SN',
      country_name: 'Sénégal',
      currency: 'XOF',
      network_code: 'wave_sn',
      network_name: 'Wave',
      payin: {
        available: true,
        is_custom: false,
        otp_required: false,
        otp_instructions: '',
        tiers: [low, high],
      },
      payout: {
        available: true,
        is_custom: true,
        otp_required: false,
        otp_instructions: '',
        tiers: [low],
      },
      top_up: {
        available: true,
        is_custom: false,
        otp_required: false,
        otp_instructions: '',
        tiers: [
          { ...low, percent: '0.00' },
          { ...high, percent: '0.00', fixed: '0.00', floor_amount: null, cap_amount: null },
        ],
      },
    })
  })

  it('say what a top-up costs where it has a price, and whose that is', () => {
    const priced = { COLLECT: standard, TOP_UP: own }
    expect(ratesOf({}, priced).top_up).toMatchObject({ is_custom: true, tiers: [low] })
    // A merchant's own price of payins makes none of top-ups.
    const free = ratesOf({}, { COLLECT: own }).top_up
    expect(free).toMatchObject({ is_custom: false, tiers: [{ ...low, percent: '0.00' }] })
  })

  it('are closed in the direction that the network does not take', () => {
    const available = (changes: Partial<Network>) => {
      const { payin, payout } = ratesOf(changes)
      return [payin.available, payout.available]
    }
    expect(available({ takes_payins: false })).toEqual([false, true])
    expect(available({ takes_payouts: false })).toEqual([true, false])
    expect(available({ is_active: false })).toEqual([false, false])
  })

  it('are closed where nothing is priced, and then have no tiers', () => {
    const unpriced = { available: false, is_custom: false, tiers: [] }
    expect(ratesOf({}, { COLLECT: standard })).toMatchObject({
      payin: { available: true },
      payout: unpriced,
    })
    expect(ratesOf({}, { DISBURSE: own })).toMatchObject({
      payin: unpriced,
      payout: { available: true },
    })
  })

  it.each(['PRE', 'POST'] as const)('tell a payer of a code (%s), and no payee', (otp_kind) => {
    const { payin, payout } = ratesOf({ otp_kind, otp_instructions: 'Dial #144#.' })
    expect(payin).toMatchObject({ otp_required: true, otp_instructions: 'Dial #144#.' })
    expect(payout).toMatchObject({ otp_required: false, otp_instructions: '' })
  })

  it('name a country that the catalogue has no name for by its code', () => {
    expect(ratesOf({}, {}, []).country_name).toBe('SN')
  })
})

it('the published interface describes them as they are made', () => {
  const path = new URL('../../openapi.json', import.meta.url)
  const document = JSON.parse(readFileSync(path, 'utf8'))
  const { NetworkRates: network, DirectionRates, PricingTier } = document.components.schemas
  const components = new Components(fieldDescriptions)
  components.publish(NetworkRates)
  expect(components.schemas).toEqual({ NetworkRates: network, DirectionRates, PricingTier })
})
