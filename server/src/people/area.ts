// The two areas in which people manage their own accounts: members' at `/auth/`, staff's at
// `/admin/auth/`. Both have the same routes; neither kind may use the other's area.

import type { Route } from '../platform/http/route.ts'

export type Area = Readonly<{
  path: '/auth' | '/admin/auth'
  /** Who may call, as a route declares it. */
  open_to: Pick<Route, 'access' | 'staff' | 'tag'>
}>

export const memberArea: Area = {
  path: '/auth',
  open_to: { access: 'person', tag: 'Identity' },
}

/** Every one of them, since who has no second factor yet must be able to enrol one. */
export const staffArea: Area = {
  path: '/admin/auth',
  open_to: { access: 'staff', staff: 'self', tag: 'Staff: identity' },
}
