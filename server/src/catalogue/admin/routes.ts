// Staff see and change networks.

import { type Static, Type } from 'typebox'
import type { Db } from '../../platform/db.ts'
import { orderings, uuidParam } from '../../platform/http/filters.ts'
import { numberPageSchema, numberQuery } from '../../platform/http/pages.ts'
import { type Input, ok, type Route } from '../../platform/http/route.ts'
import { sortedPage } from '../../platform/http/sorted-page.ts'
import type { Network } from '../catalogue.ts'
import { NetworkView, viewNetwork } from '../view.ts'
import { type ChangeNetworkDeps, changeNetwork } from './change-network.ts'
import { listNetworks } from './store.ts'

export type Deps = ChangeNetworkDeps & Readonly<{ db: Db }>

const tag = 'Staff'
const sort_fields = ['code', 'name', 'created_at', 'updated_at'] as const

const StaffNetworkView = Type.Object(
  {
    ...NetworkView.properties,
    flow: Type.Enum(['push', 'redirect']),
    otp_kind: Type.Enum(['NONE', 'PRE', 'POST'], {
      description: '`PRE`: the payer gets a code beforehand. `POST`: the payer is sent one.',
    }),
    otp_instructions: Type.String({ description: '`{amount}` stands for the whole amount.' }),
    takes_payins: Type.Boolean(),
    takes_payouts: Type.Boolean(),
  },
  { title: 'StaffNetwork' },
)

const ChangeBody = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  is_active: Type.Optional(Type.Boolean()),
  takes_payins: Type.Optional(Type.Boolean()),
  takes_payouts: Type.Optional(Type.Boolean()),
  otp_instructions: Type.Optional(Type.String({ maxLength: 500 })),
})

const example = {
  id: '01981f3a-0000-7000-8000-00000000e001',
  country: '01981f3a-0000-7000-8000-00000000c001',
  country_code: 'SN',
  code: 'wave_sn',
  name: 'Wave Sénégal',
  currency: 'XOF',
  is_active: true,
  colour: '',
  rank: null,
  prefixes: [],
  ussd: '',
  sources: {},
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  flow: 'redirect',
  otp_kind: 'NONE',
  otp_instructions: '',
  takes_payins: true,
  takes_payouts: true,
}

const viewStaffNetwork = (network: Network): Static<typeof StaffNetworkView> => ({
  ...viewNetwork(network),
  flow: network.flow,
  otp_kind: network.otp_kind,
  otp_instructions: network.otp_instructions,
  takes_payins: network.takes_payins,
  takes_payouts: network.takes_payouts,
})

export const networkAdminRoutes = (deps: Deps): Route[] => [listRoute(deps), changeRoute(deps)]

const listRoute = ({ db }: Deps): Route => ({
  method: 'GET',
  path: '/admin/networks/',
  access: 'staff',
  staff: 'read',
  query: Type.Object({
    ...numberQuery,
    country: Type.Optional(
      Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166 alpha-2.' }),
    ),
    ordering: Type.Optional(Type.Enum(orderings(sort_fields))),
  }),
  summary: 'List networks with their settings',
  description: 'By country and code. They are the same in both environments.',
  tag,
  responses: { 200: numberPageSchema(StaffNetworkView) },
  example: { reply: { count: 1, next: null, previous: null, results: [example] } },
  handler: async (input) => {
    const rows = await listNetworks(db, input.query['country']?.toUpperCase())
    return ok(sortedPage(input, { rows, fields: sort_fields, view: viewStaffNetwork }))
  },
})

const changeRoute = (deps: Deps): Route => ({
  method: 'PATCH',
  path: '/admin/networks/:id/',
  access: 'staff',
  staff: 'gateways',
  body: ChangeBody,
  summary: 'Update a network',
  description: 'Takes effect in both environments, on the next request.',
  tag,
  responses: { 200: StaffNetworkView },
  example: { body: { takes_payouts: false }, reply: { ...example, takes_payouts: false } },
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
}: Static<typeof ChangeBody>) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(is_active === undefined ? {} : { is_active }),
    ...(takes_payins === undefined ? {} : { takes_payins }),
    ...(takes_payouts === undefined ? {} : { takes_payouts }),
    ...(otp_instructions === undefined ? {} : { otp_instructions }),
  }
}
