// The filters of deliveries, for the list and for its file: as a schema, and read.

import { Type } from 'typebox'
import { eventTypes } from '../../events/event.ts'
import {
  enumFilter,
  type Query,
  readTimes,
  timeQuery,
  uuidFilter,
} from '../../platform/http/filters.ts'
import { deliveryStatuses } from '../states.ts'
import { answerClasses, type LogsSought } from './store.ts'

export const logQuery = {
  webhook: Type.Optional(Type.String({ format: 'uuid' })),
  status: Type.Optional(Type.Enum([...deliveryStatuses])),
  event_type: Type.Optional(Type.Enum([...eventTypes])),
  transaction: Type.Optional(Type.String({ format: 'uuid' })),
  answer: Type.Optional(
    Type.Enum([...answerClasses], {
      description:
        'How the last try was answered: by its status, or `none` where nobody did. A delivery ' +
        'that waits to be sent (`PENDING`) has no answer that counts.',
    }),
  ),
  ...timeQuery,
}

/** Reads a query that has passed `logQuery` and `checkTimes`. */
export const readLogFilters = (query: Query): Omit<LogsSought, 'merchant_id' | 'environment'> => ({
  webhook: uuidFilter(query, 'webhook'),
  status: enumFilter(query, 'status', deliveryStatuses),
  event_type: enumFilter(query, 'event_type', eventTypes),
  transaction: uuidFilter(query, 'transaction'),
  answer: enumFilter(query, 'answer', answerClasses),
  ...readTimes(query),
})
