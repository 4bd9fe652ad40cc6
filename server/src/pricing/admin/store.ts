// Statements about prices as staff set them. The row of a network and direction holds the rule in
// force; a replaced one is kept, tiers and all, in the tables of past rules, which nobody changes.

import { jsonList, nameList, selectList, typedList, valuesOf } from '../../platform/columns.ts'
import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import { jsonRows } from '../../platform/sql.ts'
import { type Tier, tierRow } from '../tier.ts'
import type { Direction, StaffRule } from './rule.ts'

export type RuleFilters = Readonly<{
  network?: string | undefined
  country?: string | undefined
  direction?: Direction | undefined
}>

type RuleRow = Omit<StaffRule, 'tiers'> & Tier

/** One row a tier, by rule, becomes one rule with its tiers. */
function grouped(rows: readonly RuleRow[]): StaffRule[] {
  const rules = new Map<string, StaffRule>()
  for (const row of rows) {
    const tiers = [...(rules.get(row.id)?.tiers ?? []), valuesOf(tierRow, row)]
    rules.set(row.id, {
      id: row.id,
      merchant_id: row.merchant_id,
      network_id: row.network_id,
      network_code: row.network_code,
      country_code: row.country_code,
      currency: row.currency,
      direction: row.direction,
      is_fee_returned: row.is_fee_returned,
      created_at: row.created_at,
      replaced_at: row.replaced_at,
      tiers,
    })
  }
  return [...rules.values()]
}

const tierColumns = (sql: Sql): Fragment => selectList(sql, tierRow, 't')

const networkColumns = (sql: Sql): Fragment => sql`
  n.code as network_code, c.iso_code as country_code, n.currency`

/** The tiers of a past rule, back from what was kept of them. */
const pastTiers = (sql: Sql): Fragment => sql`
  jsonb_to_recordset(r.tiers) as t(${typedList(sql, tierRow)})`

const letThrough = (sql: Sql, { network, country, direction }: RuleFilters): Fragment => sql`
  ${network === undefined ? sql`true` : sql`n.code = ${network}`}
  ${country === undefined ? sql`` : sql`and c.iso_code = ${country}`}
  ${direction === undefined ? sql`` : sql`and r.direction = ${direction}`}`

/** The rules in force, by country, network and direction. */
export async function listRules(sql: Sql, filters: RuleFilters): Promise<StaffRule[]> {
  const rows = await sql<RuleRow[]>`
    select r.id, null::uuid as merchant_id, r.network_id, ${networkColumns(sql)}, r.direction,
           r.is_fee_returned, r.created_at, null::timestamptz as replaced_at, ${tierColumns(sql)}
      from pricing_rules r
      join pricing_tiers t on t.pricing_rule_id = r.id
      join networks n on n.id = r.network_id
      join countries c on c.id = n.country_id
     where ${letThrough(sql, filters)}
     order by c.iso_code, n.code, r.direction, t.min_amount`
  return grouped(rows)
}

/** In force or replaced. */
export async function findRule(sql: Sql, id: string): Promise<StaffRule | undefined> {
  const rows = await sql<RuleRow[]>`
    select r.id, null::uuid as merchant_id, r.network_id, ${networkColumns(sql)}, r.direction,
           r.is_fee_returned, r.created_at, null::timestamptz as replaced_at, ${tierColumns(sql)}
      from pricing_rules r
      join pricing_tiers t on t.pricing_rule_id = r.id
      join networks n on n.id = r.network_id
      join countries c on c.id = n.country_id
     where r.id = ${id}
    union all
    select r.id, null::uuid, r.network_id, ${networkColumns(sql)}, r.direction, r.is_fee_returned,
           r.created_at, r.replaced_at, ${tierColumns(sql)}
      from past_pricing_rules r
      join networks n on n.id = r.network_id
      join countries c on c.id = n.country_id
     cross join ${pastTiers(sql)}
     where r.id = ${id}
     order by min_amount`
  return grouped(rows)[0]
}

