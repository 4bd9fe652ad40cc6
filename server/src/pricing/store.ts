// The statements about prices.

import { nameList, selectList, typedList } from '../platform/columns.ts'
import type { Fragment, Sql } from '../platform/db.ts'
import { control } from '../platform/places/places.ts'
import { jsonRows } from '../platform/sql.ts'
import { type Tier, tierRow } from './tier.ts'

/** The direction of the money and its owner: TOP_UP is a payin of the merchant's own. */
export type Direction = 'COLLECT' | 'DISBURSE' | 'TOP_UP'
export type TierRow = Tier & Readonly<{ rule_id: string; network_id: string; direction: Direction }>

export async function listDefaultTiers(sql: Sql): Promise<TierRow[]> {
  return sql<TierRow[]>`
    select r.id as rule_id, r.network_id, r.direction, ${selectList(sql, tierRow, 't')}
      from pricing_rules r join pricing_tiers t on t.pricing_rule_id = r.id
     order by r.network_id, r.direction, t.min_amount`
}

export async function listMerchantTiers(sql: Sql, merchant_id: string): Promise<TierRow[]> {
  return sql<TierRow[]>`
    select r.id as rule_id, r.network_id, r.direction, ${selectList(sql, tierRow, 't')}
      from merchant_pricing_rules r
      join merchant_pricing_tiers t
        on t.merchant_id = r.merchant_id and t.merchant_pricing_rule_id = r.id
     where r.merchant_id = ${merchant_id}
     order by r.network_id, r.direction, t.min_amount`
}

export type NewRule = Readonly<{
  id: string
  network_code: string
  direction: Direction
  tiers: readonly (Tier & { id: string })[]
}>

/** The tiers of new rules as a relation, each with its rule's id. */
function tiersOf(sql: Sql, rules: readonly NewRule[]): Fragment {
  const tiers = rules.flatMap(({ id, tiers }) => tiers.map((tier) => ({ ...tier, rule_id: id })))
  return jsonRows(sql, tiers, sql`id uuid, rule_id uuid, ${typedList(sql, tierRow)}`)
}

/**
 * Writes the default rules, with their tiers, of the networks and directions that have none yet;
 * how many tiers that were. Overlapping tiers are refused by the table.
 */
export async function insertRules(sql: Sql, rules: readonly NewRule[]): Promise<number> {
  const made = await sql`
    with made as (
      insert into pricing_rules (id, network_id, direction)
      select r.id, n.id, r.direction
        from ${jsonRows(
          sql,
          rules,
          sql`
        id uuid, network_code text, direction text`,
        )} as r
        join networks n on n.code = r.network_code
      on conflict (network_id, direction) do nothing
      returning id
    )
    insert into pricing_tiers (id, pricing_rule_id, ${nameList(sql, tierRow)})
    select t.id, made.id, ${selectList(sql, tierRow, 't')}
      from ${tiersOf(sql, rules)} as t
      join made on made.id = t.rule_id
    returning id`
  return made.count
}

/**
 * Writes a merchant's own rules: each overrides the network's default (contract 2.4). The table
 * refuses a second one for the same place, and overlapping tiers.
 */
export async function insertMerchantRules(
  sql: Sql,
  merchant_id: string,
  rules: readonly NewRule[],
): Promise<number> {
  const made = await sql`
    with made as (
      insert into merchant_pricing_rules (merchant_id, id, network_id, direction)
      select ${merchant_id}, r.id, n.id, r.direction
        from ${jsonRows(
          sql,
          rules,
          sql`
        id uuid, network_code text, direction text`,
        )} as r
        join networks n on n.code = r.network_code
      returning id
    )
    insert into merchant_pricing_tiers (merchant_id, id, merchant_pricing_rule_id,
      ${nameList(sql, tierRow)})
    select ${merchant_id}, t.id, made.id, ${selectList(sql, tierRow, 't')}
      from ${tiersOf(sql, rules)} as t
      join made on made.id = t.rule_id
    returning id`
  return made.count
}

/** The rule that charged it, as it was then. */
export type ChargedBy = Readonly<{
  merchant_id: string
  pricing_rule: string | null
  merchant_pricing_rule: string | null
}>

/** Whether the price that charged it gives its fee back; one that is gone gives nothing. */
export async function isFeeGivenBack(
  sql: Sql,
  { merchant_id, pricing_rule, merchant_pricing_rule }: ChargedBy,
): Promise<boolean> {
  const [row] = await control(sql)<{ is_fee_returned: boolean }[]>`
    select is_fee_returned from merchant_pricing_rules
     where merchant_id = ${merchant_id} and id = ${merchant_pricing_rule}
    union all
    select is_fee_returned from past_merchant_pricing_rules
     where merchant_id = ${merchant_id} and id = ${merchant_pricing_rule}
    union all
    select is_fee_returned from pricing_rules
     where id = ${pricing_rule} and ${merchant_pricing_rule}::uuid is null
    union all
    select is_fee_returned from past_pricing_rules
     where id = ${pricing_rule} and ${merchant_pricing_rule}::uuid is null`
  return row?.is_fee_returned ?? false
}
