// The price list over HTTP: what it costs on each network, and whose prices these are.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Served, serveRoutes } from '../../test/setup/serve-routes.ts'
import { shipped } from '../../test/setup/shipped-rows.ts'
import { catalogueIn } from '../catalogue/read-catalogue.ts'
import { createMerchant } from '../merchants/merchant.ts'
import { newId } from '../platform/ids.ts'
import { addMerchantRules } from './admin/set-rule.ts'
import { pricingRoutes } from './routes.ts'
import { pricesIn } from './rules.ts'

let database: TestDatabase
let served: Served
let merchant_id: string
let catalogue_version = 2n

beforeAll(async () => {
  database = await createTestDatabase()
  const db = database.owner
  merchant_id = (await createMerchant(db, { name: 'Teranga' })).id
  const routes = pricingRoutes({ catalogue: catalogueIn(db), prices: pricesIn(db) })
  served = await serveRoutes(routes, () => ({ merchant_id, catalogue_version }))
})

afterAll(async () => {
  await served.close()
  await database.drop()
})

type Rates = { network_code: string }[]
const find = (body: unknown, code: string) =>
  (body as Rates).find((row) => row.network_code === code)

const tier = {
  min_amount: 20_000n,
  percent_ppm: 12_500n,
  fixed: 5_000n,
  floor_amount: 10_000n,
  fee_charge_mode: 'DEDUCTED' as const,
}

describe('GET /pricing/my-rates/', () => {
  it('200: lists every network with its tiers in decimal text', async () => {
    const { status, body } = await served.get('/pricing/my-rates/')
    expect(status).toBe(200)
    expect(body).toHaveLength(shipped.networks)
    expect(find(body, 'orange_bf')).toEqual({
      country_code: 'BF',
      country_name: 'Burkina Faso',
      currency: 'XOF',
      network_code: 'orange_bf',
      network_name: 'Orange Money Burkina',
      payin: {
        available: true,
        is_custom: false,
        otp_required: true,
        otp_instructions: 'Dial *144*4*6*{amount}# to get a payment code',
        tiers: [
          {
            min_amount: '200.00',
            max_amount: '100000000.00',
            percent: '3.75',
            fixed: '0.00',
            floor_amount: null,
            cap_amount: null,
            fee_charge_mode: 'ADD_ON',
          },
        ],
      },
      payout: {
        available: true,
        is_custom: false,
        otp_required: false,
        otp_instructions: '',
        tiers: [
          {
            min_amount: '1.00',
            max_amount: '100000000.00',
            percent: '2.00',
            fixed: '100.00',
            floor_amount: null,
            cap_amount: null,
            fee_charge_mode: 'DEDUCTED',
          },
        ],
      },
      // Paid in by the merchant itself: as a payin, and free.
      top_up: {
        available: true,
        is_custom: false,
        otp_required: true,
        otp_instructions: 'Dial *144*4*6*{amount}# to get a payment code',
        tiers: [
          {
            min_amount: '200.00',
            max_amount: '100000000.00',
            percent: '0.00',
            fixed: '0.00',
            floor_amount: null,
            cap_amount: null,
            fee_charge_mode: 'ADD_ON',
          },
        ],
      },
    })
  })

  it('says where a direction is not open: a network switched off, or without payouts', async () => {
    const { body } = await served.get('/pricing/my-rates/')
    expect(find(body, 'orange_gw')).toMatchObject({
      payin: { available: false },
      payout: { available: false },
    })
    expect(find(body, 'mtn_ng')).toMatchObject({
      payin: { available: true },
      payout: { available: false, tiers: [] },
    })
  })

  it('shows the merchant its own tiers instead of the default, and nobody else', async () => {
    await addMerchantRules(database.owner, merchant_id, [
      {
        id: newId(),
        network_code: 'wave_sn',
        direction: 'COLLECT',
        tiers: [
          { ...tier, id: newId(), max_amount: 99_900n, cap_amount: null },
          { ...tier, id: newId(), min_amount: 100_000n, max_amount: 500_000n, cap_amount: 20_000n },
        ],
      },
    ])
    catalogue_version += 1n
    const { body } = await served.get('/pricing/my-rates/')
    expect(find(body, 'wave_sn')).toMatchObject({
      payin: {
        is_custom: true,
        tiers: [
          { min_amount: '200.00', max_amount: '999.00', percent: '1.25', cap_amount: null },
          { min_amount: '1000.00', fixed: '50.00', floor_amount: '100.00', cap_amount: '200.00' },
        ],
      },
      payout: { is_custom: false },
    })
    merchant_id = newId()
    const others = await served.get('/pricing/my-rates/')
    expect(find(others.body, 'wave_sn')).toMatchObject({ payin: { is_custom: false } })
  })

  it('is answered from memory: what was read once is not read again', async () => {
    const before = await served.get('/pricing/my-rates/')
    await database.owner`alter table pricing_rules rename to pricing_rules_away`
    try {
      expect(await served.get('/pricing/my-rates/')).toEqual(before)
    } finally {
      await database.owner`alter table pricing_rules_away rename to pricing_rules`
    }
  })

  it('401 without a credential', async () => {
    expect((await served.get('/pricing/my-rates/', 'anyone')).status).toBe(401)
  })
})

describe('addMerchantRules', () => {
  it('refuses tiers that overlap, and leaves nothing of the rule behind', async () => {
    const { id } = await createMerchant(database.owner, { name: 'Saly' })
    const overlapping = addMerchantRules(database.owner, id, [
      {
        id: newId(),
        network_code: 'wave_sn',
        direction: 'COLLECT',
        tiers: [
          { ...tier, id: newId(), max_amount: 100_000n, cap_amount: null },
          { ...tier, id: newId(), min_amount: 100_000n, max_amount: 500_000n, cap_amount: null },
        ],
      },
    ])
    await expect(overlapping).rejects.toThrow(/conflicting key value/)
    const left =
      await database.owner`select id from merchant_pricing_rules where merchant_id = ${id}`
    expect(left).toHaveLength(0)
  })
})
