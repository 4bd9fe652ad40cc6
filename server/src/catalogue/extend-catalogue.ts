// Adding to the catalogue without touching what is there: operators edit these rows, and a second
// start must not undo their work.

import type { Sql } from '../platform/db.ts'
import {
  bumpCatalogueVersion,
  fillMarks,
  insertCountries,
  insertNetworks,
  type NewCountry,
  type NewMarks,
  type NewNetwork,
} from './store.ts'

export type { NewCountry, NewMarks, NewNetwork }

/** Adds the countries whose ISO codes are missing; returns how many. */
export const addCountries = (sql: Sql, countries: readonly NewCountry[]): Promise<number> =>
  insertCountries(sql, countries)

/** Adds the networks whose codes are missing, each to its country by code; returns how many. */
export const addNetworks = (sql: Sql, networks: readonly NewNetwork[]): Promise<number> =>
  insertNetworks(sql, networks)

/** Adds the marks that are missing, those of any source kept; returns to how many networks. */
export const addMarks = (sql: Sql, marks: readonly NewMarks[]): Promise<number> =>
  fillMarks(sql, marks)

/** After any change of countries, networks, gateways, routes, prices or rates: all read anew. */
export const publishCatalogue = (sql: Sql): Promise<void> => bumpCatalogueVersion(sql)
