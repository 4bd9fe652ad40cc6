// The e-mails to the owners when somebody gets rights over the account, or leaves keys behind.

import { masked } from '../../audit/audit.ts'
import type { OwnersEmail } from '../email-owners.ts'
import type { ApiKey } from '../keys/api-key.ts'
import { mayAs, type Role } from '../roles.ts'
import type { Member } from './member.ts'

type Named = Pick<Member, 'email'>

/** These may let others in, or let money out. */
export const isRaised = (role: Role): boolean => mayAs[role].includes('payouts')

export const raisedEmail = ({ email }: Named, role: Role): OwnersEmail => ({
  subject: { en: `A new ${role} in your account`, fr: `Rôle ${role} attribué dans votre compte` },
  news: {
    en: `${masked(email)} is now ${role} in your account.`,
    fr: `${masked(email)} a désormais le rôle ${role} dans votre compte.`,
  },
})

export function keysLeftEmail({ email }: Named, keys: readonly ApiKey[]): OwnersEmail {
  const list = keys.map(({ key_prefix, last4 }) => `${key_prefix}…${last4}`).join(', ')
  return {
    subject: { en: 'Live API keys of a former member', fr: 'Clés API réelles d’un ancien membre' },
    news: {
      en:
        `${masked(email)} is no longer a member of your account. Live keys created by this ` +
        `member still work: ${list}.`,
      fr:
        `${masked(email)} n’est plus membre de votre compte. Les clés réelles créées par ce ` +
        `membre fonctionnent encore : ${list}.`,
    },
    advice: {
      en: 'Rotate or revoke each of them unless you know who holds its secret.',
      fr: 'Remplacez ou révoquez chacune d’elles, sauf si vous savez qui en détient le secret.',
    },
  }
}
