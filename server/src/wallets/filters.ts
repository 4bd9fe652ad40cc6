// The filters of a merchant's transfers, for the list and for its file: as a schema, and read.

import { Type } from 'typebox'
import { enumFilter, type Query, readTimes, timeQuery } from '../platform/http/filters.ts'
import { searchFilter } from '../platform/http/route-list.ts'
import { transferStatuses } from './states.ts'
import type { TransfersSought } from './store.ts'

export const transferQuery = {
  status: Type.Optional(Type.Enum([...transferStatuses])),
  country: Type.Optional(
    Type.String({ description: 'ISO 3166 alpha-2: those that leave it or arrive there.' }),
  ),
  search: searchFilter('Searches the reference.', 100),
  ...timeQuery,
}

/** Reads a query that has passed `transferQuery` and `checkTimes`. */
export const readTransferFilters = (
  query: Query,
): Omit<TransfersSought, 'merchant_id' | 'environment'> => ({
  status: enumFilter(query, 'status', transferStatuses),
  country: query['country']?.toUpperCase() || undefined,
  search: query['search'],
  ...readTimes(query),
})
