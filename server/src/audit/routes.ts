// The audit log, for merchants and for staff (contract 3.4): read only, the newest first.

import { Type } from 'typebox'
import type { Db } from '../platform/db.ts'
import { uuidFilter } from '../platform/http/filters.ts'
import { listByCursor } from '../platform/http/list-by-cursor.ts'
import { cursorPageSchema, cursorQuery } from '../platform/http/pages.ts'
import type { Route } from '../platform/http/route.ts'
import { actQuery, checkActQuery, readActFilters } from './filters.ts'
import { listActs } from './store.ts'
import { ActView, actExample, viewAct, viewOwnAct } from './view.ts'

export type Deps = Readonly<{
  db: Db
  /** Signs the cursors of lists. */
  cursor_secret: Uint8Array
}>

export const auditRoutes = (deps: Deps): Route[] => [ownRoute(deps), staffRoute(deps)]

const ownRoute = ({ db, cursor_secret }: Deps): Route => ({
  method: 'GET',
  path: '/audit-logs/',
  access: 'dashboard',
  permission: 'audit',
  query: Type.Object({ ...cursorQuery, ...actQuery }),
  check_query: checkActQuery,
  summary: 'List the audit log of your account',
  description: 'Actions by members, keys and platform staff, in both environments; newest first.',
  tag: 'Audit',
  responses: { 200: cursorPageSchema(ActView) },
  example: { reply: { next: null, previous: null, results: [actExample] } },
  handler: listByCursor(cursor_secret, viewOwnAct, ({ caller, query }, stretch) =>
    listActs(db, {
      ...readActFilters(query),
      merchant: caller.merchant_id,
      environment: undefined,
      ...stretch,
    }),
  ),
})

const staffRoute = ({ db, cursor_secret }: Deps): Route => ({
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
  summary: 'List the audit log of all merchants',
  description:
    'Actions in the environment given by `X-Environment`, and those that concern both; newest ' +
    'first.',
  tag: 'Staff',
  responses: { 200: cursorPageSchema(ActView) },
  example: { reply: { next: null, previous: null, results: [actExample] } },
  handler: listByCursor(cursor_secret, viewAct, ({ person, query }, stretch) =>
    listActs(db, {
      ...readActFilters(query),
      merchant: uuidFilter(query, 'merchant'),
      environment: person.environment,
      ...stretch,
    }),
  ),
})
