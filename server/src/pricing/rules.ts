// The rule that prices a payment of a merchant on a network: the merchant's own, otherwise the
// network's default.

import type { Db } from '../platform/db.ts'
import { type Versioned, versioned, versionedBy } from '../platform/versioned.ts'
import { type Direction, listDefaultTiers, listMerchantTiers, type TierRow } from './store.ts'
import type { Tier } from './tier.ts'

export type Rule = Readonly<{
  /** Null: nothing is charged, and by no rule. */
  id: string | null
  is_custom: boolean
  tiers: readonly Tier[]
}>

/** By network and direction; undefined where nothing is priced. */
export type Rules = Readonly<{ of(network_id: string, direction: Direction): Rule | undefined }>

export type PricesOf = (merchant_id: string, version: bigint) => Promise<Rules>

/** Prices in memory: the defaults once, each merchant's own beside them. */
export function pricesIn(db: Db): PricesOf {
  const defaults: Versioned<Map<string, Rule>> = versioned(async () =>
    grouped(await listDefaultTiers(db), false),
  )
  const own = versionedBy(async (merchant_id: string) =>
    grouped(await listMerchantTiers(db, merchant_id), true),
  )
  return async (merchant_id, version) => {
    const [shared_rules, own_rules] = await Promise.all([
      defaults(version),
      own(merchant_id, version),
    ])
    return {
      of: (network_id, direction) => {
        const key = `${network_id} ${direction}`
        return own_rules.get(key) ?? shared_rules.get(key)
      },
    }
  }
}

function grouped(rows: readonly TierRow[], is_custom: boolean): Map<string, Rule> {
  const rules = new Map<string, Rule>()
  for (const { rule_id, network_id, direction, ...tier } of rows) {
    const key = `${network_id} ${direction}`
    const rule = rules.get(key)
    rules.set(key, { id: rule_id, is_custom, tiers: [...(rule?.tiers ?? []), tier] })
  }
  return rules
}

// The price of a merchant's top-ups (contract 8.13): a rule of its own where staff have set one.
// Without it a top-up takes the amounts that a payin takes, and costs nothing.

/** Undefined where neither top-ups nor payins are priced. */
export function topUpRule(rules: Rules, network_id: string): Rule | undefined {
  const own = rules.of(network_id, 'TOP_UP')
  if (own !== undefined) return own
  const payin = rules.of(network_id, 'COLLECT')
  return payin && { id: null, is_custom: false, tiers: payin.tiers.map(free) }
}

const free = (tier: Tier): Tier => ({
  ...tier,
  percent_ppm: 0n,
  fixed: 0n,
  floor_amount: null,
  cap_amount: null,
})
