// What operators are called, for those who must not be taken for one.

import type { Sql } from '../platform/db.ts'
import { listNetworkNames } from './store.ts'

export const networkNames = (sql: Sql): Promise<string[]> => listNetworkNames(sql)
