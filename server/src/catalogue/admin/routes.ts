// Staff see and change networks.

import { type Static, Type } from 'typebox'
import type { Db } from '../../platform/db.ts'
import { uuidParam } from '../../platform/http/filters.ts'
import { sortedPage } from '../../platform/http/lists.ts'
import { type Input, ok, type Route } from '../../platform/http/route.ts'
import { type Listed, numberList, orderingBy, routesWith } from '../../platform/http/route-list.ts'
import { listStaffNetworks } from '../store.ts'
import { type ChangeNetworkDeps, changeNetwork } from './change-network.ts'
import { routingFields, StaffNetworkView, staffNetworkExample, viewStaffNetwork } from './view.ts'

export type Deps = ChangeNetworkDeps & Readonly<{ db: Db }>

const sort_fields = ['code', 'name', 'created_at', 'updated_at'] as const

const ChangeBody = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  is_active: Type.Optional(Type.Boolean()),
  takes_payins: Type.Optional(Type.Boolean()),
  takes_payouts: Type.Optional(Type.Boolean()),
  otp_instructions: Type.Optional(Type.String({ maxLength: 500 })),
  collect_routing: Type.Optional(routingFields.collect_routing),
  disburse_routing: Type.Optional(routingFields.disburse_routing),
})

export const networkAdminRoutes = (deps: Deps): Route[] =>
  routesWith({ tag: 'Staff', access: 'staff' }, [listRoute(deps), changeRoute(deps)])

const listRoute = ({ db }: Deps): Listed => ({
  path: '/admin/networks/',
  staff: 'read',
  ...numberList(StaffNetworkView, staffNetworkExample, {
    country: Type.Optional(
      Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166 alpha-2.' }),
    ),
    ordering: orderingBy(sort_fields),
  }),
  summary: 'List networks with their settings',
  description: 'By country and code. They are the same in both environments.',
  handler: async (input) => {
    const rows = await listStaffNetworks(db, input.query['country']?.toUpperCase())
    return ok(sortedPage(input, { rows, fields: sort_fields, view: viewStaffNetwork }))
  },
})

const changeRoute = (deps: Deps): Listed => ({
  method: 'PATCH',
  path: '/admin/networks/:id/',
  staff: 'gateways',
  body: ChangeBody,
  summary: 'Update a network',
  description: 'Takes effect in both environments, on the next request.',
  responses: { 200: StaffNetworkView },
  example: {
    body: { takes_payouts: false },
    reply: { ...staffNetworkExample, takes_payouts: false },
  },
  handler: async (input: Input<Static<typeof ChangeBody>>) => {
    const request = { ...settingsIn(input.body), id: uuidParam(input, 'id') }
    return ok(viewStaffNetwork(await changeNetwork(deps, input.person, request)))
  },
})

/** The fields that may be changed, whatever else the body holds. */
function settingsIn({
  name,
  is_active,
  takes_payins,
  takes_payouts,
  otp_instructions,
  collect_routing,
  disburse_routing,
}: Static<typeof ChangeBody>) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(is_active === undefined ? {} : { is_active }),
    ...(takes_payins === undefined ? {} : { takes_payins }),
    ...(takes_payouts === undefined ? {} : { takes_payouts }),
    ...(otp_instructions === undefined ? {} : { otp_instructions }),
    ...(collect_routing === undefined ? {} : { collect_routing }),
    ...(disburse_routing === undefined ? {} : { disburse_routing }),
  }
}
