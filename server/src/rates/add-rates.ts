// Writing exchange rates: append-only, a rate is replaced by a later one and never changed.

import type { Sql } from '../platform/db.ts'
import { insertRates, type NewRate } from './store.ts'

export type { NewRate }

/** Adds the rates whose pair and effective moment are missing; returns how many. */
export const addRates = (sql: Sql, rates: readonly NewRate[]): Promise<number> =>
  insertRates(sql, rates)
