// What a person may do at a merchant, as the API says of them: what they may not is not offered.
// The server decides; this only spares a refusal. Which roles have a right, the API says of one's
// own alone: the others are a copy of the server's table, which a test holds against it.

import type { MembersMerchant } from '../api/types.gen.ts'

export type Role = MembersMerchant['role']
export type Right = MembersMerchant['permissions'][number]

export const may = ({ permissions }: MembersMerchant, right: Right): boolean =>
  permissions.includes(right)

/** Of a place that is nothing but a refusal to whoever lacks it. */
export const needed: Readonly<Partial<Record<string, Right>>> = {
  '/audit': 'audit',
  '/settings/verification': 'settings',
}

/** Whether a place has anything for this person: else nothing leads there. */
export const maySee = (merchant: MembersMerchant, path: string): boolean =>
  may(merchant, needed[path] ?? 'read')

const owner = ['OWNER'] as const
const admins = [...owner, 'ADMIN'] as const
const money = [...admins, 'FINANCE'] as const
const builders = [...admins, 'DEVELOPER'] as const

/** From the widest role to the narrowest: whom to ask. */
export const rolesThatMay: Readonly<Record<Right, readonly Role[]>> = {
  read: [...money, 'DEVELOPER', 'VIEWER'],
  payins: [...money, 'DEVELOPER'],
  checkout: builders,
  links: builders,
  webhooks: builders,
  keys: builders,
  payouts: money,
  settlements: money,
  transfers: money,
  top_ups: money,
  customers: money,
  audit: admins,
  members: admins,
  whitelist: admins,
  payout_methods: admins,
  settings: admins,
  owners: owner,
  closing: owner,
}
