// Staff set prices (decisions 2.4).

import type { Db } from '../../platform/db.ts'
import type { ServedRoute } from '../../platform/http/served-route.ts'

export type Deps = Readonly<{ db: Db }>

export const pricingAdminRoutes = (_deps: Deps): ServedRoute[] => []
