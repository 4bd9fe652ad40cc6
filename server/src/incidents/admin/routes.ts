// Staff see incidents (decisions 5.14).

import type { Db } from '../../platform/db.ts'
import type { ServedRoute } from '../../platform/http/served-route.ts'

export type Deps = Readonly<{ db: Db }>

export const incidentAdminRoutes = (_deps: Deps): ServedRoute[] => []
