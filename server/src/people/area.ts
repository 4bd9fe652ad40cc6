// The two doors to what a person manages for himself: members' at `/auth/`, staff's at
// `/admin/auth/`. The same routes stand behind both; neither kind passes the other's door.

import type { Route } from '../platform/http/route.ts'

export type Area = Readonly<{
  path: '/auth' | '/admin/auth'
  /** Who passes, as a route says it. */
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
