// Staff set a merchant's own prices. An unknown merchant is 404, as is a rule of another.

import { type Static, Type } from 'typebox'
import { getMerchant } from '../../merchants/merchant.ts'
import type { Db } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import { uuidParam } from '../../platform/http/filters.ts'
import { sortedPage } from '../../platform/http/lists.ts'
import { created, type Input, ok, type Route } from '../../platform/http/route.ts'
import {
  type Listed,
  numberList,
  reads,
  removes,
  routesWith,
} from '../../platform/http/route-list.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { checkTiers, FeeReturnedInput, TiersInput } from './read-tiers.ts'
import {
  directions,
  MerchantRuleView,
  pricingErrors,
  ruleExample,
  tierExample,
  viewMerchantRule,
} from './rule.ts'
import { createMerchantRule, putMerchantRule, removeMerchantRule } from './set-merchant-rule.ts'
import { findMerchantRule, listMerchantRules } from './store.ts'

type Deps = Readonly<{ db: Db }>

const path = '/admin/merchants/:merchant_id/pricing-rules/'
const path_of_one = '/admin/merchants/:merchant_id/pricing-rules/:id/'

const RuleBody = Type.Object({
  network: Type.String({ minLength: 1, maxLength: 40, description: 'Network code.' }),
  direction: Type.Enum([...directions]),
  tiers: TiersInput,
  is_fee_returned: FeeReturnedInput,
})

const example = { merchant: '01981f3a-0000-7000-8000-00000000a001', ...ruleExample }
const bodyExample = {
  network: 'wave_sn',
  direction: 'COLLECT',
  tiers: [{ ...tierExample, floor_amount: '100.00' }],
}

export const merchantPricingAdminRoutes = (deps: Deps): Route[] =>
  routesWith({ tag: 'Staff', access: 'staff' }, [
    listRoute(deps),
    createRoute(deps),
    putRoute(deps),
    getRoute(deps),
    removeRoute(deps),
  ])

const listRoute = ({ db }: Deps): Listed => ({
  path,
  staff: 'read',
  ...numberList(MerchantRuleView, example),
  summary: 'List a merchant’s own prices in force',
  description: 'Elsewhere the platform’s prices apply to the merchant.',
  handler: async (input) => {
    const { id } = await getMerchant(db, uuidParam(input, 'merchant_id'))
    const rows = await listMerchantRules(db, id, {})
    return ok(sortedPage(input, { rows, fields: [], view: (rule) => viewMerchantRule(rule, id) }))
  },
})

const createRoute = (deps: Deps): Listed => ({
  method: 'POST',
  path,
  staff: 'pricing',
  body: RuleBody,
  check: checkTiers,
  summary: 'Set a merchant’s own price',
  responses: { 201: MerchantRuleView },
  errors: [pricingErrors.pricing_rule_exists],
  example: { body: bodyExample, reply: example },
  handler: async (input: Input<Static<typeof RuleBody>>) => {
    const merchant_id = uuidParam(input, 'merchant_id')
    const rule = await createMerchantRule(deps, input.person, { ...input.body, merchant_id })
    return created(viewMerchantRule(rule, merchant_id))
  },
})

const putRoute = (deps: Deps): Listed => ({
  method: 'PUT',
  path,
  staff: 'pricing',
  body: RuleBody,
  check: checkTiers,
  summary: 'Set or replace a merchant’s own price',
  description: 'A rule that is replaced keeps its id for the transactions that refer to it.',
  responses: { 200: MerchantRuleView },
  example: { body: bodyExample, reply: example },
  handler: async (input: Input<Static<typeof RuleBody>>) => {
    const merchant_id = uuidParam(input, 'merchant_id')
    const rule = await putMerchantRule(deps, input.person, { ...input.body, merchant_id })
    return ok(viewMerchantRule(rule, merchant_id))
  },
})

const getRoute = ({ db }: Deps): Listed => ({
  path: path_of_one,
  staff: 'read',
  summary: 'Retrieve a merchant’s own pricing rule',
  description: 'Also one that is no longer in force.',
  ...reads(MerchantRuleView, example),
  handler: async (input) => {
    const { id: merchant_id } = await getMerchant(db, uuidParam(input, 'merchant_id'))
    const rule = await findMerchantRule(db, { merchant_id, id: uuidParam(input, 'id') })
    if (rule === undefined) throw refuse(transportErrors.not_found)
    return ok(viewMerchantRule(rule, merchant_id))
  },
})

const removeRoute = (deps: Deps): Listed => ({
  path: path_of_one,
  staff: 'pricing',
  summary: 'Restore the platform’s price for a merchant',
  errors: [pricingErrors.pricing_rule_replaced],
  ...removes(async (input) => {
    const key = { merchant_id: uuidParam(input, 'merchant_id'), id: uuidParam(input, 'id') }
    await removeMerchantRule(deps, input.person, key)
  }),
})
