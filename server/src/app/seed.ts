// Filling a new installation (contract 7.1, 7.3). Law: safe at every start, of several
// processes at once; what operators edited is never overwritten, only what is missing is added.

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import {
  addCountries,
  addMarks,
  addNetworks,
  publishCatalogue,
} from '../catalogue/extend-catalogue.ts'
import { addGateways, addRoutes } from '../gateways/gateways.ts'
import { platformMerchant } from '../ledger/account.ts'
import { replaceKey } from '../merchants/keys/issue-keys.ts'
import { ensureMerchants } from '../merchants/merchant.ts'
import { whitelistAddress } from '../merchants/whitelist/change-whitelist.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import type { Scope } from '../platform/http/route.ts'
import { addRules } from '../pricing/admin/set-rule.ts'
import { addRates } from '../rates/add-rate.ts'
import { planCatalogue, planMarks, planRates, sandboxGateways } from './seed-plan.ts'

/** Paths of the three seed files. */
export type SeedFiles = Readonly<{
  networks: string
  network_marks: string
  exchange_rates: string
}>

export const shippedSeeds: SeedFiles = {
  networks: fileURLToPath(new URL('../../seeds/networks.csv', import.meta.url)),
  network_marks: fileURLToPath(new URL('../../seeds/network-marks.csv', import.meta.url)),
  exchange_rates: fileURLToPath(new URL('../../seeds/exchange-rates.csv', import.meta.url)),
}

export type Seeded = Readonly<{
  countries: number
  networks: number
  pricing_tiers: number
  routes: number
  exchange_rates: number
}>

/**
 * The platform merchants, the catalogue, its prices, the sandbox's gateways and routes, the
 * exchange rates. `db` is the owner's. Returns how many rows were missing; when none were, cached
 * copies of the catalogue stay valid.
 */
export async function seedCatalogue(db: Db, files: SeedFiles = shippedSeeds): Promise<Seeded> {
  const plan = await readPlan(files.networks, planCatalogue)
  const marks = await readPlan(files.network_marks, planMarks)
  const rates = await readPlan(files.exchange_rates, planRates)
  return inTransaction(db, async (tx) => {
    await ensureMerchants(tx, [
      { id: platformMerchant.SANDBOX, name: 'House (sandbox)', is_house: true },
      { id: platformMerchant.LIVE, name: 'House (live)', is_house: true },
    ])
    const countries = await addCountries(tx, plan.countries)
    const networks = await addNetworks(tx, plan.networks)
    const marked = await addMarks(tx, marks)
    const pricing_tiers = await addRules(tx, plan.rules)
    const gateways = await addGateways(tx, sandboxGateways())
    const routes = await addRoutes(tx, plan.routes)
    const exchange_rates = await addRates(tx, rates)
    const catalogue = countries + networks + marked
    const added = catalogue + pricing_tiers + gateways + routes + exchange_rates
    if (added > 0) await publishCatalogue(tx)
    return { countries, networks, pricing_tiers, routes, exchange_rates }
  })
}

async function readPlan<T>(path: string, plan: (csv: string) => T): Promise<T> {
  const csv = await readFile(path, 'utf8')
  try {
    return plan(csv)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`The seed file ${path} cannot be used: ${reason}.`, { cause: error })
  }
}

/** One well-known id, so that of several first starts only one makes the demo. */
export const demoMerchant = {
  id: '00000000-0000-7000-8000-0000000000d0',
  name: 'Pirogue Demo',
} as const

export type DemoMade = Readonly<{
  merchant: Readonly<{ id: string; name: string }>
  api_keys: Readonly<Record<Scope, string>>
}>

export type DemoSeeded = Readonly<{
  merchant: DemoMade['merchant']
  /** The secrets, this once; null when the demo merchant was there already. */
  api_keys: DemoMade['api_keys'] | null
}>

/** The demo merchant with one sandbox key of each scope and this machine whitelisted. */
export async function seedDemoMerchant(db: Db): Promise<DemoSeeded> {
  const made = await inTransaction(db, ensureDemoMerchant)
  return made ?? { merchant: demoMerchant, api_keys: null }
}

/** Null when the merchant was there already; a rival that makes it is waited for. */
export async function ensureDemoMerchant(tx: Tx): Promise<DemoMade | null> {
  const { id, name } = demoMerchant
  if ((await ensureMerchants(tx, [{ id, name, is_house: false, country: 'BJ' }])) === 0) return null
  for (const ip_address of ['127.0.0.1', '::1']) {
    await whitelistAddress(tx, { merchant_id: id, ip_address, label: 'This machine' })
  }
  return renewDemoKeys(tx)
}

/** One sandbox key of each scope; those that were there before are revoked. */
export async function renewDemoKeys(tx: Tx): Promise<DemoMade> {
  const { id: merchant_id } = demoMerchant
  const secretOf = async (scope: Scope): Promise<string> => {
    const request = { merchant_id, environment: 'SANDBOX', scope, name: `Demo ${scope}` } as const
    return (await replaceKey(tx, request)).secret
  }
  const api_keys = {
    PAYIN: await secretOf('PAYIN'),
    PAYOUT: await secretOf('PAYOUT'),
    BOTH: await secretOf('BOTH'),
  }
  return { merchant: { ...demoMerchant }, api_keys }
}