/** The network and direction that a rule prices. */
export type Slot = Readonly<{ network_id: string; direction: Direction }>

type Priced = Slot & Readonly<{ is_fee_returned: boolean }>

/** True when the slot had no rule; a rival that fills it just now is waited for. */
export async function insertRule(tx: Tx, id: string, slot: Priced): Promise<boolean> {
  const rows = await tx`
    insert into pricing_rules (id, network_id, direction, is_fee_returned)
    values (${id}, ${slot.network_id}, ${slot.direction}, ${slot.is_fee_returned})
    on conflict (network_id, direction) do nothing
    returning id`
  return rows.count === 1
}

/** False when no rule in force has this id (any more). */
export async function lockRule(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx`select id from pricing_rules where id = ${id} for update`
  return rows.count === 1
}

/** Keeps a copy of the rule in force, and removes its tiers. Under its lock. */
export async function retireRule(tx: Tx, id: string): Promise<void> {
  await tx`
    insert into past_pricing_rules (id, network_id, direction, tiers, is_fee_returned, created_at)
    select r.id, r.network_id, r.direction, ${keptTiers(tx)}, r.is_fee_returned, r.created_at
      from pricing_rules r
      join pricing_tiers t on t.pricing_rule_id = r.id
     where r.id = ${id}
     group by r.id`
  await tx`delete from pricing_tiers where pricing_rule_id = ${id}`
}

type NextRule = Readonly<{ id: string; is_fee_returned: boolean }>

/** A retired rule's place is taken by one of a new id, without tiers yet. */
export async function updateRuleId(tx: Tx, id: string, next: NextRule): Promise<void> {
  await tx`
    update pricing_rules
       set id = ${next.id}, is_fee_returned = ${next.is_fee_returned}, created_at = now(),
           updated_at = now()
     where id = ${id}`
}

const keptTiers = (sql: Sql): Fragment => sql`
  jsonb_agg(
    jsonb_build_object(${jsonList(sql, tierRow, 't')})
    order by t.min_amount)`

export type NewTier = Tier & Readonly<{ id: string }>

const newTiers = (sql: Sql, tiers: readonly NewTier[]): Fragment =>
  jsonRows(sql, tiers, sql`id uuid, ${typedList(sql, tierRow)}`)

export async function insertTiers(tx: Tx, id: string, tiers: readonly NewTier[]): Promise<void> {
  await tx`
    insert into pricing_tiers (id, pricing_rule_id, ${nameList(tx, tierRow)})
    select t.id, ${id}, ${tierColumns(tx)} from ${newTiers(tx, tiers)} as t`
}

/** A merchant's own rules in force, a row for each tier; more conditions may follow. */
const inForce = (sql: Sql, merchant_id: string): Fragment => sql`
    select r.id, r.merchant_id, r.network_id, ${networkColumns(sql)}, r.direction,
           r.is_fee_returned, r.created_at, null::timestamptz as replaced_at, ${tierColumns(sql)}
      from merchant_pricing_rules r
      join merchant_pricing_tiers t
        on t.merchant_id = r.merchant_id and t.merchant_pricing_rule_id = r.id
      join networks n on n.id = r.network_id
      join countries c on c.id = n.country_id
     where r.merchant_id = ${merchant_id}`

/** A merchant's own rules in force, by country, network and direction. */
export async function listMerchantRules(
  sql: Sql,
  merchant_id: string,
  filters: RuleFilters,
): Promise<StaffRule[]> {
  const rows = await sql<RuleRow[]>`
    ${inForce(sql, merchant_id)} and ${letThrough(sql, filters)}
     order by c.iso_code, n.code, r.direction, t.min_amount`
  return grouped(rows)
}

export type MerchantRuleKey = Readonly<{ merchant_id: string; id: string }>

