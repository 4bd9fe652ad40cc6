// Every event of a feed since a moment, once more for one endpoint. It is queued little by little
// in the endpoint's own queue, where new events go first; one replay at a time for each endpoint.

import { type Static, Type } from 'typebox'
import type { Environment } from '../../platform/http/route.ts'

export type ReplayKey = Readonly<{ merchant_id: string; id: string }>

export type Replay = ReplayKey &
  Readonly<{
    webhook_id: string
    environment: Environment
    since: Date
    /** Null: until it was requested. */
    until: Date | null
    /** Those alone that the endpoint has not acknowledged. */
    only_failed: boolean
    /** How many events the endpoint was subscribed to when the replay was requested. */
    events_total: number
    events_queued: number
    /** Queued and not tried yet. */
    events_waiting: number
    finished_at: Date | null
    created_at: Date
  }>

/** No more are queued while so many wait for their first try. */
export const waiting_max = 500
/** How many one statement queues. */
export const portion_max = 500

// A replay as JSON, field by field: what was requested, and its progress.

const moment = Type.String({ format: 'date-time' })
const count = (description: string) => Type.Integer({ minimum: 0, description })

export const ReplaySchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    webhook: Type.String({ format: 'uuid' }),
    since: moment,
    until: Type.Union([moment, Type.Null()], {
      description: 'Null: until the replay was requested.',
    }),
    only: Type.Union([Type.Enum(['FAILED']), Type.Null()], {
      description: 'FAILED: those alone that the webhook had not acknowledged. Null: all.',
    }),
    status: Type.Enum(['RUNNING', 'DONE'], {
      description: 'DONE: each event was tried at least once.',
    }),
    events_total: count(
      'Events of that time that the webhook was subscribed to when the replay was requested.',
    ),
    events_queued: count('Of these, how many are queued or sent.'),
    events_waiting: count('Of those, how many wait for their first try.'),
    created_at: moment,
    finished_at: Type.Union([moment, Type.Null()]),
  },
  { title: 'WebhookReplay' },
)

export const viewReplay = (replay: Replay): Static<typeof ReplaySchema> => ({
  id: replay.id,
  webhook: replay.webhook_id,
  since: replay.since.toISOString(),
  until: replay.until?.toISOString() ?? null,
  only: replay.only_failed ? 'FAILED' : null,
  status: replay.finished_at === null ? 'RUNNING' : 'DONE',
  events_total: replay.events_total,
  events_queued: replay.events_queued,
  events_waiting: replay.events_waiting,
  created_at: replay.created_at.toISOString(),
  finished_at: replay.finished_at?.toISOString() ?? null,
})

/** For OpenAPI. */
export const replayExample: Static<typeof ReplaySchema> = {
  id: '01981f3a-0000-7000-8000-00000000e201',
  webhook: '01981f3a-0000-7000-8000-000000000001',
  since: '2026-11-21T08:00:00.000Z',
  until: null,
  only: null,
  status: 'RUNNING',
  events_total: 1200,
  events_queued: 500,
  events_waiting: 431,
  created_at: '2026-11-21T12:00:00.000Z',
  finished_at: null,
}
