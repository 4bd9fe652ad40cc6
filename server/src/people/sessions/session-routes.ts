// `…/sessions/` and logging out everywhere: where a person is logged in, and an end to it.

import type { Db } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import { uuidParam } from '../../platform/http/filters.ts'
import { sortedPage } from '../../platform/http/lists.ts'
import { ok, type Route } from '../../platform/http/route.ts'
import { numberList, orderingBy, removes, searchFilter } from '../../platform/http/route-list.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import type { Area } from '../area.ts'
import { endEverySession, endSession, listSessions } from './session.ts'
import { farewell } from './session-reply.ts'
import { EndedSchema, SessionSchema, sessionExample, viewSession } from './session-view.ts'

export type SessionDeps = Readonly<{ db: Db }>

const ordered = ['created_at', 'last_seen_at'] as const

/** The same for members and for staff, each in their own area. */
export const sessionRoutes = (deps: SessionDeps, area: Area): Route[] => [
  listRoute(deps, area),
  endRoute(deps, area),
  logoutAllRoute(deps, area),
]

const listRoute = ({ db }: SessionDeps, { path, open_to }: Area): Route => ({
  ...open_to,
  path: `${path}/sessions/`,
  ...numberList(SessionSchema, sessionExample, {
    search: searchFilter('Searches the address and the browser.'),
    ordering: orderingBy(ordered),
  }),
  summary: 'List your open sessions',
  description: 'Newest first.',
  handler: async (input) => {
    const rows = await listSessions(db, input.person)
    const words = ({ ip, user_agent }: (typeof rows)[number]) => [ip, user_agent]
    const view = viewSession(input.person)
    return ok(sortedPage(input, { rows, fields: ordered, words, view }))
  },
})

const endRoute = ({ db }: SessionDeps, { path, open_to }: Area): Route => ({
  ...open_to,
  path: `${path}/sessions/:id/`,
  summary: 'End a session',
  description: 'One of your own, on any device. It is refused from the next request on.',
  ...removes(async (input) => {
    const ended = await endSession(db, input.person, uuidParam(input, 'id'))
    if (!ended) throw refuse(transportErrors.not_found)
  }),
})

const logoutAllRoute = ({ db }: SessionDeps, { path, open_to }: Area): Route => ({
  ...open_to,
  method: 'POST',
  path: `${path}/logout/all/`,
  session_cookie: 'deleted',
  summary: 'Sign out everywhere',
  description: 'Ends all your sessions, including this one.',
  responses: { 200: EndedSchema },
  example: { reply: { ended: 3 } },
  handler: async ({ person, browser }) =>
    farewell(browser, ok({ ended: await endEverySession(db, person) })),
})
