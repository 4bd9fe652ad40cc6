// Whether we serve a country, asked without a caller whose catalogue it would be.

import type { Sql } from '../platform/db.ts'
import { hasCountry } from './store.ts'

export const isServed = (sql: Sql, iso_code: string): Promise<boolean> => hasCountry(sql, iso_code)
