// Which role of a member may do what (contract 3.3): the one table that code, OpenAPI and the
// documentation share.

import type { Text } from '../platform/errors.ts'
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

/** As e-mails name them. */
export const roleNames: Readonly<Record<Role, Text>> = {
  OWNER: { en: 'owner', fr: 'propriétaire' },
  ADMIN: { en: 'administrator', fr: 'administrateur' },
  DEVELOPER: { en: 'developer', fr: 'développeur' },
  FINANCE: { en: 'finance manager', fr: 'responsable financier' },
  VIEWER: { en: 'viewer', fr: 'lecteur' },
}

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
