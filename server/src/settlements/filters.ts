// The filters of a merchant's settlements, for the list and for its file: as a schema, and read.

import { Type } from 'typebox'
import { enumFilter, type Query, readTimes, timeQuery } from '../platform/http/filters.ts'
import { searchFilter } from '../platform/http/route-list.ts'
import { settlementStatuses } from './states.ts'
import type { SettlementsSought } from './store.ts'

export const settlementQuery = {
  status: Type.Optional(Type.Enum([...settlementStatuses])),
  country: Type.Optional(Type.String({ description: 'ISO 3166 alpha-2.' })),
  search: searchFilter('Searches the reference.', 100),
  ...timeQuery,
}

/** Reads a query that has passed `settlementQuery` and `checkTimes`. */
export const readSettlementFilters = (
  query: Query,
): Omit<SettlementsSought, 'merchant_id' | 'environment'> => ({
  status: enumFilter(query, 'status', settlementStatuses),
  country: query['country']?.toUpperCase() || undefined,
  search: query['search'],
  ...readTimes(query),
})