/** In force or replaced. */
export async function findMerchantRule(
  sql: Sql,
  { merchant_id, id }: MerchantRuleKey,
): Promise<StaffRule | undefined> {
  const rows = await sql<RuleRow[]>`
    ${inForce(sql, merchant_id)} and r.id = ${id}
    union all
    select r.id, r.merchant_id, r.network_id, ${networkColumns(sql)}, r.direction,
           r.is_fee_returned, r.created_at, r.replaced_at, ${tierColumns(sql)}
      from past_merchant_pricing_rules r
      join networks n on n.id = r.network_id
      join countries c on c.id = n.country_id
     cross join ${pastTiers(sql)}
     where r.merchant_id = ${merchant_id} and r.id = ${id}
     order by min_amount`
  return grouped(rows)[0]
}

/** True when the merchant had none there; a rival that makes one just now is waited for. */
export async function insertMerchantRule(
  tx: Tx,
  { merchant_id, id }: MerchantRuleKey,
  slot: Priced,
): Promise<boolean> {
  const rows = await tx`
    insert into merchant_pricing_rules (merchant_id, id, network_id, direction, is_fee_returned)
    values (${merchant_id}, ${id}, ${slot.network_id}, ${slot.direction},
            ${slot.is_fee_returned})
    on conflict (merchant_id, network_id, direction) do nothing
    returning id`
  return rows.count === 1
}

/** The id of the merchant's rule in force there, locked. */
export async function lockMerchantSlot(
  tx: Tx,
  merchant_id: string,
  { network_id, direction }: Slot,
): Promise<string | undefined> {
  const [row] = await tx<{ id: string }[]>`
    select id from merchant_pricing_rules
     where merchant_id = ${merchant_id} and network_id = ${network_id}
       and direction = ${direction}
       for update`
  return row?.id
}

/** False when the merchant has no rule in force with this id (any more). */
export async function lockMerchantRule(tx: Tx, key: MerchantRuleKey): Promise<boolean> {
  const rows = await tx`
    select id from merchant_pricing_rules
     where merchant_id = ${key.merchant_id} and id = ${key.id}
       for update`
  return rows.count === 1
}

/** Keeps a copy of the rule in force, and removes its tiers. Under its lock. */
export async function retireMerchantRule(
  tx: Tx,
  { merchant_id, id }: MerchantRuleKey,
): Promise<void> {
  await tx`
    insert into past_merchant_pricing_rules (merchant_id, id, network_id, direction, tiers,
      is_fee_returned, created_at)
    select r.merchant_id, r.id, r.network_id, r.direction, ${keptTiers(tx)}, r.is_fee_returned,
           r.created_at
      from merchant_pricing_rules r
      join merchant_pricing_tiers t
        on t.merchant_id = r.merchant_id and t.merchant_pricing_rule_id = r.id
     where r.merchant_id = ${merchant_id} and r.id = ${id}
     group by r.merchant_id, r.id`
  await tx`
    delete from merchant_pricing_tiers
     where merchant_id = ${merchant_id} and merchant_pricing_rule_id = ${id}`
}

/** A retired rule's place is taken by one of a new id, without tiers yet. */
export async function updateMerchantRuleId(
  tx: Tx,
  { merchant_id, id }: MerchantRuleKey,
  next: NextRule,
): Promise<void> {
  await tx`
    update merchant_pricing_rules
       set id = ${next.id}, is_fee_returned = ${next.is_fee_returned}, created_at = now(),
           updated_at = now()
     where merchant_id = ${merchant_id} and id = ${id}`
}

/** A retired rule's place is empty: the platform's rule prices the merchant there. */
export async function deleteMerchantRule(
  tx: Tx,
  { merchant_id, id }: MerchantRuleKey,
): Promise<void> {
  await tx`
    delete from merchant_pricing_rules where merchant_id = ${merchant_id} and id = ${id}`
}

export async function insertMerchantTiers(
  tx: Tx,
  { merchant_id, id }: MerchantRuleKey,
  tiers: readonly NewTier[],
): Promise<void> {
  await tx`
    insert into merchant_pricing_tiers (merchant_id, id, merchant_pricing_rule_id,
      ${nameList(tx, tierRow)})
    select ${merchant_id}, t.id, ${id}, ${tierColumns(tx)} from ${newTiers(tx, tiers)} as t`
}
