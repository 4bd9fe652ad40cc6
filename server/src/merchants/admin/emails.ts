// The e-mails to a merchant's owners about decisions of staff, each in the owner's language. They
// are in the outbox with the decision, so there is no decision without an e-mail and no e-mail
// without a decision.

import { greet } from '../../people/emails.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Sql } from '../../platform/db.ts'
import type { Text } from '../../platform/errors.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import { shownName, subjectUnder } from '../email-owners.ts'
import { listMembersOf, type MerchantRow } from './store.ts'

export type DecisionEmail = Readonly<{ subject: Text; news: Text }>

export async function emailDecision(
  sql: Sql,
  keyring: Keyring,
  { id, ...merchant }: Pick<MerchantRow, 'id' | 'name' | 'reviewed_name'>,
  { subject, news }: DecisionEmail,
): Promise<void> {
  const shown = shownName(merchant)
  for (const member of await listMembersOf(sql, id)) {
    const { email, locale, role, is_disabled } = member
    if (role !== 'OWNER' || is_disabled) continue
    await queueMail(sql, keyring, {
      to: email,
      subject: subjectUnder(shown, subject)[locale],
      text: [greet(member), '', news[locale]].join('\n'),
      locale,
    })
  }
}

export const approvedEmail = (live_enabled: boolean): DecisionEmail => ({
  subject: { en: 'Your account is approved', fr: 'Votre compte est approuvé' },
  news: live_enabled
    ? {
        en: 'Your account is approved and now works in live mode.',
        fr: 'Votre compte est approuvé et fonctionne désormais en mode réel.',
      }
    : {
        en:
          'Your account is approved. Live mode opens once an owner has confirmed their e-mail ' +
          'address.',
        fr:
          'Votre compte est approuvé. Le mode réel s’ouvrira dès qu’un propriétaire aura ' +
          'confirmé son adresse e-mail.',
      },
})

export const rejectedEmail = (reason: string): DecisionEmail => ({
  subject: { en: 'Your account is not approved', fr: 'Votre compte n’est pas approuvé' },
  news: {
    en: `Your account is not approved for live mode: ${reason}\nTest mode stays open to you.`,
    fr: `Votre compte n’est pas approuvé en mode réel : ${reason}\nLe mode test vous reste ouvert.`,
  },
})

export const suspendedEmail = (reason: string): DecisionEmail => ({
  subject: { en: 'Your account is suspended', fr: 'Votre compte est suspendu' },
  news: {
    en: [
      reason === '' ? 'Your account is suspended.' : `Your account is suspended: ${reason}`,
      'You can still read your records. Payments under way will run to their end and be booked.',
      'Contact support.',
    ].join('\n'),
    fr: [
      reason === '' ? 'Votre compte est suspendu.' : `Votre compte est suspendu : ${reason}`,
      'Vos données restent consultables. Les paiements en cours iront à leur terme et seront ' +
        'comptabilisés.',
      'Contactez le support.',
    ].join('\n'),
  },
})

export const restoredEmail: DecisionEmail = {
  subject: { en: 'Your account has been restored', fr: 'Votre compte est rétabli' },
  news: {
    en: 'The suspension of your account has ended. It works as before.',
    fr: 'La suspension de votre compte a pris fin. Il fonctionne comme avant.',
  },
}
