// Where worlds are played: one database, prepared once, and the parts of the service that all
// worlds of it have in common. Each world is a merchant of its own, so nothing is ever emptied.

import { randomBytes } from 'node:crypto'
import { atGroup } from '../../src/app/connect.ts'
import { isCitusLoaded, makeGroups } from '../../src/app/distribute/store.ts'
import { catalogueIn } from '../../src/catalogue/read-catalogue.ts'
import { routesIn } from '../../src/gateways/routing.ts'
import { platformMerchant } from '../../src/ledger/account.ts'
import { ensureMerchants } from '../../src/merchants/merchant.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { type Db, openDb, retryOnDeadlock } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { type Group, listGroups } from '../../src/platform/places/map-store.ts'
import { placePools } from '../../src/platform/places/place-pools.ts'
import { groupsOf, homeOf } from '../../src/platform/places/places.ts'
import { type PricesOf, pricesIn } from '../../src/pricing/rules.ts'
import type { Tier } from '../../src/pricing/tier.ts'
import { currentRatesIn, type RatesOf } from '../../src/rates/current-rates.ts'
import type { DatabaseOptions, OwnerSql } from '../setup/database.ts'
import { largeAbove } from './payout-world.ts'

/** The operators' codes, in the order of a world's `operators`. */
export const codes = ['world_a', 'world_b'] as const
/** No code, no code, one made beforehand, one sent to the phone. */
export const networks = ['mtn_bj', 'moov_bj', 'celtiis_bj', 'coris_bj'] as const

/** And one of another country, in the same currency. */
export const allNetworks = [...networks, 'mtn_ci'] as const

/** Payout methods for each merchant, under ids of its own. */
export const methods = {
  phone: '00000000-0000-7000-8000-0000000000a1',
  bank: '00000000-0000-7000-8000-0000000000a2',
} as const

/** The two of the staff who decide in a world. */
export const staffIds = [
  '00000000-0000-7000-8000-0000000000f1',
  '00000000-0000-7000-8000-0000000000f2',
] as const

export type Stage = Readonly<{
  db: Db
  owner: OwnerSql
  gateway_ids: ReadonlyMap<string, Readonly<{ id: string; environment: 'SANDBOX' }>>
  keyring: ReturnType<typeof openKeyring>
  catalogue: ReturnType<typeof catalogueIn>
  routes: ReturnType<typeof routesIn>
  /** Prices and rates as they may stand, one beside the other; each world goes over to others. */
  markets: readonly Market[]
  /** Merchants that no world has taken yet, and how many were taken. */
  merchants: { free: string[]; taken: number }
  close(): Promise<void>
}>

/** No world's merchant has prices of its own. */
export type Market = Readonly<{ prices: PricesOf; rates: RatesOf }>

/** What each market adds to each tier, in parts per million; rates fall by a tenth of that. */
export const dearerBy = [0n, 10_000n, 25_000n] as const

function marketsOf(db: Db): Market[] {
  const prices = pricesIn(db)
  const rates = currentRatesIn(db)
  return dearerBy.map((more) => ({
    prices: async (_merchant_id, version) => {
      const rules = await prices(platformMerchant.SANDBOX, version)
      const tierOf = (tier: Tier): Tier => ({ ...tier, percent_ppm: tier.percent_ppm + more })
      return {
        of: (network_id, direction) => {
          const rule = rules.of(network_id, direction)
          return rule && { ...rule, tiers: rule.tiers.map(tierOf) }
        },
      }
    },
    rates: async (version) =>
      (await rates(version)).map((one) => ({ ...one, rate: lower(one.rate, more) })),
  }))
}

/** At most eight digits, as a rate is kept. */
const lower = (rate: string, by_ppm: bigint): string =>
  String(Number((Number(rate) * (1 - Number(by_ppm) / 10_000_000)).toFixed(8)))

