// The e-mails to the owners when payouts may come from a new address.

import type { OwnersEmail } from '../email-owners.ts'
import type { WhitelistEntry } from './entry.ts'

export const newEntryEmail = ({ ip_address }: WhitelistEntry): OwnersEmail => ({
  subject: { en: 'A new address on the IP whitelist', fr: 'Une nouvelle adresse IP autorisée' },
  news: {
    en: `Payouts by API key may now come from ${ip_address}.`,
    fr: `Les versements par clé API peuvent désormais venir de ${ip_address}.`,
  },
})
