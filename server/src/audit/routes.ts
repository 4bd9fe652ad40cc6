// The audit log, for merchants and for staff (contract 3.4): read only, the newest first.

import { Type } from 'typebox'
import type { Db } from '../platform/db.ts'
import { checkTimes, uuidFilter } from '../platform/http/filters.ts'
import { listByCursor } from '../platform/http/lists.ts'
import type { CursorSecret } from '../platform/http/pages.ts'
import type { Route } from '../platform/http/route.ts'
import { cursorList } from '../platform/http/route-list.ts'
import { actQuery, actSearch, readActFilters } from './filters.ts'
import { listActs } from './store.ts'
import { ActView, actExample, viewAct, viewOwnAct } from './view.ts'

export type Deps = Readonly<{
  db: Db
  /** Signs the cursors of lists. */
  cursor_secret: CursorSecret
}>

export const auditRoutes = (deps: Deps): Route[] => [ownRoute(deps), staffRoute(deps)]

const ownRoute = ({ db, cursor_secret }: Deps): Route => ({
  path: '/audit-logs/',
  access: 'dashboard',
  permission: 'audit',
  ...cursorList(ActView, actExample, { ...actQuery, ...actSearch }),
  check_query: checkTimes,
  summary: 'List the audit log of your account',
  description: 'Actions by members, keys and platform staff, in both environments; newest first.',
  tag: 'Audit',
  handler: listByCursor(cursor_secret, viewOwnAct, ({ caller, query }, stretch) =>
    listActs(db, {
      ...readActFilters(query, 'MERCHANT'),
      search: query['search'] || undefined,
      merchant: caller.merchant_id,
      environment: undefined,
      ...stretch,
    }),
  ),
})

const staffRoute = ({ db, cursor_secret }: Deps): Route => ({
  path: '/admin/audit-logs/',
  access: 'staff',
  staff: 'read',
  ...cursorList(ActView, actExample, {
    ...actQuery,
    merchant: Type.Optional(Type.String({ format: 'uuid' })),
  }),
  check_query: checkTimes,
  summary: 'List the audit log of all merchants',
  description:
    'Actions in the environment given by `X-Environment`, and those that concern both; newest ' +
    'first.',
  tag: 'Staff',
  handler: listByCursor(cursor_secret, viewAct, ({ person, query }, stretch) =>
    listActs(db, {
      ...readActFilters(query, 'STAFF'),
      merchant: uuidFilter(query, 'merchant'),
      environment: person.environment,
      ...stretch,
    }),
  ),
})
