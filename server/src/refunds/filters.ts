// What lists of refunds and their file are filtered by.

import { Type } from 'typebox'
import { enumFilter } from '../platform/http/filters.ts'
import { type RefundStatus, refundStatuses } from './states.ts'

export const refundQuery = {
  status: Type.Optional(Type.Enum([...refundStatuses])),
  reference: Type.Optional(Type.String({ maxLength: 100 })),
}

export type RefundFilters = Readonly<{
  status: RefundStatus | undefined
  /** The refund's own, as its merchant sent it. */
  reference: string | undefined
}>

export const readRefundFilters = (query: Readonly<Record<string, string>>): RefundFilters => ({
  status: enumFilter(query, 'status', refundStatuses),
  reference: query['reference'],
})
