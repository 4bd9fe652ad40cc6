// The pull feed (contract 6.5): the events that webhooks deliver, to be read and followed.

import { Type } from 'typebox'
import type { Db } from '../platform/db.ts'
import { type FieldErrors, Invalid } from '../platform/errors.ts'
import { dateFilter, enumFilter, type Query } from '../platform/http/filters.ts'
import {
  type Cursor,
  type CursorSecret,
  cursorQuery,
  keysetPage,
  linkTo,
  onlyOrder,
  readCursorRequest,
  signCursor,
} from '../platform/http/pages.ts'
import { type Input, ok, type Reply, type Route } from '../platform/http/route.ts'
import { reads } from '../platform/http/route-list.ts'
import { eventTypes, type NumberedEvent } from './event.ts'
import { followFeed } from './feed.ts'
import { EventPageSchema, eventExample, viewEvent } from './view.ts'

export type EventRouteDeps = Readonly<{
  db: Db
  /**
   * Signs this list's cursors; a secret of its own, since they are places in a feed and no moments.
   */
  cursor_secret: CursorSecret
}>

const url = 'https://pay.example.com/api/v1/events/?cursor=c2lnbmVk'

export const eventRoutes = (deps: EventRouteDeps): Route[] => [
  {
    path: '/events/',
    access: 'any',
    query: Type.Object({
      ...cursorQuery,
      ordering: onlyOrder('created_at'),
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
    ...reads(EventPageSchema, { next: null, previous: null, results: [eventExample], follow: url }),
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
