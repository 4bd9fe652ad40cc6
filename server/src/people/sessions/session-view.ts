// A session as its person sees it.

import { Type } from 'typebox'
import type { Person } from '../../platform/http/route.ts'
import type { OpenSession } from './session.ts'

export const SessionSchema = Type.Object(
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

/** What `…/auth/me/` says of the session: its second factor, and when it ends. */
export const ownSessionFields = {
  second_factor: Type.Enum(['NONE', 'FRESH', 'STALE'], {
    description:
      'FRESH: given in this session within the last 10 minutes, as sensitive actions require.',
  }),
  second_factor_until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'Until when it is FRESH; null where it is not.',
  }),
  session: Type.Object(
    {
      expires_at: Type.String({
        format: 'date-time',
        description: 'When this session ends in any case.',
      }),
      idle_at: Type.String({
        format: 'date-time',
        description:
          'When it ends unless it is used. A call that says `X-Background: 1` does not use it.',
      }),
    },
    { description: 'When the session that asks ends.' },
  ),
}

export const ownSessionExample = {
  second_factor: 'STALE',
  second_factor_until: null,
  session: { expires_at: '2026-11-28T08:00:00.000Z', idle_at: '2026-11-21T21:12:00.000Z' },
}

export const viewCurrentSession = ({
  second_factor,
  second_factor_until,
  session_ends,
}: Person) => ({
  second_factor,
  second_factor_until: second_factor_until?.toISOString() ?? null,
  session: {
    expires_at: session_ends.ends_at.toISOString(),
    idle_at: session_ends.idle_at.toISOString(),
  },
})

export const EndedSchema = Type.Object({ ended: Type.Integer() }, { title: 'SessionsEnded' })

export const viewSession =
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

export const sessionExample = {
  id: '01981f3a-0000-7000-8000-00000000c001',
  ip: '203.0.113.7',
  user_agent: 'Mozilla/5.0',
  created_at: '2026-11-21T08:00:00.000Z',
  last_seen_at: '2026-11-21T09:12:00.000Z',
  expires_at: '2026-11-28T08:00:00.000Z',
  current: true,
  second_factor_at: null,
}
