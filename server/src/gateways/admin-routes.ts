// Staff see and steer gateways and routes, of the environment that they look at: one of the other
// is not found.

import { type Static, Type } from 'typebox'
import { proposalErrors } from '../people/proposals/errors.ts'
import { ProposalSchema, proposalExample, viewProposal } from '../people/proposals/proposal.ts'
import type { Db } from '../platform/db.ts'
import { invalid, refuse } from '../platform/errors.ts'
import { enumFilter, uuidParam } from '../platform/http/filters.ts'
import { sortedPage } from '../platform/http/lists.ts'
import { created, type Input, ok, type Reply, type Route } from '../platform/http/route.ts'
import {
  type Listed,
  numberList,
  orderingBy,
  reads,
  routesWith,
} from '../platform/http/route-list.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { PriceInput } from '../pricing/admin/read-price.ts'
import { acceptOperatorRule } from './accept-operator-rule.ts'
import { accountErrors, checkErrors } from './accounts.ts'
import { routeErrors } from './add-route.ts'
import { changeSettings, type SettingsDeps, settingsErrors } from './change-settings.ts'
import { priorityInput, readLimits, settingsInput } from './read-route-settings.ts'
import {
  GatewayView,
  gatewayExample,
  RouteView,
  routeExample,
  viewGateway,
  viewRoute,
} from './staff-view.ts'
import { changeGateway, type GatewayOutcome } from './steer-gateways.ts'
import { changeRoute, createRoute, type RouteOutcome } from './steer-routes.ts'
import { findStaffGateway, findStaffRoute, listStaffGateways, listStaffRoutes } from './store.ts'

export type Deps = Readonly<{ db: Db }> & SettingsDeps

const directions = ['COLLECT', 'DISBURSE'] as const
const gatewayFields = ['code', 'name', 'created_at', 'updated_at'] as const
const routeFields = ['network_code', 'gateway_code', 'direction', 'created_at'] as const

const PaceInput = Type.Union([Type.Integer({ minimum: 1, maximum: 10_000 }), Type.Null()], {
  description: 'Null: as usual at the operator.',
})

const GatewayBody = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  is_active: Type.Optional(Type.Boolean()),
  exposure_limit_collect: Type.Optional(Type.Union([PriceInput, Type.Null()])),
  exposure_limit_disburse: Type.Optional(Type.Union([PriceInput, Type.Null()])),
  payment_limit_collect: Type.Optional(Type.Union([PriceInput, Type.Null()])),
  payment_limit_disburse: Type.Optional(Type.Union([PriceInput, Type.Null()])),
  asks_per_s: Type.Optional(PaceInput),
  creates_per_s: Type.Optional(PaceInput),
  open_calls: Type.Optional(PaceInput),
  settings: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 2_000 }), {
      maxProperties: 50,
      description:
        'By the keys of `GET /admin/operators/`; what is not named stays, an empty one is taken ' +
        'away. With nothing else but `is_active` false.',
    }),
  ),
  promote_secrets: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{12}$',
      maxLength: 12,
      description:
        'Fingerprint of the new secrets that are to be used from now on, as it was answered ' +
        'when they were set.',
    }),
  ),
})

const NewRouteBody = Type.Object({
  network: Type.String({ minLength: 1, maxLength: 40, description: 'Network code.' }),
  gateway: Type.String({ minLength: 1, maxLength: 100, description: 'Gateway code.' }),
  direction: Type.Enum([...directions]),
  priority: priorityInput,
  ...settingsInput,
})

const RouteBody = Type.Object({ priority: Type.Optional(priorityInput), ...settingsInput })

const costExample = { percent: '1.50', fixed: '0.00' }
const pricedExample = {
  ...{ route: routeExample.id, network: routeExample.network_code },
  ...{ gateway: routeExample.gateway_code, direction: 'COLLECT' },
  ...{ cost_percent: '1.50', cost_fixed: '0.00', cost_floor: '', cost_cap: '' },
  ...{ amount_step: '5.00', flow: 'redirect', otp_kind: 'NONE' },
}
const openedExample = { ...pricedExample, is_active: true }
const repricedExample = { ...pricedExample, former_cost_percent: '1.80' }
const switchedExample = {
  subject: gatewayExample.id,
  content: { code: gatewayExample.code, is_active: true },
}
const proposedExample = { ...proposalExample, kind: 'GATEWAY_ACCOUNT', subject: routeExample.id }

export const gatewayAdminRoutes = (deps: Deps): Route[] =>
  routesWith({ tag: 'Staff', access: 'staff' }, [
    listGatewaysRoute(deps),
    getGatewayRoute(deps),
    changeGatewayRoute(deps),
    listRoutesRoute(deps),
    createRouteRoute(deps),
    getRouteRoute(deps),
    changeRouteRoute(deps),
    acceptLimitsRoute(deps),
  ])