/** `owner` is connected to a migrated and seeded database that is this stage's own. */
export async function openStage(owner: OwnerSql, options: DatabaseOptions): Promise<Stage> {
  const ids = await furnish(owner)
  // Each statement is planned once a connection: worlds are many, and their tables are alike.
  await owner`alter database ${owner(options.database)} set plan_cache_mode = force_generic_plan`
  const client = {
    ...options,
    role: 'pirogue_app',
    connections_max: 8,
    durable: false,
    application_name: 'worlds',
  } as const
  const db = openDb(client)
  const open = (group: Group) => openDb({ ...client, ...atGroup(options, group) })
  const readMap = () => listGroups(db)
  const leave = await placePools({ readMap, onAway: () => undefined }, [{ control: db, open }])
  const stage: Stage = {
    db,
    owner,
    gateway_ids: new Map(
      ids.map(({ code, id }) => [code, { id, environment: 'SANDBOX' as const }]),
    ),
    keyring: openKeyring(randomBytes(32).toString('base64')),
    catalogue: catalogueIn(db),
    routes: routesIn(db),
    markets: marketsOf(db),
    merchants: { free: [], taken: 0 },
    async close() {
      await leave()
      await db.end({ timeout: 5 })
    },
  }
  await Promise.all([stage.catalogue(1n), stage.routes(1n)])
  await Promise.all(stage.markets.flatMap(({ prices, rates }) => [prices('', 1n), rates(1n)]))
  return stage
}

/** Two operators, each the first on two networks and the second on the others; unlike prices. */
async function furnish(owner: OwnerSql): Promise<{ code: string; id: string }[]> {
  const gateways = codes.map((code) => ({ id: newId(), code }))
  // When money really began to leave: `created_at` grows older as a world's time passes, and is a
  // moment that was read before the balance was looked at.
  for (const table of ['attempts', 'holds', 'ledger_entries']) {
    await alterEverywhere(
      owner,
      (at) => at`
      alter table ${at(table)}
        add column began_at timestamptz not null default clock_timestamp()`,
    )
  }
  if (groupsOf(owner).length > 0 && (await isCitusLoaded(owner))) await makeGroups(owner)
  await owner`delete from routes`
  await owner`
    insert into people (id, kind, email, staff_role)
    select id::uuid, 'STAFF', id || '@test.example', 'SUPERADMIN'
      from unnest(${[...staffIds]}::text[]) id`
  for (const { id, code } of gateways) {
    await owner`
      insert into gateways (id, code, adapter, name, environment)
      values (${id}, ${code}, 'scripted', ${code}, 'SANDBOX')`
  }
  const otpKinds = ['NONE', 'NONE', 'PRE', 'POST']
  for (const [at, code] of allNetworks.entries()) {
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
      for (const direction of ['COLLECT', 'DISBURSE']) {
        await owner`
          insert into routes (id, network_id, direction, gateway_id, environment, priority,
            breaker, cost_percent_ppm)
          select ${newId()}, id, ${direction}, ${gateway.id}, 'SANDBOX',
                 ${1 + ((at + place) % 2)}, false, ${10_000 + 5000 * place}
            from networks where code = ${code}`
      }
    }
  }
  return gateways
}

/** Citus takes a change of a table to every group by itself. */
async function alterEverywhere(
  owner: OwnerSql,
  alter: (at: OwnerSql) => PromiseLike<unknown>,
): Promise<void> {
  await alter(owner)
  if (await isCitusLoaded(owner)) return
  for (const group of groupsOf(owner)) await alter(group)
}

const merchantsAtOnce = 100

