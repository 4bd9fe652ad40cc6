// Staff freeze and unfreeze balances (decisions 5.12).

import type { Db } from '../../platform/db.ts'
import type { ServedRoute } from '../../platform/http/served-route.ts'

export type Deps = Readonly<{ db: Db }>

export const balanceAdminRoutes = (_deps: Deps): ServedRoute[] => []
