// The seed fills an empty installation at once, adds nothing the second time, and never overwrites.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { demoMerchant, seedCatalogue, seedDemoMerchant, shippedSeeds } from '../src/app/seed.ts'
import { catalogueIn } from '../src/catalogue/read-catalogue.ts'
import { routesIn } from '../src/gateways/routing.ts'
import { authenticator } from '../src/merchants/authenticate.ts'
import { migrate } from '../src/platform/migrate.ts'
import { pricesIn } from '../src/pricing/rules.ts'
import { convert } from '../src/rates/convert.ts'
import { currentRatesIn } from '../src/rates/current-rates.ts'
import { createEmptyDatabase, type TestDatabase } from './setup/database.ts'
import { shipped } from './setup/shipped-rows.ts'

let database: TestDatabase
let took_ms: number
let migrated_ms: number
let seeded: Awaited<ReturnType<typeof seedCatalogue>>

beforeAll(async () => {
  database = await createEmptyDatabase()
  const began = performance.now()
  await migrate(database.owner)
  const started = performance.now()
  migrated_ms = started - began
  seeded = await seedCatalogue(database.owner)
  took_ms = performance.now() - started
})

afterAll(() => database.drop())

const version = async (): Promise<bigint> => {
  const [row] = await database.owner<{ version: bigint }[]>`select version from catalogue_version`
  return row?.version ?? 0n
}

describe('seedCatalogue on a new database', () => {
  it('costs a first start less than its migrations do, on any machine', () => {
    expect(took_ms).toBeLessThan(migrated_ms)
  })

  it('writes every network of the file with its country, flow, code kind and switch', async () => {
    const { countries, networks, networkByCode } = await catalogueIn(database.owner)(1n)
    expect(shipped.networks).toBeGreaterThan(42)
    expect(networks).toHaveLength(shipped.networks)
    expect(seeded.networks).toBe(shipped.networks)
    expect(countries.map((country) => country.iso_code)).toContain('XX')
    expect(networkByCode('orange_ci')).toMatchObject({
      country_code: 'CI',
      currency: 'XOF',
      flow: 'push',
      otp_kind: 'PRE',
      takes_payouts: true,
      is_active: true,
    })
    expect(networkByCode('coris_bj')).toMatchObject({
      otp_kind: 'POST',
      otp_instructions: 'Enter the code received by SMS',
      takes_payouts: false,
      is_active: false,
    })
    expect(networkByCode('card')).toMatchObject({ currency: 'USD', flow: 'redirect' })
  })

  it('prices payins on top and payouts out of the amount, in hundredths', async () => {
    const { networkByCode } = await catalogueIn(database.owner)(1n)
    const rules = await pricesIn(database.owner)(demoMerchant.id, 1n)
    const network = networkByCode('touchcash_bf')?.id ?? ''
    expect(rules.of(network, 'COLLECT')?.tiers).toEqual([
      {
        min_amount: 20_000n,
        max_amount: 10_000_000_000n,
        percent_ppm: 50_000n,
        fixed: 0n,
        floor_amount: null,
        cap_amount: null,
        fee_charge_mode: 'ADD_ON',
      },
    ])
    expect(rules.of(network, 'DISBURSE')?.tiers).toEqual([
      {
        min_amount: 100n,
        max_amount: 10_000_000_000n,
        percent_ppm: 38_000n,
        fixed: 0n,
        floor_amount: 45_000n,
        cap_amount: null,
        fee_charge_mode: 'DEDUCTED',
      },
    ])
    expect(rules.of(networkByCode('mtn_ng')?.id ?? '', 'DISBURSE')).toBeUndefined()
  })

  it('gives each network two sandbox routes, whole francs where there is no minor unit', async () => {
    const { networks, networkByCode } = await catalogueIn(database.owner)(1n)
    const routes = await routesIn(database.owner)(1n)
    for (const network of networks) {
      expect(routes.of(network.id, 'COLLECT', 'SANDBOX')).toHaveLength(2)
      const payouts = routes.of(network.id, 'DISBURSE', 'SANDBOX')
      expect(payouts).toHaveLength(network.takes_payouts ? 2 : 0)
      expect(routes.of(network.id, 'COLLECT', 'LIVE')).toEqual([])
    }
    const wave = networkByCode('wave_sn')?.id ?? ''
    expect(routes.of(wave, 'COLLECT', 'SANDBOX')).toMatchObject([
      { gateway_code: 'simulator_a', cost_percent_ppm: 15_000n, amount_step: 100n, breaker: false },
      { gateway_code: 'simulator_b', cost_percent_ppm: 16_000n, amount_step: 100n, breaker: false },
    ])
    expect(routes.of(wave, 'DISBURSE', 'SANDBOX')).toMatchObject([
      { gateway_code: 'simulator_a', cost_percent_ppm: 10_000n },
      { gateway_code: 'simulator_b', cost_percent_ppm: 11_000n },
    ])
    const ghana = networkByCode('mtn_gh')?.id ?? ''
    expect(routes.of(ghana, 'COLLECT', 'SANDBOX')[0]?.amount_step).toBe(1n)
  })

  it('has a way between the currencies of any two networks', async () => {
    const rates = await currentRatesIn(database.owner)(1n)
    const { networks } = await catalogueIn(database.owner)(1n)
    const currencies = [...new Set(networks.map((network) => network.currency))]
    for (const from of currencies) {
      for (const to of currencies) {
        expect(convert(rates, { amount: 1_000_000n, from, to }), `${from} ${to}`).toBeDefined()
      }
    }
    expect(convert(rates, { amount: 100n, from: 'EUR', to: 'XAF' })?.rate_e8).toBe(65_595_700_000n)
    expect(convert(rates, { amount: 100n, from: 'XOF', to: 'XAF' })?.rate_e8).toBe(100_000_000n)
  })
})

