// The filters of the audit log, as a schema and read.

import { Type } from 'typebox'
import {
  enumFilter,
  type Query,
  readTimes,
  timeQuery,
  uuidFilter,
} from '../platform/http/filters.ts'
import { searchFilter } from '../platform/http/route-list.ts'

export const actorKinds = ['MEMBER', 'KEY', 'STAFF', 'SYSTEM'] as const
export type ActorKind = (typeof actorKinds)[number]

export type ActFilters = Readonly<{
  action: string | undefined
  actor: string | undefined
  /** By their ids staff are found by staff alone: a merchant learns nowhere which of them acted. */
  finds_staff: boolean
  actor_kind: ActorKind | undefined
  target_kind: string | undefined
  target_id: string | undefined
  /** In UTC with microseconds, as text. */
  created_at__gte: string | undefined
  created_at__lte: string | undefined
}>

const word = Type.Optional(Type.String({ maxLength: 100 }))

/** Query properties of the filters, to spread into a list's query schema. */
export const actQuery = {
  action: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'The full name of an action, such as `api_key.revoked`.',
    }),
  ),
  actor: Type.Optional(
    Type.String({ format: 'uuid', description: 'The id of a person or a key.' }),
  ),
  actor_kind: Type.Optional(Type.Enum([...actorKinds])),
  target_kind: word,
  target_id: word,
  ...timeQuery,
}

/** A merchant’s own log is searched too. */
export const actSearch = {
  search: searchFilter(
    'Part of the name of an action, of the current name or e-mail of the key or member who did ' +
      'it, of the id of what it was done to, of an address or of a request id; ignoring case.',
    100,
  ),
}

/** Reads a query that has passed `actQuery` and `checkTimes`: a merchant's, or of staff. */
export const readActFilters = (query: Query, by: 'MERCHANT' | 'STAFF'): ActFilters => ({
  action: query['action'],
  actor: uuidFilter(query, 'actor'),
  finds_staff: by === 'STAFF',
  actor_kind: enumFilter(query, 'actor_kind', actorKinds),
  target_kind: query['target_kind'],
  target_id: query['target_id'],
  ...readTimes(query),
})
