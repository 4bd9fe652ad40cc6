// A person's place at a merchant, as it is kept and shown. Its id is the person's.

import { Type } from 'typebox'
import { defineErrors } from '../../platform/errors.ts'
import type { Permission } from '../../platform/http/route.ts'
import { type Role, roles } from '../roles.ts'

export type Member = Readonly<{
  merchant_id: string
  person_id: string
  email: string
  first_name: string
  last_name: string
  role: Role
  totp_enabled: boolean
  email_verified: boolean
  last_login_at: Date | null
  created_at: Date
}>

/** The permission needed to give this role, or to take it from somebody. */
export const permissionOver = (role: Role): Permission => (role === 'OWNER' ? 'owners' : 'members')

export const MemberSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The id of the person.' }),
    merchant: Type.String({ format: 'uuid' }),
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    role: Type.Enum([...roles]),
    totp_enabled: Type.Boolean(),
    email_verified: Type.Boolean(),
    last_login_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    created_at: Type.String({
      format: 'date-time',
      description: 'When the person became a member.',
    }),
  },
  { title: 'MerchantMember' },
)

export const viewMember = (member: Member) => ({
  id: member.person_id,
  merchant: member.merchant_id,
  email: member.email,
  first_name: member.first_name,
  last_name: member.last_name,
  role: member.role,
  totp_enabled: member.totp_enabled,
  email_verified: member.email_verified,
  last_login_at: member.last_login_at?.toISOString() ?? null,
  created_at: member.created_at.toISOString(),
})

export const memberExample = {
  id: '01981f3a-0000-7000-8000-00000000b002',
  merchant: '01981f3a-0000-7000-8000-00000000a001',
  email: 'kofi@shop.example',
  first_name: 'Kofi',
  last_name: 'Mensah',
  role: 'FINANCE',
  totp_enabled: true,
  email_verified: true,
  last_login_at: '2026-11-21T08:00:00.000Z',
  created_at: '2026-11-20T08:00:00.000Z',
}

// What managing members can refuse, beside what every route can.

export const memberErrors = defineErrors({
  last_owner: {
    status: 409,
    message: {
      en: 'This is the last owner. Make someone else an owner first.',
      fr: 'C’est le dernier propriétaire. Nommez d’abord un autre propriétaire.',
    },
  },
})
