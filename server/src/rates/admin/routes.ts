// Staff set exchange rates (decisions 5.13).

import type { Db } from '../../platform/db.ts'
import type { ServedRoute } from '../../platform/http/served-route.ts'

export type Deps = Readonly<{ db: Db }>

export const ratesAdminRoutes = (_deps: Deps): ServedRoute[] => []
