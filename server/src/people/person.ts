// People who sign in: members of merchants, and the platform's staff. Two kinds that never meet:
// the same e-mail may be both, with two passwords, and neither opens the other's area.

import { Type } from 'typebox'
import type { Locale } from '../platform/errors.ts'
import type { StaffRole } from './staff-roles.ts'

export type Kind = 'MEMBER' | 'STAFF'

export type PersonFacts = Readonly<{
  id: string
  kind: Kind
  email: string
  first_name: string
  last_name: string
  phone: string
  locale: Locale
  staff_role: StaffRole | null
  is_demo: boolean
  email_verified: boolean
  totp_enabled: boolean
  last_login_at: Date | null
  created_at: Date
}>

/** One spelling for each address: lower case, without spaces around it. */
export const emailOf = (text: string): string => text.trim().toLowerCase()

// What every mail server takes: plain letters, no quotes and no comments, and a name that DNS can
// have. Spaces around it come from the keyboard, and are cut.
const local_char = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const last_label = '[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])'
const address = `${local_char}+(?:\\.${local_char}+)*@(?:${label}\\.)+${last_label}`
/** A pattern's inside: spaces around it are allowed. */
export const emailForm = `\\s*(?=[^@]{1,64}@)${address}\\s*`
export const emailField = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: `^${emailForm}$`,
})
export const nameField = Type.String({ minLength: 1, maxLength: 100, format: 'one-line' })

/** Long enough that guessing is hopeless at the rate we allow; short enough to be hashed. */
export const passwordField = Type.String({ minLength: 8, maxLength: 128 })

export const PersonSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    phone: Type.String({ description: 'Empty when there is none.' }),
    locale: Type.Enum(['en', 'fr']),
    email_verified: Type.Boolean(),
    totp_enabled: Type.Boolean(),
    last_login_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Member' },
)

export const viewPerson = (person: PersonFacts) => ({
  id: person.id,
  email: person.email,
  first_name: person.first_name,
  last_name: person.last_name,
  phone: person.phone,
  locale: person.locale,
  email_verified: person.email_verified,
  totp_enabled: person.totp_enabled,
  last_login_at: person.last_login_at?.toISOString() ?? null,
  created_at: person.created_at.toISOString(),
})

export const personExample = {
  id: '01981f3a-0000-7000-8000-00000000b001',
  email: 'awa@shop.example',
  first_name: 'Awa',
  last_name: 'Diop',
  phone: '',
  locale: 'fr',
  email_verified: true,
  totp_enabled: false,
  last_login_at: '2026-11-21T08:00:00.000Z',
  created_at: '2026-11-20T08:00:00.000Z',
}
