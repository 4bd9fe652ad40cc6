// Whose price counts: the merchant's own rule wins whole over the network's default, and a price
// that was changed is used from the request on that sees the new version.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { createMerchant } from '../merchants/merchant.ts'
import type { Db } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { addMerchantRules, addRules, type NewRule } from './admin/set-rule.ts'
import { pricesIn } from './rules.ts'
import type { Tier } from './tier.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  db = database.owner
})
afterAll(() => database.drop())

const newMerchant = async () => (await createMerchant(db, { name: 'Teranga' })).id

async function networkId(code: string): Promise<string> {
  const [row] = await db<{ id: string }[]>`select id from networks where code = ${code}`
  return row?.id ?? ''
}

const tier = (changes: Partial<Tier> = {}): Tier & { id: string } => ({
  id: newId(),
  min_amount: 20_000n,
  max_amount: 200_000_000n,
  percent_ppm: 12_500n,
  fixed: 5_000n,
  floor_amount: 10_000n,
  cap_amount: null,
  fee_charge_mode: 'DEDUCTED',
  ...changes,
})

const ownRule = (network_code: string, changes: Partial<NewRule> = {}): NewRule => ({
  id: newId(),
  network_code,
  direction: 'COLLECT',
  tiers: [tier()],
  ...changes,
})

describe('which rule prices a payment', () => {
  it('is the network’s default while the merchant has none of its own', async () => {
    const rules = await pricesIn(db)(await newMerchant(), 1n)
    const rule = rules.of(await networkId('wave_sn'), 'COLLECT')
    const [row] = await db`
      select r.id from pricing_rules r join networks n on n.id = r.network_id
       where n.code = 'wave_sn' and r.direction = 'COLLECT'`
    expect(rule).toMatchObject({ id: row?.['id'], is_custom: false })
    expect(rule?.tiers.length).toBeGreaterThan(0)
  })

  it('is the merchant’s own where it has one: whole, not tier by tier', async () => {
    const merchant_id = await newMerchant()
    const { id: _id, ...own } = tier({ min_amount: 50_000n, max_amount: 60_000n })
    const rule = ownRule('wave_sn', { tiers: [{ ...own, id: newId() }] })
    await addMerchantRules(db, merchant_id, [rule])
    const rules = await pricesIn(db)(merchant_id, 1n)
    const wave = await networkId('wave_sn')
    expect(rules.of(wave, 'COLLECT')).toEqual({ id: rule.id, is_custom: true, tiers: [own] })
  })

  it('is its own for that network and that direction alone', async () => {
    const merchant_id = await newMerchant()
    await addMerchantRules(db, merchant_id, [ownRule('wave_sn')])
    const prices = pricesIn(db)
    const rules = await prices(merchant_id, 1n)
    const [wave, moov] = [await networkId('wave_sn'), await networkId('moov_ci')]
    expect(rules.of(wave, 'COLLECT')?.is_custom).toBe(true)
    expect(rules.of(wave, 'DISBURSE')?.is_custom).toBe(false)
    expect(rules.of(moov, 'COLLECT')?.is_custom).toBe(false)
    const others = await prices(await newMerchant(), 1n)
    expect(others.of(wave, 'COLLECT')?.is_custom).toBe(false)
  })

  it('is none where nothing is priced', async () => {
    const rules = await pricesIn(db)(await newMerchant(), 1n)
    expect(rules.of(newId(), 'COLLECT')).toBeUndefined()
  })

  it('has its tiers from the least amount up, sums as bigint', async () => {
    const merchant_id = await newMerchant()
    const bounds = [
      [500_000n, 900_000n],
      [20_000n, 99_900n],
      [100_000n, 499_900n],
    ] as const
    const tiers = bounds.map(([min_amount, max_amount]) => tier({ min_amount, max_amount }))
    await addMerchantRules(db, merchant_id, [ownRule('wave_sn', { tiers })])
    const rules = await pricesIn(db)(merchant_id, 1n)
    const read = rules.of(await networkId('wave_sn'), 'COLLECT')?.tiers
    expect(read?.map(({ min_amount }) => min_amount)).toEqual([20_000n, 100_000n, 500_000n])
  })
})

describe('a price that is changed', () => {
  it('counts from the next version on, the merchant’s own and the default alike', async () => {
    const merchant_id = await newMerchant()
    const prices = pricesIn(db)
    const wave = await networkId('wave_sn')
    const before = (await prices(merchant_id, 1n)).of(wave, 'COLLECT')
    const rule = ownRule('wave_sn')
    await addMerchantRules(db, merchant_id, [rule])
    expect((await prices(merchant_id, 1n)).of(wave, 'COLLECT')).toEqual(before)
    expect((await prices(merchant_id, 2n)).of(wave, 'COLLECT')?.id).toBe(rule.id)

    const other = await newMerchant()
    await db`
      update pricing_tiers set percent_ppm = 77777
       where pricing_rule_id = ${before?.id ?? ''}`
    const percents = async (version: bigint) => {
      const rules = await prices(other, version)
      return rules.of(wave, 'COLLECT')?.tiers.map(({ percent_ppm }) => percent_ppm)
    }
    expect(await percents(2n)).not.toContain(77_777n)
    expect(new Set(await percents(3n))).toEqual(new Set([77_777n]))
  })
})

describe('a rule that cannot be', () => {
  it('is refused by the table: tiers that overlap, and a second rule of the same kind', async () => {
    const merchant_id = await newMerchant()
    const overlapping = [
      tier({ min_amount: 20_000n, max_amount: 50_000n }),
      tier({ min_amount: 50_000n, max_amount: 60_000n }),
    ]
    const torn = addMerchantRules(db, merchant_id, [ownRule('wave_sn', { tiers: overlapping })])
    await expect(torn).rejects.toThrow('conflicting key value')
    await addMerchantRules(db, merchant_id, [ownRule('wave_sn')])
    const second = addMerchantRules(db, merchant_id, [ownRule('wave_sn')])
    await expect(second).rejects.toThrow('duplicate key')
  })

  it('and a default that is there is left as operators have it', async () => {
    expect(await addRules(db, [ownRule('wave_sn')])).toBe(0)
  })
})
