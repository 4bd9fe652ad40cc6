// The filters of a merchant's payment links, for the list and for its file.

import { Type } from 'typebox'
import type { LinksSought } from '../../orders/order-statements.ts'
import { flagFilter, flagSchema, type Query } from '../../platform/http/filters.ts'
import { searchFilter } from '../../platform/http/route-list.ts'

export const linkQuery = {
  search: searchFilter('Searches name and description.', 100),
  is_active: Type.Optional(flagSchema),
}

/** Reads a query that has passed `linkQuery`. */
export const readLinkFilters = (
  query: Query,
): Omit<LinksSought, 'merchant_id' | 'environment'> => ({
  search: query['search'],
  is_active: flagFilter(query, 'is_active'),
})
