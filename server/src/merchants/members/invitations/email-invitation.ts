// The e-mail with the token of an invitation, and how many of them may go out: a merchant's
// invitations must not be a way to flood a mailbox (contract 3.6).

import type { Keyring } from '../../../platform/crypto/seal.ts'
import type { Db, Tx } from '../../../platform/db.ts'
import { assert, type Locale } from '../../../platform/errors.ts'
import type { Mail } from '../../../platform/mail/mail.ts'
import { queueMail } from '../../../platform/mail/queue-mail.ts'
import { countOrRefuse } from '../../../platform/throttle/throttle.ts'
import { looksLikeName } from '../../email-owners.ts'
import { type Role, roleNames } from '../../roles.ts'
import type { MemberKey } from '../store.ts'
import { type Invitation, invitation_days } from './invitation.ts'
import { findSender, type SenderFacts } from './store.ts'

export type InvitationEmailDeps = Readonly<{
  db: Db
  keyring: Keyring
  /** Where the dashboard is, without a trailing slash. */
  dashboard_url: string
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
  { keyring, dashboard_url }: InvitationEmailDeps,
  { email, role }: Pick<Invitation, 'email' | 'role'>,
  { sender: key, token, locale }: InvitationEmail,
): Promise<void> {
  const sender = await findSender(tx, key)
  assert(sender !== undefined, 'an invitation by nobody')
  const link = `${dashboard_url}/dashboard/invitation#${token}`
  await queueMail(tx, keyring, invitationEmail({ email, role, locale, sender, link }))
}

// The e-mail that invites a stranger perhaps: nothing of the sender's text is in it but what can
// only be a name.

type Words = Readonly<Record<Locale, string>>

const someMerchant: Words = { en: 'a merchant', fr: 'un marchand' }

export type Invited = Readonly<{
  email: string
  role: Role
  locale: Locale
  sender: SenderFacts
  link: string
}>

function invitationEmail({ email, role, locale, sender, link }: Invited): Mail {
  const { merchant_name } = sender
  const merchant = looksLikeName(merchant_name) ? merchant_name : someMerchant[locale]
  const full_name = `${sender.first_name} ${sender.last_name}`
  const name = looksLikeName(full_name) ? ` (${full_name})` : ''
  const as = roleNames[role][locale]
  const lines: Readonly<Record<Locale, readonly string[]>> = {
    en: [
      'Hello,',
      '',
      `You are invited to join ${merchant}${name} as ${as}.`,
      `The link works once, within ${invitation_days} days:`,
      '',
      link,
      '',
      'If you do not know who this is, you can ignore this e-mail.',
    ],
    fr: [
      'Bonjour,',
      '',
      `Vous avez reçu une invitation à rejoindre ${merchant}${name} comme ${as}.`,
      `Le lien est valable une seule fois, pendant ${invitation_days} jours :`,
      '',
      link,
      '',
      'Si vous ne savez pas de qui il s’agit, ignorez cet e-mail.',
    ],
  }
  const subject: Words = {
    en: `Invitation to ${merchant}`,
    fr: `Invitation à rejoindre ${merchant}`,
  }
  return { to: email, subject: subject[locale], text: lines[locale].join('\n'), locale }
}
