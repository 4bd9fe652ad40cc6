// Staff read transactions of all merchants.

import type { Db } from '../../platform/db.ts'
import type { ServedRoute } from '../../platform/http/served-route.ts'

export type Deps = Readonly<{ db: Db }>

export const transactionAdminRoutes = (_deps: Deps): ServedRoute[] => []
