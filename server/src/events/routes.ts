// The pull feed (contract 6.5): the events that webhooks deliver, to be read and followed.

import { type Static, Type } from 'typebox'
import type { Db } from '../platform/db.ts'
import { type FieldErrors, Invalid } from '../platform/errors.ts'
import { type Cursor, signCursor } from '../platform/http/cursor.ts'
import { dateFilter, enumFilter, type Query } from '../platform/http/filters.ts'
import {
  cursorPageSchema,
  cursorQuery,
  keysetPage,
  linkTo,
  readCursorRequest,
} from '../platform/http/pages.ts'
import { type Environment, type Input, ok, type Reply, type Route } from '../platform/http/route.ts'
import { eventTypes, type NumberedEvent } from './event.ts'
import { followFeed } from './follow-feed.ts'

export type EventRouteDeps = Readonly<{
  db: Db
  /**
   * Signs this list's cursors; a secret of its own, since they are places in a feed and no moments.
   */
  cursor_secret: Uint8Array
}>

const EventSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Also the X-Webhook-Id of its deliveries.' }),
    event: Type.Enum([...eventTypes]),
    created_at: Type.String({ format: 'date-time' }),
    environment: Type.Enum(['SANDBOX', 'LIVE']),
    sequence: Type.Integer({
      minimum: 1,
      description: 'Its position in your feed for this environment: no gaps, in commit order.',
    }),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: 'By event; its fields are in the `webhooks` section of this document.',
    }),
  },
  { title: 'Event' },
)

const PageSchema = Type.Object({
  ...cursorPageSchema(EventSchema).properties,
  follow: Type.String({
    format: 'uri',
    description: 'Call this later for whatever has happened since; set even when `next` is null.',
  }),
})

const url = 'https://pay.example.com/api/v1/events/?cursor=c2lnbmVk'
const example: Static<typeof EventSchema> = {
  id: '01981f3a-0000-7000-8000-00000000e001',
  event: 'transaction.success',
  created_at: '2026-11-21T09:30:00.000Z',
  environment: 'SANDBOX',
  sequence: 41,
  data: { reference: 'TXN-20261121-7K2MPQ4RWX', status: 'SUCCESS', version: 2 },
}

export const eventRoutes = (deps: EventRouteDeps): Route[] => [
  {
    method: 'GET',
    path: '/events/',
    access: 'any',
    query: Type.Object({
      ...cursorQuery,
      since: Type.Optional(
        Type.String({ description: 'An ISO 8601 date or date-time; UTC if it has no time zone.' }),
      ),
      event_type: Type.Optional(Type.Enum([...eventTypes])),
    }),
    check_query: checkSince,
    summary: 'List events',
    description:
      'Oldest first. Follow `next` until it is null, then call `follow` whenever you like: you ' +
      'miss nothing and receive nothing twice.',
    tag: 'Webhooks',
    responses: { 200: PageSchema },
    example: { reply: { next: null, previous: null, results: [example], follow: url } },
    handler: (input) => answerEvents(deps, input),
  },
]

function checkSince(query: Query): FieldErrors {
  try {
    dateFilter(query, 'since')
    return {}
  } catch (error) {
    if (error instanceof Invalid) return error.fields
    throw error
  }
}

async function answerEvents(deps: EventRouteDeps, { caller, query, url }: Input): Promise<Reply> {
  const { db, cursor_secret: secret } = deps
  const { page_size, cursor } = readCursorRequest(query, secret)
  const { rows, follow } = await followFeed(db, caller, {
    since: dateFilter(query, 'since'),
    type: enumFilter(query, 'event_type', eventTypes),
    from: cursor && placeOf(cursor),
    page_size,
  })
  const keyOf = ({ seq }: NumberedEvent) => ({ created_at: '', id: String(seq) })
  const page = keysetPage({ rows, page_size, cursor, url, secret, keyOf })
  const behind = signCursor(secret, { dir: 'next', created_at: '', id: String(follow) })
  return ok({
    ...page,
    results: page.results.map(viewEvent(caller.environment)),
    follow: linkTo(url, { cursor: behind }),
  })
}

/** A cursor of this list holds a place in the feed. */
function placeOf({ dir, id }: Cursor) {
  return { place: BigInt(id), backwards: dir === 'prev' }
}

const viewEvent =
  (environment: Environment) =>
  ({ id, seq, type, created_at, data }: NumberedEvent): Static<typeof EventSchema> => ({
    id,
    event: type,
    created_at: created_at.toISOString(),
    environment,
    sequence: Number(seq),
    data: { ...data },
  })
