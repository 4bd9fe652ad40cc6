// The price of a merchant's top-ups (contract 8.13): a rule of its own where staff have set one.
// Without it a top-up takes the amounts that a payin takes, and costs nothing.

import type { Rule, Rules } from './rules.ts'
import type { Tier } from './tier.ts'

/** Undefined where neither top-ups nor payins are priced. */
export function topUpRule(rules: Rules, network_id: string): Rule | undefined {
  const own = rules.of(network_id, 'TOP_UP')
  if (own !== undefined) return own
  const payin = rules.of(network_id, 'COLLECT')
  return payin && { ...payin, tiers: payin.tiers.map(free) }
}

const free = (tier: Tier): Tier => ({
  ...tier,
  percent_ppm: 0n,
  fixed: 0n,
  floor_amount: null,
  cap_amount: null,
})
