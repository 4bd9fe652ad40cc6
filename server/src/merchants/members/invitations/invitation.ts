// An invitation to a merchant: for one e-mail and one role, open for seven days, used once. It is
// void once its sender may not invite for that role any more.

import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { hashToken } from '../../../platform/crypto/seal.ts'
import { defineErrors, type Invalid, invalid } from '../../../platform/errors.ts'
import { uuidFromBytes, uuidToBytes } from '../../../platform/ids.ts'
import { type Role, roles } from '../../roles.ts'

export const invitationStatuses = ['PENDING', 'ACCEPTED', 'REVOKED', 'EXPIRED'] as const
export type InvitationStatus = (typeof invitationStatuses)[number]

export const invitation_days = 7

export type Invitation = Readonly<{
  merchant_id: string
  id: string
  email: string
  role: Role
  status: InvitationStatus
  invited_by: string
  expires_at: Date
  created_at: Date
}>

export const InvitationSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    email: Type.String(),
    role: Type.Enum([...roles]),
    status: Type.Enum([...invitationStatuses]),
    expires_at: Type.String({ format: 'date-time' }),
    invited_by: Type.String({ format: 'uuid', description: 'The member who last sent it.' }),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Invitation' },
)

export const viewInvitation = (invitation: Invitation) => ({
  id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  status: invitation.status,
  expires_at: invitation.expires_at.toISOString(),
  invited_by: invitation.invited_by,
  created_at: invitation.created_at.toISOString(),
})

export const invitationExample = {
  id: '01981f3a-0000-7000-8000-00000000e001',
  email: 'kofi@shop.example',
  role: 'FINANCE',
  status: 'PENDING',
  expires_at: '2026-11-28T08:00:00.000Z',
  invited_by: '01981f3a-0000-7000-8000-00000000b001',
  created_at: '2026-11-21T08:00:00.000Z',
}

// What inviting can refuse, beside what every route can.

export const invitationErrors = defineErrors({
  already_member: {
    status: 409,
    message: {
      en: 'Someone with this e-mail is already a member.',
      fr: 'Une personne avec cet e-mail est déjà membre.',
    },
  },
  invitation_not_open: {
    status: 409,
    message: {
      en: 'This invitation has been accepted or revoked. Send another one.',
      fr: 'Cette invitation a été acceptée ou révoquée. Envoyez-en une autre.',
    },
  },
})

/** One answer for a token that is unknown, used, revoked, replaced or expired. */
export const opensNothing = (): Invalid =>
  invalid('token', {
    en: 'This invitation is no longer valid. Ask the person who invited you for another one.',
    fr:
      'Cette invitation n’est plus valable. Demandez-en une autre à la personne qui vous a ' +
      'invité.',
  })

// The token of an invitation: the merchant's id and 32 random bytes, kept only as a hash. The id
// finds the row by its key; it is no secret, and the hash covers it too.

const random_bytes = 32
const pattern = /^[A-Za-z0-9_-]{64}$/

export type TokenKey = Readonly<{ merchant_id: string; hash: Buffer }>

/** The token itself goes into the e-mail and nowhere else. */
export function newInvitationToken(merchant_id: string): { token: string; hash: Buffer } {
  const bytes = Buffer.concat([uuidToBytes(merchant_id), randomBytes(random_bytes)])
  const token = bytes.toString('base64url')
  return { token, hash: hashToken(token) }
}

/** Undefined for a text that is no token. */
export function readInvitationToken(token: string): TokenKey | undefined {
  if (!pattern.test(token)) return undefined
  const merchant_id = uuidFromBytes(Buffer.from(token, 'base64url'))
  return { merchant_id, hash: hashToken(token) }
}
