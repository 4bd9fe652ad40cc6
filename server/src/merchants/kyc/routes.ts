// The merchant's KYC file.

import type { Db } from '../../platform/db.ts'
import type { ServedRoute } from '../../platform/http/served-route.ts'

export type Deps = Readonly<{ db: Db }>

export const kycRoutes = (_deps: Deps): ServedRoute[] => []
