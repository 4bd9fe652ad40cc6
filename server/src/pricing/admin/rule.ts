// A pricing rule as staff see it: what is charged on one network in one direction, from when and,
// once it was replaced, until when. Law: a rule that is in force is never edited; one with a new id
// takes its place, so the id that a transaction names always shows what was charged.

import { type Static, Type } from 'typebox'
import { defineErrors } from '../../platform/errors.ts'
import { TierView, viewTier } from '../my-rates.ts'
import type { Tier } from '../tier.ts'

export const directions = ['COLLECT', 'DISBURSE', 'TOP_UP'] as const
export type Direction = (typeof directions)[number]

export type StaffRule = Readonly<{
  id: string
  /** Null: the platform's own. */
  merchant_id: string | null
  network_id: string
  network_code: string
  country_code: string
  currency: string
  direction: Direction
  created_at: Date
  /** Null: it is in force. */
  replaced_at: Date | null
  /** Its fee comes back with what is wholly given back. */
  is_fee_returned: boolean
  tiers: readonly Tier[]
}>

const uuid = Type.String({ format: 'uuid' })
const moment = Type.String({ format: 'date-time' })

const fields = {
  network: uuid,
  network_code: Type.String(),
  country_code: Type.String({ description: 'ISO 3166 alpha-2.' }),
  currency: Type.String({ description: 'ISO 4217; the currency of every amount in the tiers.' }),
  direction: Type.Enum([...directions]),
  tiers: Type.Array(TierView, { description: 'In order of their bounds, which are inclusive.' }),
  is_fee_returned: Type.Boolean({
    description:
      'Whether the fee is given back with a payment that is wholly refunded, or (our part of ' +
      'it) with a payout that comes back.',
  }),
  is_in_force: Type.Boolean(),
  created_at: Type.String({ format: 'date-time', description: 'When it came into force.' }),
  replaced_at: Type.Union([moment, Type.Null()], { description: 'When it was replaced.' }),
}

export const RuleView = Type.Object({ id: uuid, ...fields }, { title: 'PricingRule' })
export const MerchantRuleView = Type.Object(
  { id: uuid, merchant: uuid, ...fields },
  { title: 'MerchantPricingRule' },
)

export const viewRule = (rule: StaffRule): Static<typeof RuleView> => ({
  id: rule.id,
  network: rule.network_id,
  network_code: rule.network_code,
  country_code: rule.country_code,
  currency: rule.currency,
  direction: rule.direction,
  tiers: rule.tiers.map(viewTier),
  is_fee_returned: rule.is_fee_returned,
  is_in_force: rule.replaced_at === null,
  created_at: rule.created_at.toISOString(),
  replaced_at: rule.replaced_at?.toISOString() ?? null,
})

export const viewMerchantRule = (
  rule: StaffRule,
  merchant: string,
): Static<typeof MerchantRuleView> => ({ merchant, ...viewRule(rule) })

export const tierExample = {
  min_amount: '200.00',
  max_amount: '2000000.00',
  percent: '3.25',
  fixed: '0.00',
  floor_amount: null,
  cap_amount: '5000.00',
  fee_charge_mode: 'ADD_ON',
}

export const ruleExample = {
  id: '01981f3a-0000-7000-8000-00000000b701',
  network: '01981f3a-0000-7000-8000-00000000e001',
  network_code: 'wave_sn',
  country_code: 'SN',
  currency: 'XOF',
  direction: 'COLLECT',
  tiers: [tierExample],
  is_fee_returned: false,
  is_in_force: true,
  created_at: '2026-11-21T08:00:00.000Z',
  replaced_at: null,
}

// What setting prices can answer.

export const pricingErrors = defineErrors({
  pricing_rule_exists: {
    status: 409,
    message: {
      en: 'This network already has a price in this direction. Replace that rule.',
      fr: 'Ce réseau a déjà un prix dans ce sens. Remplacez cette règle.',
    },
  },
  pricing_rule_replaced: {
    status: 409,
    message: {
      en: 'This rule is no longer in force. Read the rule that is, then update that one.',
      fr: 'Cette règle n’est plus en vigueur. Lisez celle qui l’est, puis changez-la.',
    },
  },
})