/** A merchant of the world's own and its number, by which its payers' phones are told apart. */
export async function newMerchant({ owner, merchants }: Stage): Promise<[id: string, no: number]> {
  while (merchants.free.length === 0) {
    const more = Array.from({ length: merchantsAtOnce }, () => newId())
    await ensureMerchants(
      owner,
      more.map((id) => ({ id, name: 'A world', is_house: false })),
    )
    await owner`
      insert into payout_limits (merchant_id, id, environment, country, currency, approval_above)
      select id::uuid, gen_random_uuid(), 'SANDBOX', 'BJ', 'XOF', ${largeAbove * 100}
        from unnest(${more}::text[]) id`
    for (const [home, ids] of byHome(owner, more)) {
      await home`
        insert into payout_methods (merchant_id, id, country, type, network_id, msisdn)
        select m::uuid, ${methods.phone}, 'BJ', 'MOBILE_MONEY', n.id, '+2290197000010'
          from unnest(${ids}::text[]) m, networks n where n.code = ${networks[0]}`
      await home`
        insert into payout_methods (merchant_id, id, country, type, bank_name, account_number)
        select m::uuid, ${methods.bank}, 'BJ', 'BANK_ACCOUNT', 'bank', '1'
          from unnest(${ids}::text[]) m`
    }
    merchants.free.push(...more)
  }
  merchants.taken += 1
  return [merchants.free.pop() ?? '', merchants.taken]
}

function byHome(owner: OwnerSql, merchant_ids: readonly string[]): Map<OwnerSql, string[]> {
  const found = new Map<OwnerSql, string[]>()
  for (const id of merchant_ids) {
    const home = homeOf(owner, id)
    found.set(home, [...(found.get(home) ?? []), id])
  }
  return found
}

/** When something can be asked next (`null`: nothing is due), and whether a payment is pending. */
export type Due = Readonly<{ seconds: number | null; pending: boolean }>

/** `lapsing`: relation of approvals that are waited for; `waiting`: of payouts without a float. */
const secondsToDue = (owner: OwnerSql, lapsing: string, waiting: string) => owner`
  ceil(extract(epoch from least(
    min(greatest(due_at, leased_until, asked_at + interval '2 seconds'))
      filter (where due_at is not null),
    (select min(l.lapses_at) from ${owner(lapsing)} l where l.status = 'REQUIRED'),
    (select min(w.due_at) from ${owner(waiting)} w)
  ) - now()))::int as seconds`

/** A payout whose operator never says what became of it is left to two people (money 1). */
const isPending = (owner: OwnerSql, merchant_id: string) => owner`
  exists (select 1 from transactions t
           where t.merchant_id = ${merchant_id} and t.status = 'PENDING'
             and not ${isForPeople(owner)}) as pending`

const isForPeople = (owner: OwnerSql) => owner`
  (t.transaction_type = 'RETRAIT' and exists (
    select 1 from incidents i
     where i.merchant_id = t.merchant_id and i.transaction_id = t.id
       and i.type = 'OUTCOME_UNKNOWN' and i.status = 'OPEN'))`

/** `idle`: pending transactions for which no question is due, so that nobody would move them. */
export async function look(
  { owner }: Stage,
  merchant_id: string,
): Promise<Due & Readonly<{ idle: readonly string[] }>> {
  const [row] = await homeOf(owner, merchant_id)<(Due & { idle: string[] })[]>`
    with approvals as (
      select status, lapses_at from payout_approvals where merchant_id = ${merchant_id}),
    waits as (select transaction_id, due_at from payout_waits where merchant_id = ${merchant_id})
    select ${secondsToDue(owner, 'approvals', 'waits')}, ${isPending(owner, merchant_id)},
           array(select t.id::text from transactions t
                  where t.merchant_id = ${merchant_id} and t.status = 'PENDING'
                    and not ${isForPeople(owner)}
                    and not exists (
                      select 1 from payout_approvals p
                       where p.merchant_id = t.merchant_id and p.transaction_id = t.id
                         and p.status = 'REQUIRED')
                    and not exists (select 1 from waits w where w.transaction_id = t.id)
                    and not exists (
                      select 1 from attempts a
                       where a.merchant_id = t.merchant_id and a.transaction_id = t.id
                         and a.status in ('PENDING', 'UNKNOWN') and a.due_at is not null)) as idle
      from attempts where merchant_id = ${merchant_id}`
  return row ?? { seconds: null, pending: false, idle: [] }
}

