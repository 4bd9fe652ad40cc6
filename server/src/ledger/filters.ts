// The filters of a merchant's movements, for the list and for its file: as a schema, and read.

import { Type } from 'typebox'
import {
  currencyFilter,
  enumFilter,
  type Query,
  readTimes,
  timeQuery,
  uuidFilter,
} from '../platform/http/filters.ts'
import { type EntriesSought, entryKinds } from './entries-store.ts'

const directions = ['CREDIT', 'DEBIT'] as const

const ofOne = (thing: string) =>
  Type.Optional(Type.String({ format: 'uuid', description: `The id of ${thing}: its movements.` }))

export const entryQuery = {
  country: Type.Optional(Type.String({ description: 'ISO 3166 alpha-2.' })),
  currency: Type.Optional(Type.String({ description: 'ISO 4217.' })),
  direction: Type.Optional(Type.Enum([...directions])),
  ...timeQuery,
  kind: Type.Optional(Type.Enum([...entryKinds])),
  transaction: ofOne('a transaction'),
  settlement: ofOne('a settlement'),
  wallet_transfer: ofOne('a transfer'),
  reference: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'The whole reference of a transaction, settlement, transfer or adjustment: its movements.',
    }),
  ),
}

/** Reads a query that has passed `entryQuery` and `checkTimes`. */
export const readEntryFilters = (
  query: Query,
): Omit<EntriesSought, 'merchant_id' | 'environment'> => ({
  country: query['country']?.toUpperCase() || undefined,
  currency: currencyFilter(query),
  direction: enumFilter(query, 'direction', directions),
  kind: enumFilter(query, 'kind', entryKinds),
  transaction: uuidFilter(query, 'transaction'),
  settlement: uuidFilter(query, 'settlement'),
  wallet_transfer: uuidFilter(query, 'wallet_transfer'),
  reference: query['reference'] || undefined,
  ...readTimes(query),
})