const listGatewaysRoute = ({ db }: Deps): Listed => ({
  path: '/admin/gateways/',
  staff: 'read',
  ...numberList(GatewayView, gatewayExample, {
    ordering: orderingBy(gatewayFields),
  }),
  summary: 'List gateways',
  description: 'In the environment given by `X-Environment`, by code.',
  handler: async (input) => {
    const rows = await listStaffGateways(db, input.person.environment)
    return ok(sortedPage(input, { rows, fields: gatewayFields, view: viewGateway }))
  },
})

const getGatewayRoute = ({ db }: Deps): Listed => ({
  path: '/admin/gateways/:id/',
  staff: 'read',
  summary: 'Retrieve a gateway',
  ...reads(GatewayView, gatewayExample),
  handler: async (input) => {
    const { environment } = input.person
    const gateway = await findStaffGateway(db, { id: uuidParam(input, 'id'), environment })
    if (gateway === undefined) throw refuse(transportErrors.not_found)
    return ok(viewGateway(gateway))
  },
})

const changeGatewayRoute = (deps: Deps): Listed => ({
  method: 'PATCH',
  path: '/admin/gateways/:id/',
  staff: 'gateways',
  body: GatewayBody,
  summary: 'Rename, set, enable, disable or limit a gateway',
  description:
    'When disabled, nothing new is sent to it from the next request on. What it already has is ' +
    'queried until it ends. In LIVE, enabling one, raising its limits or its pace and promoting ' +
    'secrets take two people: the answer is 202, and another member of staff confirms it ' +
    '(`/admin/proposals/`); disabling it and lowering them take one. A limit or pace that has ' +
    'changed since it was proposed to be raised is not confirmed (`proposal_outdated`). A pace ' +
    'counts in every process within seconds; null is what is usual at the operator. Enabling a ' +
    'LIVE one needs a `gateway check` that passed within the last 24 hours with its secrets, ' +
    'when it is proposed and when it is confirmed (`gateway_not_checked`). Its `settings` are ' +
    'judged as when it was added and take two people in LIVE. Those that say where payments are ' +
    'found again (all but `shown_name` and `restrict_payer`) change only while it has been ' +
    'disabled for a minute and nothing is with it (`gateway_in_use`). After a change it is to ' +
    'be checked again.',
  responses: { 200: GatewayView, 202: ProposalSchema },
  errors: [
    proposalErrors.proposal_pending,
    checkErrors.gateway_not_checked,
    settingsErrors.gateway_in_use,
    accountErrors.gateway_without_settings,
  ],
  example: {
    body: { is_active: false },
    reply: { ...gatewayExample, is_active: false },
    other_replies: { 202: { ...proposedExample, ...switchedExample } },
  },
  handler: async (input: Input<Static<typeof GatewayBody>>) => {
    const { name, is_active, promote_secrets, settings, ...sent } = input.body
    if (settings !== undefined) return replyOfGateway(await setAlone(deps, input, settings))
    const { asks_per_s, creates_per_s, open_calls, ...limits } = sent
    const request = {
      id: uuidParam(input, 'id'),
      ...(name === undefined ? {} : { name }),
      ...(is_active === undefined ? {} : { is_active }),
      ...(promote_secrets === undefined ? {} : { promote_secrets }),
      ...(asks_per_s === undefined ? {} : { asks_per_s }),
      ...(creates_per_s === undefined ? {} : { creates_per_s }),
      ...(open_calls === undefined ? {} : { open_calls }),
      ...readLimits(limits),
    }
    return replyOfGateway(await changeGateway(deps, input.person, request))
  },
})

const replyOfGateway = (outcome: GatewayOutcome): Reply =>
  outcome.is === 'done'
    ? ok(viewGateway(outcome.gateway))
    : { status: 202, data: viewProposal(outcome.proposal) }

/** Alone, because what else is asked for is judged by a check, which was of other settings. */
async function setAlone(
  deps: Deps,
  input: Input<Static<typeof GatewayBody>>,
  settings: Readonly<Record<string, string>>,
): Promise<GatewayOutcome> {
  const { settings: _, is_active, ...more } = input.body
  if (is_active === true || Object.keys(more).length > 0) throw notAlone()
  const id = uuidParam(input, 'id')
  if (is_active === false) await changeGateway(deps, input.person, { id, is_active })
  return changeSettings(deps, input.person, { id, settings })
}

const notAlone = () =>
  invalid('settings', {
    en: 'Must come alone, or with is_active false: send the rest in a call of its own.',
    fr: 'Doit venir seul, ou avec is_active à false : envoyez le reste dans un autre appel.',
  })

const listRoutesRoute = ({ db }: Deps): Listed => ({
  path: '/admin/routes/',
  staff: 'read',
  ...numberList(RouteView, routeExample, {
    network: Type.Optional(Type.String({ maxLength: 40, description: 'Network code.' })),
    gateway: Type.Optional(Type.String({ maxLength: 100, description: 'Gateway code.' })),
    direction: Type.Optional(Type.Enum([...directions])),
    ordering: orderingBy(routeFields),
  }),
  summary: 'List routes with their health',
  description:
    'In the environment given by `X-Environment`, by network, in the order they are tried.',
  handler: async (input) => {
    const rows = await listStaffRoutes(db, {
      environment: input.person.environment,
      network: input.query['network'],
      gateway: input.query['gateway'],
      direction: enumFilter(input.query, 'direction', directions),
    })
    return ok(sortedPage(input, { rows, fields: routeFields, view: viewRoute }))
  },
})

