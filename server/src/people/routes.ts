// What a person manages himself: password, e-mail, second factor, sessions (decisions 3.3).

import type { Db } from '../platform/db.ts'
import type { ServedRoute } from '../platform/http/served-route.ts'

export type Deps = Readonly<{ db: Db }>

export const peopleRoutes = (_deps: Deps): ServedRoute[] => []