/** Seconds until the asking time of the newest open attempt is over; 0 when nothing is open. */
export async function askingTimeLeft({ owner }: Stage, merchant_id: string): Promise<number> {
  const [row] = await homeOf(owner, merchant_id)<{ seconds: number }[]>`
    select coalesce(ceil(extract(epoch from max(asking_until) - now())), 0)::int as seconds
      from attempts where merchant_id = ${merchant_id} and status in ('PENDING', 'UNKNOWN')`
  return row?.seconds ?? 0
}

/**
 * Time passes for the merchant: what they have that knows a time becomes this much older, in one
 * statement. (No rule looks at the times of transactions.) What is due then.
 */
export async function age({ owner }: Stage, merchant_id: string, seconds: number): Promise<Due> {
  const by = `${seconds} seconds`
  // Two of these at once may meet each other's rows in another order.
  const [row] = await retryOnDeadlock(
    () => homeOf(owner, merchant_id)<Due[]>`
    with aged_attempts as (
      update attempts
         set created_at = created_at - ${by}::interval,
             leased_until = leased_until - ${by}::interval,
             due_at = due_at - ${by}::interval, asked_at = asked_at - ${by}::interval,
             send_started_at = send_started_at - ${by}::interval,
             send_deadline = send_deadline - ${by}::interval,
             asking_until = asking_until - ${by}::interval,
             accepted_at = accepted_at - ${by}::interval,
             acknowledged_at = acknowledged_at - ${by}::interval,
             not_found_at = not_found_at - ${by}::interval,
             finished_at = finished_at - ${by}::interval
       where merchant_id = ${merchant_id}
      returning due_at, leased_until, asked_at
    ), aged_keys as (
      update idempotency_keys set leased_until = leased_until - ${by}::interval
       where merchant_id = ${merchant_id} and status is null
    ), aged_approvals as (
      update payout_approvals set lapses_at = lapses_at - ${by}::interval
       where merchant_id = ${merchant_id}
      returning status, lapses_at
    ), aged_waits as (
      update payout_waits set due_at = due_at - ${by}::interval,
             created_at = created_at - ${by}::interval
       where merchant_id = ${merchant_id}
      returning due_at
    ), aged_reversals as (
      update payout_reversals set due_at = due_at - ${by}::interval,
             look_again_at = look_again_at - ${by}::interval,
             ended_at = ended_at - ${by}::interval,
             created_at = created_at - ${by}::interval
       where merchant_id = ${merchant_id}
    ), aged_refunds as (
      update refunds set lapses_at = lapses_at - ${by}::interval,
             send_again_at = send_again_at - ${by}::interval,
             created_at = created_at - ${by}::interval
       where merchant_id = ${merchant_id}
    ), aged_settlements as (
      update settlements set waits_until = waits_until - ${by}::interval,
             send_again_at = send_again_at - ${by}::interval
       where merchant_id = ${merchant_id} and waits_until is not null
    ), aged_transfers as (
      update wallet_transfers set lapses_at = lapses_at - ${by}::interval
       where merchant_id = ${merchant_id} and status = 'PENDING'
    ), aged_sessions as (
      update checkout_sessions set due_at = due_at - ${by}::interval,
             expires_at = expires_at - ${by}::interval
       where merchant_id = ${merchant_id} and status = 'PENDING'
    ), aged_logs as (
      update transaction_status_logs set created_at = created_at - ${by}::interval
       where merchant_id = ${merchant_id}
    )
    select ${secondsToDue(owner, 'aged_approvals', 'aged_waits')}, ${isPending(owner, merchant_id)}
      from aged_attempts`,
  )
  return row ?? { seconds: null, pending: false }
}
