// Staff see and steer gateways and routes.

import type { Db } from '../platform/db.ts'
import type { ServedRoute } from '../platform/http/served-route.ts'

export type Deps = Readonly<{ db: Db }>

export const gatewayAdminRoutes = (_deps: Deps): ServedRoute[] => []
