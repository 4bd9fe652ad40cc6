// A member of the platform's staff, as the rest of the staff see them. They have no merchant: the
// role decides what they may do (`people/staff-roles.ts`).

import { Type } from 'typebox'
import type { Locale } from '../../platform/errors.ts'
import { nameField, type PersonFacts } from '../person.ts'
import { type StaffRole, staffRoles } from '../staff-roles.ts'

export type StaffMember = Readonly<{
  id: string
  email: string
  first_name: string
  last_name: string
  locale: Locale
  staff_role: StaffRole
  is_demo: boolean
  totp_enabled: boolean
  totp_enrolled_at: Date | null
  /** False until they have followed the e-mail that invited them. */
  has_password: boolean
  disabled_at: Date | null
  last_login_at: Date | null
  created_at: Date
}>

export const roleField = Type.Enum([...staffRoles])
export const nameOrNone = Type.Union([nameField, Type.Literal('')])

const moment = Type.String({ format: 'date-time' })

export const StaffMemberSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    role: roleField,
    totp_enabled: Type.Boolean({
      description: 'Without one, the account can do nothing but enrol it.',
    }),
    is_demo: Type.Boolean({ description: 'Belongs to the embedded demo: has no rights in LIVE.' }),
    has_password: Type.Boolean({
      description: 'False until the link in the account’s e-mail has been followed.',
    }),
    disabled: Type.Boolean(),
    last_login_at: Type.Union([moment, Type.Null()]),
    created_at: moment,
  },
  { title: 'StaffMember' },
)

export const viewStaffMember = (member: StaffMember) => ({
  id: member.id,
  email: member.email,
  first_name: member.first_name,
  last_name: member.last_name,
  role: member.staff_role,
  totp_enabled: member.totp_enabled,
  is_demo: member.is_demo,
  has_password: member.has_password,
  disabled: member.disabled_at !== null,
  last_login_at: member.last_login_at?.toISOString() ?? null,
  created_at: member.created_at.toISOString(),
})

/** What members of staff read of themselves when they sign in. */
export const OwnStaffSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    role: roleField,
    totp_enabled: Type.Boolean(),
    is_demo: Type.Boolean(),
  },
  { title: 'OwnStaffAccount' },
)

type Own = Pick<
  PersonFacts,
  'id' | 'email' | 'first_name' | 'last_name' | 'staff_role' | 'totp_enabled' | 'is_demo'
>

export const viewOwn = (person: Own) => ({
  id: person.id,
  email: person.email,
  first_name: person.first_name,
  last_name: person.last_name,
  role: person.staff_role,
  totp_enabled: person.totp_enabled,
  is_demo: person.is_demo,
})

export const ownExample = {
  id: '01981f3a-0000-7000-8000-00000000c001',
  email: 'ines@pirogue.example',
  first_name: 'Inès',
  last_name: 'Mbaye',
  role: 'OPERATIONS',
  totp_enabled: true,
  is_demo: false,
}

export const staffExample = {
  ...ownExample,
  has_password: true,
  disabled: false,
  last_login_at: '2026-11-21T08:00:00.000Z',
  created_at: '2026-11-20T08:00:00.000Z',
}
