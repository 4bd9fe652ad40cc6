// Which role of a member may do what (contract 3.3): the one table that code, OpenAPI and the
// documentation share.

import type { Permission } from '../platform/http/route.ts'

declare module '../platform/http/route.ts' {
  interface MemberRights {
    payins: true
    checkout: true
    links: true
    webhooks: true
    keys: true
    payouts: true
    settlements: true
    transfers: true
    top_ups: true
    customers: true
    audit: true
    members: true
    whitelist: true
    payout_methods: true
    settings: true
    owners: true
    closing: true
  }
}

export const roles = ['OWNER', 'ADMIN', 'DEVELOPER', 'FINANCE', 'VIEWER'] as const
export type Role = (typeof roles)[number]

const viewer: readonly Permission[] = ['read']
const developer: readonly Permission[] = [
  ...viewer,
  'payins',
  'checkout',
  'links',
  'webhooks',
  'keys',
]
const finance: readonly Permission[] = [
  ...viewer,
  'payins',
  'payouts',
  'settlements',
  'transfers',
  'top_ups',
  'customers',
]
const admin: readonly Permission[] = [
  ...new Set([...developer, ...finance]),
  'audit',
  'members',
  'whitelist',
  'payout_methods',
  'settings',
]

export const mayAs: Readonly<Record<Role, readonly Permission[]>> = {
  VIEWER: viewer,
  DEVELOPER: developer,
  FINANCE: finance,
  ADMIN: admin,
  OWNER: [...admin, 'owners', 'closing'],
}
