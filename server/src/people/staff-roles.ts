// Which role of the platform's staff may do what. Everyone reads; acts are few and named.

import type { StaffPermission } from '../platform/http/route.ts'

export const staffPermissions = [
  'read',
  'merchants',
  'kyc',
  'balances',
  'pricing',
  'gateways',
  'rates',
  'incidents',
  'approvals',
  'staff',
] as const

declare module '../platform/http/route.ts' {
  interface StaffRights extends Record<(typeof staffPermissions)[number], true> {}
}

export const staffRoles = ['SUPPORT', 'OPERATIONS', 'FINANCE', 'SUPERADMIN'] as const
export type StaffRole = (typeof staffRoles)[number]

export const isStaffRole = (value: unknown): value is StaffRole =>
  staffRoles.some((role) => role === value)

export const mayAsStaff: Readonly<Record<StaffRole, readonly StaffPermission[]>> = {
  SUPPORT: ['read'],
  OPERATIONS: ['read', 'merchants', 'kyc', 'gateways', 'incidents'],
  FINANCE: ['read', 'balances', 'pricing', 'rates', 'incidents', 'approvals'],
  SUPERADMIN: staffPermissions,
}

/** True where `to` may something that `from` may not. */
export const isRaise = (from: StaffRole, to: StaffRole): boolean =>
  mayAsStaff[to].some((right) => !mayAsStaff[from].includes(right))
