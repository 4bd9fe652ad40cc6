// API keys of the merchant (contract 3.4): a session only, since a stolen key must not widen
// itself. A session acts in one environment, and these are the keys of that one.

import { type Static, Type } from 'typebox'
import type { Text } from '../../platform/errors.ts'
import { enumFilter, newestFirst, orderingFilter, uuidParam } from '../../platform/http/filters.ts'
import { listByNumber } from '../../platform/http/lists.ts'
import {
  EnvironmentInput,
  environmentOf,
  type Input,
  ok,
  type Reply,
  type Route,
} from '../../platform/http/route.ts'
import {
  type Listed,
  numberList,
  orderingBy,
  reads,
  removes,
  routesWith,
  searchFilter,
} from '../../platform/http/route-list.ts'
import {
  addresses_max,
  keyErrors,
  keyStatuses,
  momentOf,
  name_length_max,
  overlap_s_default,
  overlap_s_max,
  scopes,
} from './api-key.ts'
import { changeKey } from './change-key.ts'
import { deleteKey, type EndDeps, endKey } from './end-keys.ts'
import { getKey, keyIdOf } from './get-key.ts'
import { issueKey, type KeyDeps, type KeyIssued, rotateKey } from './issue-keys.ts'
import { checkAddresses } from './key-bounds.ts'
import { madeExample } from './made-by-key.ts'
import { keySortFields, listKeys } from './store.ts'
import {
  IssuedKeySchema,
  issuedExample,
  KeySchema,
  keyExample,
  RevokedKeySchema,
  viewKey,
} from './view.ts'

const bounds = {
  ip_whitelist: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: addresses_max,
      description: 'The addresses or networks that the key may call from; empty: any address.',
    }),
  ),
  read_only: Type.Optional(
    Type.Boolean({ description: 'When true, the key may only make GET requests.' }),
  ),
}

const IssueBody = Type.Object({
  name: Type.Optional(Type.String({ maxLength: name_length_max })),
  environment: EnvironmentInput,
  scope: Type.Optional(
    Type.Enum([...scopes], {
      description: 'Defaults to `BOTH` in SANDBOX; required in LIVE.',
    }),
  ),
  ...bounds,
  expires_at: Type.Optional(Type.String({ format: 'date-time' })),
})

const ChangeBody = Type.Object({
  name: Type.Optional(Type.String({ maxLength: name_length_max })),
  ...bounds,
})

const RotateBody = Type.Object({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: overlap_s_max,
      default: overlap_s_default,
      description: 'How long the old key keeps working.',
    }),
  ),
})

const notInFuture: Text = { en: 'Must be in the future.', fr: 'Doit être dans le futur.' }

/** The schema checks whether it is a moment at all. */
const checkExpiry: NonNullable<Route['check']> = ({ expires_at }) =>
  typeof expires_at !== 'string' || momentOf(expires_at) > Date.now()
    ? {}
    : { expires_at: [notInFuture] }

const scopeMissing: Text = {
  en: 'Specify what a live key may do: PAYIN, PAYOUT or BOTH.',
  fr: 'Indiquez ce que peut faire une clé du mode réel : PAYIN, PAYOUT ou BOTH.',
}

/** A key for everything is never the default where there is real money (contract 8.11). */
const checkScope: NonNullable<Route['check']> = ({ environment, scope }) =>
  typeof environment === 'string' &&
  environment.toUpperCase() === 'LIVE' &&
  (scope ?? null) === null
    ? { scope: [scopeMissing] }
    : {}

const checkIssue: NonNullable<Route['check']> = (body) => ({
  ...checkExpiry(body),
  ...checkScope(body),
  ...checkAddresses(body),
})

/** The secret is in no cache on the way. */
const issued = ({ key, secret }: KeyIssued): Reply => ({
  status: 201,
  data: { ...viewKey(key), secret },
  headers: { 'Cache-Control': 'no-store' },
})

export const keyRoutes = (deps: KeyDeps & EndDeps): Route[] =>
  routesWith({ tag: 'API keys', access: 'dashboard' }, [
    listRoute(deps),
    issueRoute(deps),
    readRoute(deps),
    changeRoute(deps),
    revokeRoute(deps),
    rotateRoute(deps),
    deleteRoute(deps),
  ])

const listRoute = ({ db }: KeyDeps): Listed => ({
  path: '/merchant-api-keys/',
  ...numberList(KeySchema, keyExample, {
    status: Type.Optional(Type.Enum([...keyStatuses])),
    search: searchFilter('Searches name, prefix and last4.'),
    ordering: orderingBy(keySortFields),
  }),
  summary: 'List API keys',
  description: 'The keys of the session’s environment (`X-Environment`), newest first.',
  handler: listByNumber(viewKey, ({ caller, query }, cut) =>
    listKeys(db, {
      merchant_id: caller.merchant_id,
      environment: caller.environment,
      status: enumFilter(query, 'status', keyStatuses),
      search: query['search'],
      orders: orderingFilter(query, keySortFields, [newestFirst]),
      ...cut,
    }),
  ),
})

