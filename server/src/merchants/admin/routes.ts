// Staff look at merchants, approve, suspend and restore them (decisions 3.5).

import type { Db } from '../../platform/db.ts'
import type { ServedRoute } from '../../platform/http/served-route.ts'

export type Deps = Readonly<{ db: Db }>

export const merchantAdminRoutes = (_deps: Deps): ServedRoute[] => []
