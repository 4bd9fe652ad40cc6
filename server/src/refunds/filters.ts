// What lists of refunds and their file are filtered by.

import { Type } from 'typebox'
import { enumFilter, readTimes, timeQuery } from '../platform/http/filters.ts'
import { searchFilter } from '../platform/http/route-list.ts'
import { type RefundWait, refundWaits } from './refund.ts'
import { type RefundStatus, refundStatuses } from './states.ts'

export const refundQuery = {
  status: Type.Optional(Type.Enum([...refundStatuses])),
  waiting_for: Type.Optional(
    Type.Enum([...refundWaits], {
      description: 'Only those that wait for this: `SECOND_MEMBER` are yours to approve.',
    }),
  ),
  reference: Type.Optional(Type.String({ maxLength: 100 })),
  search: searchFilter('Searches the reference and the reason.', 100),
  ...timeQuery,
}

export type RefundFilters = Readonly<{
  status: RefundStatus | undefined
  waiting_for: RefundWait | undefined
  /** The refund's own, as its merchant sent it. */
  reference: string | undefined
  /** Part of the reference or of the reason, in any case. */
  search: string | undefined
  /** In UTC with microseconds, as text. */
  created_at__gte: string | undefined
  created_at__lte: string | undefined
}>

/** Reads a query that has passed `refundQuery` and `checkTimes`. */
export const readRefundFilters = (query: Readonly<Record<string, string>>): RefundFilters => ({
  status: enumFilter(query, 'status', refundStatuses),
  waiting_for: enumFilter(query, 'waiting_for', refundWaits),
  reference: query['reference'],
  search: query['search'],
  ...readTimes(query),
})
