// Writes prices: a network's default, and a merchant's own, which overrides it. The caller
// publishes the catalogue afterwards, so that every process reads them anew.

import type { Sql } from '../platform/db.ts'
import { insertMerchantRules, insertRules, type NewRule } from './store.ts'

export type { NewRule }

/** Adds the default rules of networks and directions that have none; how many tiers. */
export const addRules = (sql: Sql, rules: readonly NewRule[]): Promise<number> =>
  insertRules(sql, rules)

/** Adds a merchant's own rules; fails when it has one for the network and direction. */
export const addMerchantRules = (
  sql: Sql,
  merchant_id: string,
  rules: readonly NewRule[],
): Promise<number> => insertMerchantRules(sql, merchant_id, rules)
