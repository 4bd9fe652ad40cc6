// `/sandbox/dialects/`: what a merchant's networks speak in the sandbox.

import { type Static, Type } from 'typebox'
import { dialectNames } from '../gateways/dialects.ts'
import { sortedPage } from '../platform/http/lists.ts'
import { type Input, ok, type ServedRoute } from '../platform/http/route.ts'
import {
  type Listed,
  numberList,
  orderingBy,
  routesWith,
  searchFilter,
} from '../platform/http/route-list.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { chooseDialect, type DialectDeps, listSpoken, type Spoken } from './dialects.ts'
import { sandboxOnly } from './resolve.ts'

const network_code = Type.String({ minLength: 1, maxLength: 40 })
const direction = Type.Enum(['COLLECT', 'DISBURSE'])
const dialect = Type.Enum([...dialectNames])

const SpokenView = Type.Object(
  {
    network_code,
    direction,
    dialect,
    available: Type.Array(dialect, {
      maxItems: dialectNames.length,
      description: 'What it can speak.',
    }),
  },
  { title: 'SandboxDialect' },
)

const ChoiceBody = Type.Object({ network_code, direction, dialect }, { title: 'SandboxDialectSet' })

const spokenExample: Spoken = {
  network_code: 'mtn_bj',
  direction: 'COLLECT',
  dialect: 'mtn',
  available: ['pirogue', 'mtn'],
}

export const dialectRoutes = (deps: DialectDeps): ServedRoute[] =>
  routesWith({ tag: 'Sandbox', access: 'any' }, [listRoute(deps), chooseRoute(deps)])

const listRoute = (deps: DialectDeps): Listed<ServedRoute> => ({
  guard: sandboxOnly,
  path: '/sandbox/dialects/',
  ...numberList(SpokenView, spokenExample, {
    search: searchFilter('Searches network and dialect.', 100),
    ordering: orderingBy(['network_code']),
  }),
  summary: 'List what networks speak in the sandbox',
  description: 'One row for each network in use and direction, by network.',
  handler: async (input: Input) => {
    const { catalogue_version, sandbox_dialects } = input.caller
    const rows = listSpoken(await deps.catalogue(catalogue_version), sandbox_dialects)
    const words = (row: Spoken) => [row.network_code, row.dialect]
    return ok(sortedPage(input, { rows, fields: ['network_code'], words, view: viewSpoken }))
  },
})

const chooseRoute = (deps: DialectDeps): Listed<ServedRoute> => ({
  guard: sandboxOnly,
  method: 'PUT',
  path: '/sandbox/dialects/',
  permission: 'payins',
  body: ChoiceBody,
  summary: 'Choose what a network speaks in the sandbox',
  description:
    'Payments and payouts that are sent from then on go over the same adapter as to the real ' +
    'operator, to our imitation of its wire: it is not the operator. `pirogue` is the plain ' +
    'sandbox operator, which also takes what an imitation refuses at once. What was sent before ' +
    'ends where it was sent. An API key chooses only the way that its scope may use: PAYIN ' +
    '`COLLECT`, PAYOUT `DISBURSE`. Nothing changes in LIVE.',
  responses: { 200: SpokenView },
  errors: [transportErrors.not_found, transportErrors.service_unavailable],
  example: {
    body: { network_code: 'mtn_bj', direction: 'COLLECT', dialect: 'mtn' },
    reply: spokenExample,
  },
  handler: async ({ caller, body }: Input<Static<typeof ChoiceBody>>) =>
    ok(viewSpoken(await chooseDialect(deps, caller, body))),
})

const viewSpoken = (spoken: Spoken) => ({ ...spoken, available: [...spoken.available] })
