// Staff sign in, manage their own accounts by the same routes as members, and are managed by
// superadmins (contract 3.5). Their passwords are with the members' in `password-routes.ts`.

import type { ServedRoute } from '../platform/http/served-route.ts'
import { staffArea } from './area.ts'
import { type TotpDeps, totpRoutes } from './second-factor/totp-routes.ts'
import { sessionRoutes } from './sessions/session-routes.ts'
import type { SignInDeps } from './sign-in.ts'
import { staffAccountRoutes } from './staff/account-routes.ts'
import type { InviteDeps } from './staff/add-staff.ts'
import { staffAuthRoutes } from './staff/auth-routes.ts'

export type Deps = SignInDeps & InviteDeps & TotpDeps

export const staffRoutes = (deps: Deps): ServedRoute[] => [
  ...staffAuthRoutes(deps),
  ...totpRoutes(deps, staffArea),
  ...sessionRoutes(deps, staffArea),
  ...staffAccountRoutes(deps),
]
