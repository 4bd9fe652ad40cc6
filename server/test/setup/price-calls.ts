// What stories of prices call and read: tiers as staff send them, the rule of a network, what a
// payment was charged, and what the audit log says of rules.

import { expect } from 'vitest'
import { type Json, newPayer, type Shop, type TestApp } from '../harness.ts'

/** One that every currency without a minor unit takes. */
export const tier = (changes: object = {}) => ({
  min_amount: '200',
  max_amount: '1000000',
  percent: '3.25',
  fee_charge_mode: 'ADD_ON',
  ...changes,
})

export const putTo = (by: Shop, path: string, body: unknown) =>
  by.call('PUT', path, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

/** The platform's. */
export async function ruleOf(staff: Shop, network: string, direction = 'COLLECT'): Promise<Json> {
  const { data } = await staff.get(
    `/admin/pricing-rules/?network=${network}&direction=${direction}`,
  )
  expect(data.count).toBe(1)
  return data.results[0]
}

/** What the shop is charged for 10 000 francs, and by which rule. */
export async function charged(at: Shop, network = 'mtn_bj') {
  const paid = await at.pay({ amount: '10000', network, customer: newPayer('10') })
  expect(paid.status, JSON.stringify(paid.body)).toBe(201)
  const { data } = await at.get(`/transactions/${paid.data.id}/`)
  const { id, client_fee, pricing_rule, merchant_pricing_rule } = data
  return { id, client_fee, pricing_rule, merchant_pricing_rule }
}

export const pricingActs = ({ owner }: TestApp) => owner<Json[]>`
  select action, merchant_id, environment, actor_id, target_kind, target_id, before, after
    from audit_logs where target_kind like '%pricing_rule' order by id`