const issueRoute = (deps: KeyDeps): Listed => ({
  method: 'POST',
  path: '/merchant-api-keys/',
  permission: 'keys',
  second_factor: 'environment',
  body: IssueBody,
  check: checkIssue,
  summary: 'Create an API key',
  description:
    '`secret` is only in this answer. A LIVE key requires an approved merchant, a code and its ' +
    '`scope`; with scope PAYOUT or BOTH also the right to make payouts.',
  responses: { 201: IssuedKeySchema },
  errors: [keyErrors.key_limit_reached],
  example: {
    body: { name: keyExample.name, environment: 'SANDBOX', scope: keyExample.scope },
    reply: issuedExample,
  },
  handler: async ({ caller, body }: Input<Static<typeof IssueBody>>) =>
    issued(await issueKey(deps, caller, { ...body, environment: environmentOf(body.environment) })),
})

const ofOne = {
  path: '/merchant-api-keys/:id/',
} as const

const writesOne = { ...ofOne, permission: 'keys', second_factor: 'environment' } as const

const readRoute = ({ db }: KeyDeps): Listed => ({
  ...ofOne,
  summary: 'Retrieve an API key',
  ...reads(KeySchema, keyExample),
  handler: async (input) =>
    ok(viewKey(await getKey(db, keyIdOf(input.caller, uuidParam(input, 'id'))))),
})

const changeRoute = (deps: KeyDeps): Listed => ({
  ...writesOne,
  method: 'PATCH',
  body: ChangeBody,
  check: checkAddresses,
  summary: 'Update an API key',
  description:
    'Changes its name, its addresses or whether it is read-only, from the next request on. ' +
    'Widening a LIVE key with scope PAYOUT or BOTH requires the right to make payouts.',
  responses: { 200: KeySchema },
  errors: [keyErrors.key_not_active],
  example: { body: { ip_whitelist: keyExample.ip_whitelist }, reply: keyExample },
  handler: async (input: Input<Static<typeof ChangeBody>>) => {
    const change = { ...input.body, id: uuidParam(input, 'id') }
    return ok(viewKey(await changeKey(deps, input.caller, change)))
  },
})

const RevokeBody = Type.Object({
  deactivate_webhooks: Type.Optional(
    Type.Boolean({ description: 'Also disables the webhooks that the key created or changed.' }),
  ),
})

const revokeRoute = (deps: EndDeps): Listed => ({
  ...writesOne,
  method: 'POST',
  path: '/merchant-api-keys/:id/revoke/',
  body: RevokeBody,
  summary: 'Revoke an API key',
  description:
    'The key is refused from the next request on. The answer lists what it created, which ' +
    'remains in place. Revoking it again keeps the first revocation time.',
  responses: { 200: RevokedKeySchema },
  example: {
    body: { deactivate_webhooks: true },
    reply: {
      ...keyExample,
      status: 'REVOKED',
      revoked_at: '2026-11-21T09:00:00.000Z',
      ...madeExample,
    },
  },
  handler: async (input: Input<Static<typeof RevokeBody>>) => {
    const { deactivate_webhooks = false } = input.body
    const request = { id: uuidParam(input, 'id'), deactivate_webhooks }
    const { key, made, webhooks_deactivated } = await endKey(deps, input.caller, request)
    return ok({ ...viewKey(key), made, webhooks_deactivated })
  },
})

const rotateRoute = (deps: KeyDeps): Listed => ({
  ...writesOne,
  method: 'POST',
  path: '/merchant-api-keys/:id/rotate/',
  body: RotateBody,
  summary: 'Rotate an API key',
  description:
    'Creates a key with the same name, scope, environment, bounds and expiry. The old one works ' +
    'until the overlap is over. The new `secret` is only in this answer. A LIVE key with scope ' +
    'PAYOUT or BOTH requires the right to make payouts.',
  responses: { 201: IssuedKeySchema },
  errors: [keyErrors.key_not_active, keyErrors.key_limit_reached],
  example: { body: { overlap_seconds: 3600 }, reply: issuedExample },
  handler: async (input: Input<Static<typeof RotateBody>>) => {
    const request = { id: uuidParam(input, 'id'), overlap_s: input.body.overlap_seconds }
    return issued(await rotateKey(deps, input.caller, request))
  },
})

const deleteRoute = (deps: KeyDeps): Listed => ({
  ...writesOne,
  summary: 'Delete an API key',
  description: 'The key is refused from the next request on, and is no longer listed.',
  ...removes((input) => deleteKey(deps, input.caller, uuidParam(input, 'id'))),
})
