// Whether we serve a country, for code without a caller and so without a caller's catalogue.

import type { Sql } from '../platform/db.ts'
import { hasCountry } from './store.ts'

export const isServed = (sql: Sql, iso_code: string): Promise<boolean> => hasCountry(sql, iso_code)
