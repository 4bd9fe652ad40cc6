// The filters of the audit log, as a schema and read.

import { Type } from 'typebox'
import { type FieldErrors, Invalid, type Text } from '../platform/errors.ts'
import { dateFilter, enumFilter, type Query, uuidFilter } from '../platform/http/filters.ts'

export const actorKinds = ['MEMBER', 'KEY', 'STAFF', 'SYSTEM'] as const
export type ActorKind = (typeof actorKinds)[number]

export type ActFilters = Readonly<{
  action: string | undefined
  actor: string | undefined
  actor_kind: ActorKind | undefined
  target_kind: string | undefined
  target_id: string | undefined
  /** In UTC with microseconds, as text. */
  created_at__gte: string | undefined
  created_at__lte: string | undefined
}>

const word = Type.Optional(Type.String({ maxLength: 100 }))
const moment = Type.Optional(
  Type.String({ description: 'An ISO 8601 date or date-time; UTC if it has no time zone.' }),
)

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
  created_at__gte: moment,
  created_at__lte: moment,
}

/** Reads a query that has passed `actQuery` and `checkActQuery`. */
export const readActFilters = (query: Query): ActFilters => ({
  action: query['action'],
  actor: uuidFilter(query, 'actor'),
  actor_kind: enumFilter(query, 'actor_kind', actorKinds),
  target_kind: query['target_kind'],
  target_id: query['target_id'],
  created_at__gte: dateFilter(query, 'created_at__gte'),
  created_at__lte: dateFilter(query, 'created_at__lte'),
})

/** What the schema cannot express: the bounds are dates that exist. For a list's `check_query`. */
export function checkActQuery(query: Query): FieldErrors {
  const wrong: Record<string, readonly Text[]> = {}
  for (const name of ['created_at__gte', 'created_at__lte']) {
    try {
      dateFilter(query, name)
    } catch (error) {
      if (!(error instanceof Invalid)) throw error
      Object.assign(wrong, error.fields)
    }
  }
  return wrong
}
