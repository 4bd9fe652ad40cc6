// Staff set a merchant's own prices, which override the platform's (contract 2.4), or restore the
// platform's. What was in force is kept, as with the platform's own.

import { actorOfPerson } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { requireNotDemo } from '../../catalogue/admin/require-not-demo.ts'
import { publishCatalogue } from '../../catalogue/extend-catalogue.ts'
import { getNetworkByCode } from '../../catalogue/read-catalogue.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import { assert, refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { newId } from '../../platform/ids.ts'
import type { Tier } from '../tier.ts'
import { pricingErrors, type StaffRule } from './rule.ts'
import { auditViewOf, type RuleRequest, samePrice, tiersIn, withIds } from './set-rule.ts'
import {
  deleteMerchantRule,
  findMerchantRule,
  insertMerchantRule,
  insertMerchantTiers,
  lockMerchantRule,
  lockMerchantSlot,
  type MerchantRuleKey,
  retireMerchantRule,
  type Slot,
  updateMerchantRuleId,
} from './store.ts'

type Deps = Readonly<{ db: Db }>
export type MerchantRuleRequest = RuleRequest & Readonly<{ merchant_id: string }>

/** Refuses when the merchant has prices of its own there. */
export function createMerchantRule(
  { db }: Deps,
  person: Person,
  request: MerchantRuleRequest,
): Promise<StaffRule> {
  return inTransaction(db, async (tx) => {
    const rule_plan = await plan(tx, person, request)
    const made = await create(tx, person, rule_plan)
    if (made === undefined) throw refuse(pricingErrors.pricing_rule_exists)
    return made
  })
}

/** Creates or replaces; the same tiers again change nothing. */
export function putMerchantRule(
  { db }: Deps,
  person: Person,
  request: MerchantRuleRequest,
): Promise<StaffRule> {
  return inTransaction(db, async (tx) => {
    const rule_plan = await plan(tx, person, request)
    return putRule(tx, person, rule_plan)
  })
}

/** Back to the platform's prices. Refuses an unknown rule, and one that is no longer in force. */
export function removeMerchantRule(
  { db }: Deps,
  person: Person,
  key: MerchantRuleKey,
): Promise<void> {
  return inTransaction(db, async (tx) => {
    await requireNotDemo(tx, person)
    await getMerchant(tx, key.merchant_id)
    const is_in_force = await lockMerchantRule(tx, key)
    const was = await findMerchantRule(tx, key)
    if (was === undefined) throw refuse(transportErrors.not_found)
    if (!is_in_force) throw refuse(pricingErrors.pricing_rule_replaced)
    await retireMerchantRule(tx, key)
    await deleteMerchantRule(tx, key)
    await recordAct(tx, {
      ...actOn(person, key),
      action: 'merchant_pricing_rule.removed',
      before: auditViewOf(was),
    })
    await publishCatalogue(tx)
  })
}

type RulePlan = Readonly<{
  merchant_id: string
  slot: Slot
  tiers: readonly Tier[]
  is_fee_returned: boolean | undefined
}>

/** Refuses an unknown merchant, and errors in the figures. */
async function plan(tx: Tx, person: Person, request: MerchantRuleRequest): Promise<RulePlan> {
  await requireNotDemo(tx, person)
  const { id: merchant_id } = await getMerchant(tx, request.merchant_id)
  const network = await getNetworkByCode(tx, request.network)
  const slot = { network_id: network.id, direction: request.direction }
  const { is_fee_returned } = request
  const tiers = tiersIn(request.tiers, network.currency)
  return { merchant_id, slot, tiers, is_fee_returned }
}

/** Undefined when the merchant has one there. */
async function create(
  tx: Tx,
  person: Person,
  { merchant_id, slot, tiers, is_fee_returned = false }: RulePlan,
): Promise<StaffRule | undefined> {
  const key = { merchant_id, id: newId() }
  if (!(await insertMerchantRule(tx, key, { ...slot, is_fee_returned }))) return undefined
  await insertMerchantTiers(tx, key, withIds(tiers))
  const made = await inForce(tx, key)
  await recordAct(tx, {
    ...actOn(person, key),
    action: 'merchant_pricing_rule.created',
    after: auditViewOf(made),
  })
  await publishCatalogue(tx)
  return made
}

async function putRule(tx: Tx, person: Person, rule_plan: RulePlan): Promise<StaffRule> {
  const made = await create(tx, person, rule_plan)
  if (made !== undefined) return made
  const { merchant_id, slot, tiers } = rule_plan
  const id = await lockMerchantSlot(tx, merchant_id, slot)
  // A rival took it out of force between the two statements: its place is free again.
  if (id === undefined) return putRule(tx, person, rule_plan)
  const was = await inForce(tx, { merchant_id, id })
  const { is_fee_returned = was.is_fee_returned } = rule_plan
  if (samePrice(was, { tiers, is_fee_returned })) return was
  const next = { merchant_id, id: newId() }
  await retireMerchantRule(tx, { merchant_id, id })
  await updateMerchantRuleId(tx, { merchant_id, id }, { id: next.id, is_fee_returned })
  await insertMerchantTiers(tx, next, withIds(tiers))
  const rule = await inForce(tx, next)
  await recordAct(tx, {
    ...actOn(person, next),
    action: 'merchant_pricing_rule.replaced',
    before: auditViewOf(was),
    after: auditViewOf(rule),
  })
  await publishCatalogue(tx)
  return rule
}

async function inForce(tx: Tx, key: MerchantRuleKey): Promise<StaffRule> {
  const rule = await findMerchantRule(tx, key)
  assert(rule !== undefined, `rule ${key.id} is in force`)
  return rule
}

const actOn = (person: Person, { merchant_id, id }: MerchantRuleKey) => ({
  merchant_id,
  environment: null,
  actor: actorOfPerson(person),
  target_kind: 'merchant_pricing_rule' as const,
  target_id: id,
})
