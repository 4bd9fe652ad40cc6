// Staff set prices: the platform's own (contract 2.4), and beside this file a merchant's.

import { type Static, Type } from 'typebox'
import { refuse } from '../../platform/errors.ts'
import { enumFilter, orderings, type Query, uuidParam } from '../../platform/http/filters.ts'
import { sortedPage } from '../../platform/http/lists.ts'
import { numberPageSchema, numberQuery } from '../../platform/http/pages.ts'
import { created, type Input, ok, type Route } from '../../platform/http/route.ts'
import { type Listed, reads, routesWith } from '../../platform/http/route-list.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { merchantPricingAdminRoutes } from './merchant-routes.ts'
import { checkTiers, FeeReturnedInput, TiersInput } from './read-tiers.ts'
import { directions, pricingErrors, RuleView, ruleExample, tierExample, viewRule } from './rule.ts'
import { createRule, replaceRule, type SetPricesDeps } from './set-rule.ts'
import { findRule, listRules, type RuleFilters } from './store.ts'

export type Deps = SetPricesDeps

const ruleQuery = {
  ...numberQuery,
  network: Type.Optional(Type.String({ maxLength: 40, description: 'Network code.' })),
  country: Type.Optional(
    Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166 alpha-2.' }),
  ),
  direction: Type.Optional(Type.Enum([...directions])),
}

const readRuleFilters = (query: Query): RuleFilters => ({
  network: query['network'],
  country: query['country']?.toUpperCase(),
  direction: enumFilter(query, 'direction', directions),
})

const CreateBody = Type.Object({
  network: Type.String({ minLength: 1, maxLength: 40, description: 'Network code.' }),
  direction: Type.Enum([...directions], {
    description:
      '`COLLECT`: payments. `DISBURSE`: payouts. `TOP_UP`: top-ups, which accept the same ' +
      'amounts as payments and cost nothing if they have no price.',
  }),
  tiers: TiersInput,
  is_fee_returned: FeeReturnedInput,
})
const ReplaceBody = Type.Object({ tiers: TiersInput, is_fee_returned: FeeReturnedInput })

const tiersExample = [{ ...tierExample, floor_amount: '100.00' }]
const sort_fields = ['network_code', 'country_code', 'direction', 'created_at'] as const

export const pricingAdminRoutes = (deps: Deps): Route[] =>
  routesWith({ tag: 'Staff', access: 'staff' }, [
    listRoute(deps),
    createRoute(deps),
    getRoute(deps),
    replaceRoute(deps),
    ...merchantPricingAdminRoutes(deps),
  ])

const listRoute = ({ db }: Deps): Listed => ({
  method: 'GET',
  path: '/admin/pricing-rules/',
  staff: 'read',
  query: Type.Object({ ...ruleQuery, ordering: Type.Optional(Type.Enum(orderings(sort_fields))) }),
  summary: 'List the platform’s prices in force',
  description: 'By country, network and direction. They are the same in both environments.',
  responses: { 200: numberPageSchema(RuleView) },
  example: { reply: { count: 1, next: null, previous: null, results: [ruleExample] } },
  handler: async (input) => {
    const rows = await listRules(db, readRuleFilters(input.query))
    return ok(sortedPage(input, { rows, fields: sort_fields, view: viewRule }))
  },
})

const createRoute = (deps: Deps): Listed => ({
  method: 'POST',
  path: '/admin/pricing-rules/',
  staff: 'pricing',
  body: CreateBody,
  check: checkTiers,
  summary: 'Set the price of a network in one direction',
  responses: { 201: RuleView },
  errors: [pricingErrors.pricing_rule_exists],
  example: {
    body: { network: 'wave_sn', direction: 'COLLECT', tiers: tiersExample },
    reply: ruleExample,
  },
  handler: async ({ person, body }: Input<Static<typeof CreateBody>>) =>
    created(viewRule(await createRule(deps, person, body))),
})

const getRoute = ({ db }: Deps): Listed => ({
  path: '/admin/pricing-rules/:id/',
  staff: 'read',
  summary: 'Retrieve a pricing rule',
  description: 'Also one that was replaced, since a transaction’s `pricing_rule` may refer to it.',
  ...reads(RuleView, ruleExample),
  handler: async (input) => {
    const rule = await findRule(db, uuidParam(input, 'id'))
    if (rule === undefined) throw refuse(transportErrors.not_found)
    return ok(viewRule(rule))
  },
})

const replaceRoute = (deps: Deps): Listed => ({
  method: 'PUT',
  path: '/admin/pricing-rules/:id/',
  staff: 'pricing',
  body: ReplaceBody,
  check: checkTiers,
  summary: 'Replace a pricing rule',
  description:
    'Returns the rule that takes its place: it has an id of its own, since transactions refer ' +
    'to the old one. Takes effect on the next request.',
  responses: { 200: RuleView },
  errors: [pricingErrors.pricing_rule_replaced],
  example: { body: { tiers: tiersExample }, reply: ruleExample },
  handler: async (input: Input<Static<typeof ReplaceBody>>) => {
    const request = { id: uuidParam(input, 'id'), ...input.body }
    return ok(viewRule(await replaceRule(deps, input.person, request)))
  },
})
