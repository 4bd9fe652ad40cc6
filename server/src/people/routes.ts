// What people manage themselves: password, e-mail, second factor, sessions (contract 3.3).

import type { Db } from '../platform/db.ts'
import type { ServedRoute } from '../platform/http/served-route.ts'
import { memberArea } from './area.ts'
import { type PasswordDeps, passwordRoutes } from './password-routes.ts'
import { type TotpDeps, totpRoutes } from './second-factor/totp-routes.ts'
import { sessionRoutes } from './sessions/session-routes.ts'

export type Deps = Readonly<{ db: Db }> & TotpDeps & PasswordDeps

export const peopleRoutes = (deps: Deps): ServedRoute[] => [
  ...totpRoutes(deps, memberArea),
  ...sessionRoutes(deps, memberArea),
  ...passwordRoutes(deps),
]
