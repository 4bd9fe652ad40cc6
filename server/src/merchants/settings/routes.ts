// The merchant's settings and branding.

import type { Db } from '../../platform/db.ts'
import type { ServedRoute } from '../../platform/http/served-route.ts'

export type Deps = Readonly<{ db: Db }>

export const settingsRoutes = (_deps: Deps): ServedRoute[] => []