const createRouteRoute = (deps: Deps): Listed => ({
  method: 'POST',
  path: '/admin/routes/',
  staff: 'gateways',
  body: NewRouteBody,
  summary: 'Add a route',
  description:
    'In the environment given by `X-Environment`, which must be the gateway’s. In LIVE one ' +
    'person adds a route that is switched off (`is_active` false). An active one takes two: it ' +
    'is added, switched off, and the answer is 202 with the proposal to switch it on, which ' +
    'another member of staff confirms (`/admin/proposals/`). That needs a `gateway check` that ' +
    'passed within the last 24 hours, when it is proposed and when it is confirmed ' +
    '(`gateway_not_checked`). How its payers confirm is as on its network where the operator’s ' +
    'adapter can do that, else the adapter’s own way; another may be named (`flow`, `otp_kind`).',
  responses: { 201: RouteView, 202: ProposalSchema },
  errors: [routeErrors.route_exists, checkErrors.gateway_not_checked],
  example: {
    body: {
      network: routeExample.network_code,
      gateway: routeExample.gateway_code,
      direction: 'COLLECT',
      priority: 1,
      is_active: false,
      amount_step: '5',
      cost: costExample,
    },
    reply: { ...routeExample, is_active: false },
    other_replies: { 202: { ...proposedExample, content: openedExample } },
  },
  handler: async ({ person, body }: Input<Static<typeof NewRouteBody>>) =>
    replyOf(await createRoute(deps, person, body), created),
})

/** What waits for another member of staff is answered as pending: 202. */
const replyOf = (outcome: RouteOutcome, done: (data: unknown) => Reply): Reply =>
  outcome.is === 'done'
    ? done(viewRoute(outcome.route))
    : { status: 202, data: viewProposal(outcome.proposal) }

const getRouteRoute = ({ db }: Deps): Listed => ({
  path: '/admin/routes/:id/',
  staff: 'read',
  summary: 'Retrieve a route with its health',
  ...reads(RouteView, routeExample),
  handler: async (input) => {
    const { environment } = input.person
    const route = await findStaffRoute(db, { id: uuidParam(input, 'id'), environment })
    if (route === undefined) throw refuse(transportErrors.not_found)
    return ok(viewRoute(route))
  },
})

const changeRouteRoute = (deps: Deps): Listed => ({
  method: 'PATCH',
  path: '/admin/routes/:id/',
  staff: 'gateways',
  body: RouteBody,
  summary: 'Update a route',
  description:
    'Takes effect on the next request. `cost` is replaced as a whole. In LIVE, switching a route ' +
    'on and changing its `cost`, its `amount_step` or how its payers confirm (`flow`, ' +
    '`otp_kind`, `prompt_lifetime_s`) take two people: the answer is 202, and ' +
    'another member of staff confirms it (`/admin/proposals/`). Switching it off, its `priority` ' +
    'and its `breaker` take one, and are done at once, also when they come with what takes two; ' +
    'it is switched off even where the rest is refused (409). ' +
    'Switching one on needs a `gateway check` that passed within the last 24 hours, when it is ' +
    'proposed and when it is confirmed (`gateway_not_checked`). What was proposed of a price or ' +
    'of how payers confirm that has changed since is not confirmed (`proposal_outdated`). How ' +
    'payers confirm must be what the operator’s adapter can do.',
  responses: { 200: RouteView, 202: ProposalSchema },
  errors: [proposalErrors.proposal_pending, checkErrors.gateway_not_checked],
  example: {
    body: { priority: 2 },
    reply: { ...routeExample, priority: 2 },
    other_replies: { 202: { ...proposedExample, content: repricedExample } },
  },
  handler: async (input: Input<Static<typeof RouteBody>>) => {
    const request = { ...input.body, id: uuidParam(input, 'id') }
    return replyOf(await changeRoute(deps, input.person, request), ok)
  },
})

const acceptLimitsRoute = ({ db }: Deps): Listed => ({
  method: 'POST',
  path: '/admin/routes/:id/accept-limits/',
  staff: 'gateways',
  summary: 'Accept what the operator takes from now on',
  description:
    'What an operator says that it takes counts a day later where it refuses sums that are taken ' +
    'still (`operator_limits.next`). Accepted, it counts from the next request on. One person ' +
    'does, in LIVE too; where nothing waits nothing changes.',
  responses: { 200: RouteView },
  errors: [transportErrors.not_found],
  example: {
    reply: {
      ...routeExample,
      operator_limits: { ...routeExample.operator_limits, most: '1500000.00', next: null },
    },
  },
  handler: async (input) =>
    ok(viewRoute(await acceptOperatorRule({ db }, input.person, uuidParam(input, 'id')))),
})