describe('seedCatalogue again', () => {
  it('adds nothing and leaves the version, so no process reads the catalogue anew', async () => {
    const before = await version()
    expect(await seedCatalogue(database.owner)).toEqual({
      countries: 0,
      networks: 0,
      pricing_tiers: 0,
      routes: 0,
      exchange_rates: 0,
    })
    expect(await version()).toBe(before)
  })

  it('never overwrites what an operator edited', async () => {
    const sql = database.owner
    await sql`update networks set name = 'Wave', is_active = false where code = 'wave_sn'`
    await sql`update routes set priority = 9, is_active = false`
    await sql`update pricing_tiers set percent_ppm = 1`
    await seedCatalogue(sql)
    const [wave] = await sql`select name, is_active from networks where code = 'wave_sn'`
    expect(wave).toEqual({ name: 'Wave', is_active: false })
    const [edited] = await sql`
      select (select count(*)::int from routes where priority <> 9) as routes,
             (select count(*)::int from pricing_tiers where percent_ppm <> 1) as tiers`
    expect(edited).toEqual({ routes: 0, tiers: 0 })
  })

  it('adds what a later file has more, and says so by the version', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'pirogue-seeds-'))
    const networks = join(dir, 'networks.csv')
    const csv = await readFile(shippedSeeds.networks, 'utf8')
    await writeFile(
      networks,
      `${csv}MR,Mauritanie,MRU,"bankily","Bankily, ""BPM""",push,,,3,0,10,1000000,yes,1,5,,true\n`,
    )
    const before = await version()
    expect(await seedCatalogue(database.owner, { ...shippedSeeds, networks })).toMatchObject({
      countries: 1,
      networks: 1,
      pricing_tiers: 2,
      routes: 4,
    })
    await rm(dir, { recursive: true })
    expect(await version()).toBe(before + 1n)
    const { networkByCode } = await catalogueIn(database.owner)(before + 1n)
    expect(networkByCode('bankily')?.name).toBe('Bankily, "BPM"')
  })

  it('seeds once when two processes start at the same moment', async () => {
    const other = await createEmptyDatabase()
    await migrate(other.owner)
    const both = await Promise.all([seedCatalogue(other.owner), seedCatalogue(other.owner)])
    const demos = await Promise.all([seedDemoMerchant(other.owner), seedDemoMerchant(other.owner)])
    await other.drop()
    expect(both.map((one) => one.networks).sort((a, b) => a - b)).toEqual([0, shipped.networks])
    expect(demos.filter((demo) => demo.api_keys !== null)).toHaveLength(1)
  })

  it('names the file and the line of a mistake, and writes nothing', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'pirogue-seeds-'))
    const networks = join(dir, 'networks.csv')
    const [header = '', first = ''] = (await readFile(shippedSeeds.networks, 'utf8')).split('\n')
    await writeFile(networks, `${header}\n${first.replace('3.25', 'three')}\n`)
    const seeding = seedCatalogue(database.owner, { ...shippedSeeds, networks })
    await expect(seeding).rejects.toThrow(/networks\.csv.*line 2: payin_percent cannot be “three”/)
    await rm(dir, { recursive: true })
  })
})

describe('seedDemoMerchant', () => {
  it('gives three keys that authenticate, and their secrets only once', async () => {
    const demo = await seedDemoMerchant(database.owner)
    expect(demo.merchant.name).toBe('Pirogue Demo')
    // A newcomer's first receipt says a time of day that is somebody's.
    const [zone] = await database.owner`select zone from time_zones_of(${demo.merchant.id})`
    expect(zone).toEqual({ zone: 'Africa/Porto-Novo' })
    const authenticate = authenticator(database.owner)
    for (const scope of ['PAYIN', 'PAYOUT', 'BOTH'] as const) {
      const secret = demo.api_keys?.[scope] ?? ''
      expect(secret).toMatch(/^sk_test_[\w-]{43}$/)
      const { caller } = await authenticate({
        authorization: `Bearer ${secret}`,
        headers: {},
        ip: '127.0.0.1',
        request_id: 'r',
        locale: 'en',
      })
      expect(caller).toMatchObject({ merchant_id: demo.merchant.id, scope, environment: 'SANDBOX' })
    }
    expect((await seedDemoMerchant(database.owner)).api_keys).toBeNull()
    const rows = await database.owner`
      select ip_address from ip_whitelist
       where merchant_id = ${demo.merchant.id} and status = 'ACTIVE' order by ip_address`
    expect(rows.map((row) => row['ip_address'])).toEqual(['127.0.0.1', '::1'])
  })
})
