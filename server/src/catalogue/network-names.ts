// The names of operators, for checks that a merchant is not mistaken for one.

import type { Sql } from '../platform/db.ts'
import { listNetworkNames } from './store.ts'

export const networkNames = (sql: Sql): Promise<string[]> => listNetworkNames(sql)
