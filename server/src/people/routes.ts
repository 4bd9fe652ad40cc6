// What people manage themselves: password, e-mail, second factor, sessions (contract 3.3).

import type { Db } from '../platform/db.ts'
import type { ServedRoute } from '../platform/http/route.ts'
import { memberArea, staffArea } from './area.ts'
import { type PasswordDeps, passwordRoutes } from './password-routes.ts'
import { type TotpDeps, totpRoutes } from './second-factor/totp-routes.ts'
import { sessionRoutes } from './sessions/session-routes.ts'
import type { SignInDeps } from './sign-in.ts'
import { staffAccountRoutes } from './staff/account-routes.ts'
import type { InviteDeps } from './staff/add-staff.ts'
import { staffAuthRoutes } from './staff/auth-routes.ts'

export type Deps = Readonly<{ db: Db }> & TotpDeps & PasswordDeps

export const peopleRoutes = (deps: Deps): ServedRoute[] => [
  ...totpRoutes(deps, memberArea),
  ...sessionRoutes(deps, memberArea),
  ...passwordRoutes(deps),
]

// Staff sign in, manage their own accounts by the same routes as members, and are managed by
// superadmins (contract 3.5). Their passwords are with the members' in `password-routes.ts`.

export type StaffDeps = SignInDeps & InviteDeps & TotpDeps

export const staffRoutes = (deps: StaffDeps): ServedRoute[] => [
  ...staffAuthRoutes(deps),
  ...totpRoutes(deps, staffArea),
  ...sessionRoutes(deps, staffArea),
  ...staffAccountRoutes(deps),
]
