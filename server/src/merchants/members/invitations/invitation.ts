// An invitation to a merchant: for one e-mail and one role, open for seven days, used once. It is
// void once its sender may not invite for that role any more.

import { Type } from 'typebox'
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
