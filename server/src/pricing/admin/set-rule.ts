// Staff set the platform's own prices. A rule in force is never edited: one with a new id takes its
// place, in the transaction that makes every process read the prices anew on its next request.

import { actorOfPerson } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { requireNotDemo } from '../../catalogue/admin/require-not-demo.ts'
import { publishCatalogue } from '../../catalogue/extend-catalogue.ts'
import { getNetworkByCode } from '../../catalogue/read-catalogue.ts'
import { type Db, inTransaction, type Sql, type Tx } from '../../platform/db.ts'
import { assert, Invalid, refuse } from '../../platform/errors.ts'
import type { Environment, Person } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { newId } from '../../platform/ids.ts'
import { insertMerchantRules, insertRules, type NewRule } from '../store.ts'
import type { Tier } from '../tier.ts'
import { readTiers } from './read-tiers.ts'
import { type Direction, pricingErrors, type StaffRule, viewRule } from './rule.ts'
import {
  findRule,
  insertRule,
  insertTiers,
  lockRule,
  type NewTier,
  retireRule,
  updateRuleId,
} from './store.ts'

export type SetPricesDeps = Readonly<{
  db: Db
  /** Acts that concern no merchant are kept under this one. */
  platformMerchant: Readonly<Record<Environment, string>>
}>

/** As in the body; amounts are strings in the network's currency. */
export type TiersSent = readonly Readonly<Record<string, unknown>>[]
export type RuleRequest = Readonly<{
  network: string
  direction: Direction
  tiers: TiersSent
  /** Left out: as it was, and false for a new one. */
  is_fee_returned?: boolean
}>

/** Throws a 400 by field for a figure that is no sum of the currency. */
export function tiersIn(tiers: TiersSent, currency: string): readonly Tier[] {
  const reading = readTiers(tiers, currency)
  if (reading.is === 'invalid') throw new Invalid(reading.fields)
  return reading.tiers
}

export const withIds = (tiers: readonly Tier[]): NewTier[] =>
  tiers.map((tier) => ({ ...tier, id: newId() }))

/** What the audit log records of a rule. */
export const auditViewOf = (rule: StaffRule) => {
  const { id, network_code, direction, tiers, is_fee_returned } = viewRule(rule)
  return { id, network_code, direction, tiers, is_fee_returned }
}

export const samePrice = (
  rule: StaffRule,
  { tiers, is_fee_returned }: Pick<StaffRule, 'tiers' | 'is_fee_returned'>,
): boolean =>
  rule.is_fee_returned === is_fee_returned &&
  JSON.stringify(viewRule(rule).tiers) === JSON.stringify(viewRule({ ...rule, tiers }).tiers)

/** The price of a network and direction that has none yet. */
export function createRule(
  { db, platformMerchant }: SetPricesDeps,
  person: Person,
  request: RuleRequest,
): Promise<StaffRule> {
  return inTransaction(db, async (tx) => {
    await requireNotDemo(tx, person)
    const network = await getNetworkByCode(tx, request.network)
    const tiers = tiersIn(request.tiers, network.currency)
    const id = newId()
    const { direction, is_fee_returned = false } = request
    const slot = { network_id: network.id, direction, is_fee_returned }
    if (!(await insertRule(tx, id, slot))) throw refuse(pricingErrors.pricing_rule_exists)
    await insertTiers(tx, id, withIds(tiers))
    const rule = await inForce(tx, id)
    await recordAct(tx, {
      ...actOn(person, platformMerchant, id),
      action: 'pricing_rule.created',
      after: auditViewOf(rule),
    })
    await publishCatalogue(tx)
    return rule
  })
}

type Replacement = Pick<RuleRequest, 'tiers' | 'is_fee_returned'> & Readonly<{ id: string }>

/**
 * Other tiers from now on, under a new id. The same tiers again change nothing. Refuses an unknown
 * id, and one that was replaced: to change a price one must have seen the one in force.
 */
export function replaceRule(
  { db, platformMerchant }: SetPricesDeps,
  person: Person,
  { id, tiers: sent, ...request }: Replacement,
): Promise<StaffRule> {
  return inTransaction(db, async (tx) => {
    await requireNotDemo(tx, person)
    const is_in_force = await lockRule(tx, id)
    const was = await findRule(tx, id)
    if (was === undefined) throw refuse(transportErrors.not_found)
    const tiers = tiersIn(sent, was.currency)
    if (!is_in_force) throw refuse(pricingErrors.pricing_rule_replaced)
    const { is_fee_returned = was.is_fee_returned } = request
    if (samePrice(was, { tiers, is_fee_returned })) return was
    const next_id = newId()
    await retireRule(tx, id)
    await updateRuleId(tx, id, { id: next_id, is_fee_returned })
    await insertTiers(tx, next_id, withIds(tiers))
    const rule = await inForce(tx, next_id)
    await recordAct(tx, {
      ...actOn(person, platformMerchant, next_id),
      action: 'pricing_rule.replaced',
      before: auditViewOf(was),
      after: auditViewOf(rule),
    })
    await publishCatalogue(tx)
    return rule
  })
}

async function inForce(tx: Tx, id: string): Promise<StaffRule> {
  const rule = await findRule(tx, id)
  assert(rule !== undefined, `rule ${id} was just written`)
  return rule
}

const actOn = (
  person: Person,
  platformMerchant: SetPricesDeps['platformMerchant'],
  target_id: string,
) => ({
  merchant_id: platformMerchant[person.environment],
  environment: null,
  actor: actorOfPerson(person),
  target_kind: 'pricing_rule' as const,
  target_id,
})

// Writes prices: a network's default, and a merchant's own, which overrides it. The caller
// publishes the catalogue afterwards, so that every process reads them anew.

export type { NewRule }

/** Adds the default rules of networks and directions that have none; how many tiers. */
export const addRules = (sql: Sql, rules: readonly NewRule[]): Promise<number> =>
  insertRules(sql, rules)

/** Adds a merchant's own rules; fails when it has one for the network and direction. */
export const addMerchantRules = (
  sql: Sql,
  merchant_id: string,
  rules: readonly NewRule[],
): Promise<number> => insertMerchantRules(sql, merchant_id, rules)
