// Who may call an operation, as the document says it (`x-access`): from what `admission.ts` checks
// each call by, in the same functions, so that what is published cannot differ from what is done.

import {
  factorFor,
  isOpenToKeys,
  isOpenWhileSuspended,
  permissionFor,
  scopesFor,
} from './admission.ts'
import type { Json } from './openapi-schemas.ts'
import type { Permission, Scope, ServedRoute, StaffPermission } from './route.ts'

/** The scopes of keys, and which roles of either have a right: as credentials are read. */
export type AccessTables = Readonly<{
  scopes: readonly Scope[]
  member: (right: Permission) => readonly string[]
  staff: (right: StaffPermission) => readonly string[]
}>

export const noTables: AccessTables = {
  scopes: ['BOTH'],
  member: () => [],
  staff: () => [],
}

const both = ['SANDBOX', 'LIVE'] as const

/** A credential that is not named may not call. Nobody is named where everybody may. */
export function accessOf(route: ServedRoute, tables: AccessTables): Json {
  if (route.access === 'public') return {}
  if (route.access === 'person') return { member: { permission: null, second_factor: 'none' } }
  if (route.access === 'staff') return accessForPlatform(route, tables)
  const rule = route.guard?.rule
  const environments = rule === 'sandbox_only' ? ['SANDBOX'] : [...both]
  const key = isOpenToKeys(route) && {
    scopes: scopesFor(route) ?? tables.scopes,
    read_only: route.method === 'GET',
    environments: rule === 'no_live_keys' ? ['SANDBOX'] : environments,
    ip_list: rule === 'ip_list',
  }
  const permission = permissionFor(route)
  const member = permission !== undefined && {
    ...{ permission, roles: tables.member(permission), environments },
    second_factor: route.second_factor ?? 'none',
  }
  return {
    ...(key === false ? {} : { key }),
    ...(member === false ? {} : { member }),
    suspended: isOpenWhileSuspended(route) ? 'allowed' : 'refused',
  }
}

function accessForPlatform(route: ServedRoute, tables: AccessTables): Json {
  const { staff } = route
  const second_factor = factorFor(route)
  if (staff === undefined) return { staff: { permission: null, roles: [], second_factor } }
  if (staff === 'self') return { staff: { permission: 'self', second_factor } }
  return { staff: { permission: staff, roles: tables.staff(staff), second_factor } }
}
