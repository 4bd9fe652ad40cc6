// API keys of the merchant (decisions 3.4).

import type { Db } from '../../platform/db.ts'
import type { ServedRoute } from '../../platform/http/served-route.ts'

export type Deps = Readonly<{ db: Db }>

export const keyRoutes = (_deps: Deps): ServedRoute[] => []
