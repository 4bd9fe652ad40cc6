// `…/sessions/` and logging out everywhere: where a person is logged in, and an end to it.

import { Type } from 'typebox'
import type { Db } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import { uuidParam } from '../../platform/http/filters.ts'
import { ok, type Person, type Route } from '../../platform/http/route.ts'
import { numberList, orderingBy, removes } from '../../platform/http/route-list.ts'
import { sortedPage } from '../../platform/http/sorted-page.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import type { Area } from '../area.ts'
import { endSession } from '../end-session.ts'
import { endEverySession } from './end-every-session.ts'
import { listSessions, type OpenSession } from './list-sessions.ts'

export type SessionDeps = Readonly<{ db: Db }>

const SessionSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    ip: Type.String(),
    user_agent: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    last_seen_at: Type.String({ format: 'date-time', description: 'Rounded to the minute.' }),
    expires_at: Type.String({
      format: 'date-time',
      description: 'At the latest; 12 hours without a call end it earlier.',
    }),
    current: Type.Boolean({ description: 'Whether this is the session that makes this request.' }),
    second_factor_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When a second-factor code was last given in it.',
    }),
  },
  { title: 'Session' },
)

const EndedSchema = Type.Object({ ended: Type.Integer() }, { title: 'SessionsEnded' })

const viewSession =
  ({ session_id }: Person) =>
  (session: OpenSession) => ({
    id: session.id,
    ip: session.ip,
    user_agent: session.user_agent,
    created_at: session.created_at.toISOString(),
    last_seen_at: session.last_seen_at.toISOString(),
    expires_at: session.ends_at.toISOString(),
    current: session.id === session_id,
    second_factor_at: session.totp_at?.toISOString() ?? null,
  })

const example = {
  id: '01981f3a-0000-7000-8000-00000000c001',
  ip: '203.0.113.7',
  user_agent: 'Mozilla/5.0',
  created_at: '2026-11-21T08:00:00.000Z',
  last_seen_at: '2026-11-21T09:12:00.000Z',
  expires_at: '2026-11-28T08:00:00.000Z',
  current: true,
  second_factor_at: null,
}

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
  ...numberList(SessionSchema, example, {
    ordering: orderingBy(ordered),
  }),
  summary: 'List your open sessions',
  description: 'Newest first.',
  handler: async (input) => {
    const rows = await listSessions(db, input.person)
    return ok(sortedPage(input, { rows, fields: ordered, view: viewSession(input.person) }))
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
  summary: 'Log out everywhere',
  description: 'Ends all your sessions, including this one.',
  responses: { 200: EndedSchema },
  example: { reply: { ended: 3 } },
  handler: async ({ person }) => ok({ ended: await endEverySession(db, person) }),
})
