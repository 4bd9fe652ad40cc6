// Where worlds are played: one database, prepared once, and the parts of the service that all
// worlds of it have in common. Each world is a merchant of its own, so nothing is ever emptied.

import { randomBytes } from 'node:crypto'
import { catalogueIn } from '../../src/catalogue/catalogue-in-memory.ts'
import { routesIn } from '../../src/gateways/routing.ts'
import { createMerchant } from '../../src/merchants/create-merchant.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { type Db, openDb } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { pricesIn } from '../../src/pricing/rules.ts'
import { currentRatesIn } from '../../src/rates/current-rates.ts'
import type { DatabaseOptions, OwnerSql } from '../setup/database.ts'

/** The operators' codes, in the order of a world's `operators`. */
export const codes = ['world_a', 'world_b'] as const
/** No code, no code, one made beforehand, one sent to the phone. */
export const networks = ['mtn_bj', 'moov_bj', 'celtiis_bj', 'coris_bj'] as const

export type Stage = Readonly<{
  db: Db
  owner: OwnerSql
  gateway_ids: ReadonlyMap<string, Readonly<{ id: string; environment: 'SANDBOX' }>>
  keyring: ReturnType<typeof openKeyring>
  catalogue: ReturnType<typeof catalogueIn>
  routes: ReturnType<typeof routesIn>
  prices: ReturnType<typeof pricesIn>
  rates: ReturnType<typeof currentRatesIn>
  close(): Promise<void>
}>

/** `owner` is connected to a migrated and seeded database that is this stage's own. */
export async function openStage(owner: OwnerSql, options: DatabaseOptions): Promise<Stage> {
  const ids = await furnish(owner)
  const db = openDb({
    ...options,
    role: 'pirogue_app',
    connections_max: 12,
    durable: false,
    application_name: 'worlds',
  })
  const stage = {
    db,
    owner,
    gateway_ids: new Map(
      ids.map(({ code, id }) => [code, { id, environment: 'SANDBOX' as const }]),
    ),
    keyring: openKeyring(randomBytes(32).toString('base64')),
    catalogue: catalogueIn(db),
    routes: routesIn(db),
    prices: pricesIn(db),
    rates: currentRatesIn(db),
    close: () => db.end({ timeout: 5 }),
  }
  await Promise.all([stage.catalogue(1n), stage.routes(1n), stage.rates(1n)])
  return stage
}

/** Two operators, each the first on two networks and the second on the others; unlike prices. */
async function furnish(owner: OwnerSql): Promise<{ code: string; id: string }[]> {
  const gateways = codes.map((code) => ({ id: newId(), code }))
  await owner`delete from routes`
  for (const { id, code } of gateways) {
    await owner`
      insert into gateways (id, code, adapter, name, environment)
      values (${id}, ${code}, 'scripted', ${code}, 'SANDBOX')`
  }
  const otpKinds = ['NONE', 'NONE', 'PRE', 'POST']
  for (const [at, code] of networks.entries()) {
    await owner`
      update networks
         set otp_kind = ${otpKinds[at] ?? 'NONE'}, flow = 'push', is_active = true
       where code = ${code}`
    await owner`
      update pricing_tiers t set percent_ppm = ${20_000 + at * 10_000}
        from pricing_rules r, networks n
       where r.id = t.pricing_rule_id and n.id = r.network_id and n.code = ${code}
         and r.direction = 'COLLECT'`
    for (const [place, gateway] of gateways.entries()) {
      await owner`
        insert into routes (id, network_id, direction, gateway_id, environment, priority, breaker,
          cost_percent_ppm)
        select ${newId()}, id, 'COLLECT', ${gateway.id}, 'SANDBOX', ${1 + ((at + place) % 2)},
               false, ${10_000 + 5000 * place}
          from networks where code = ${code}`
    }
  }
  return gateways
}

/** A merchant of the world's own, his prices in memory. */
export async function newMerchant(stage: Stage): Promise<string> {
  const { id } = await createMerchant(stage.owner, { name: 'A world' })
  await stage.prices(id, 1n)
  return id
}

/** Time passes for the merchant: all that he has becomes this much older, in one statement. */
export async function age(stage: Stage, merchant_id: string, seconds: number): Promise<void> {
  const by = `${seconds} seconds`
  await stage.owner`
    with aged_attempts as (
      update attempts
         set created_at = created_at - ${by}::interval,
             leased_until = leased_until - ${by}::interval,
             due_at = due_at - ${by}::interval, asked_at = asked_at - ${by}::interval,
             send_started_at = send_started_at - ${by}::interval,
             send_deadline = send_deadline - ${by}::interval,
             asking_until = asking_until - ${by}::interval,
             accepted_at = accepted_at - ${by}::interval,
             finished_at = finished_at - ${by}::interval
       where merchant_id = ${merchant_id}
    ), aged_keys as (
      update idempotency_keys
         set leased_until = leased_until - ${by}::interval,
             created_at = created_at - ${by}::interval
       where merchant_id = ${merchant_id}
    ), aged_transactions as (
      update transactions
         set created_at = created_at - ${by}::interval, updated_at = updated_at - ${by}::interval
       where merchant_id = ${merchant_id}
    )
    update transaction_status_logs set created_at = created_at - ${by}::interval
     where merchant_id = ${merchant_id}`
}
