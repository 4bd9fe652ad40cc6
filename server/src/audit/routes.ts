// The audit log, for merchants and for staff (decisions 3.4): read only, the newest first.

import { Type } from 'typebox'
import type { Keyring } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db.ts'
import { uuidFilter } from '../platform/http/filters.ts'
import {
  type CursorRequest,
  cursorPageSchema,
  cursorQuery,
  keysetPage,
  readCursorRequest,
} from '../platform/http/pages.ts'
import { type Input, ok, type Reply, type Route } from '../platform/http/route.ts'
import { actQuery, checkActQuery, readActFilters } from './filters.ts'
import { type ActFound, type ActsAsked, listActs } from './store.ts'
import { ActView, actExample, viewAct, viewOwnAct } from './view.ts'

export type Deps = Readonly<{ db: Db; keyring: Pick<Keyring, 'mac'> }>

export const auditRoutes = (deps: Deps): Route[] => [ownRoute(deps), staffRoute(deps)]

const ownRoute = (deps: Deps): Route => ({
  method: 'GET',
  path: '/audit-logs/',
  access: 'dashboard',
  permission: 'audit',
  query: Type.Object({ ...cursorQuery, ...actQuery }),
  check_query: checkActQuery,
  summary: 'List what was done to your account',
  description: 'By members, keys and the platform’s staff, in both environments; newest first.',
  tag: 'Audit',
  responses: { 200: cursorPageSchema(ActView) },
  example: { reply: { next: null, previous: null, results: [actExample] } },
  handler: (input) => {
    const { merchant_id } = input.caller
    return answer(deps, input, { merchant: merchant_id, environment: undefined, view: viewOwnAct })
  },
})

const staffRoute = (deps: Deps): Route => ({
  method: 'GET',
  path: '/admin/audit-logs/',
  access: 'staff',
  staff: 'read',
  query: Type.Object({
    ...cursorQuery,
    ...actQuery,
    merchant: Type.Optional(Type.String({ format: 'uuid' })),
  }),
  check_query: checkActQuery,
  summary: 'List what was done, over all merchants',
  description: 'In the environment of `X-Environment`, and what concerns both; newest first.',
  tag: 'Staff',
  responses: { 200: cursorPageSchema(ActView) },
  example: { reply: { next: null, previous: null, results: [actExample] } },
  handler: (input) => {
    const merchant = uuidFilter(input.query, 'merchant')
    return answer(deps, input, { merchant, environment: input.person.environment, view: viewAct })
  },
})

type Asking = Pick<ActsAsked, 'merchant' | 'environment'> &
  Readonly<{ view: (act: ActFound) => unknown }>

async function answer(
  { db, keyring }: Deps,
  { query, url }: Pick<Input, 'query' | 'url'>,
  { view, ...of }: Asking,
): Promise<Reply> {
  const secret = keyring.mac('cursor', 'v1')
  const request: CursorRequest = readCursorRequest(query, secret)
  const { cursor, page_size } = request
  const rows = await listActs(db, {
    ...readActFilters(query),
    ...of,
    cursor,
    limit: page_size + 1,
  })
  const keyOf = ({ place, id }: ActFound) => ({ created_at: place, id })
  const page = keysetPage({ ...request, rows, url, secret, keyOf })
  return ok({ ...page, results: page.results.map(view) })
}
