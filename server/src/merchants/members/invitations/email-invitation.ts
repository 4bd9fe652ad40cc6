// The e-mail with the token of an invitation, and how many of them may go out: a merchant's
// invitations must not be a way to flood a mailbox (contract 3.6).

import type { Keyring } from '../../../platform/crypto/seal.ts'
import type { Db, Tx } from '../../../platform/db.ts'
import { assert, type Locale } from '../../../platform/errors.ts'
import { queueMail } from '../../../platform/mail/queue-mail.ts'
import { countOrRefuse } from '../../../platform/throttle/throttle.ts'
import type { MemberKey } from '../store.ts'
import type { Invitation } from './invitation.ts'
import { invitationEmail } from './invitation-email.ts'
import { findSender } from './store.ts'

export type InvitationEmailDeps = Readonly<{
  db: Db
  keyring: Keyring
  /** The origin of our own pages, without a trailing slash. */
  public_url: string
  limits: Readonly<{ invitations_per_email_hour: number; invitations_per_merchant_hour: number }>
  wake: (name: string) => void
}>

const within_s = 3600

/** Refuses with `rate_limited`. Per merchant, and per reader over all merchants. */
export async function countInvitation(
  { db, keyring, limits }: InvitationEmailDeps,
  { merchant_id, email }: Readonly<{ merchant_id: string; email: string }>,
): Promise<void> {
  const throttle = { db, macs: keyring }
  await countOrRefuse(throttle, {
    act: 'invitation-merchant',
    target: merchant_id,
    most: limits.invitations_per_merchant_hour,
    within_s,
  })
  await countOrRefuse(throttle, {
    act: 'invitation-email',
    target: email,
    most: limits.invitations_per_email_hour,
    within_s,
  })
}

export type InvitationEmail = Readonly<{ sender: MemberKey; token: string; locale: Locale }>

export async function emailInvitation(
  tx: Tx,
  { keyring, public_url }: InvitationEmailDeps,
  { email, role }: Pick<Invitation, 'email' | 'role'>,
  { sender: key, token, locale }: InvitationEmail,
): Promise<void> {
  const sender = await findSender(tx, key)
  assert(sender !== undefined, 'an invitation by nobody')
  const link = `${public_url}/dashboard/invitation#${token}`
  await queueMail(tx, keyring, invitationEmail({ email, role, locale, sender, link }))
}
