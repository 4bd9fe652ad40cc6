// The e-mails to the owners when there is a new place that money may go to.

import { masked } from '../../audit/audit.ts'
import type { OwnersEmail } from '../email-owners.ts'
import { maskedAccount, type PayoutMethod } from './payout-method.ts'

export function newMethodEmail(method: PayoutMethod): OwnersEmail {
  const { msisdn, bank_name, account_number, usable_from } = method
  const account = account_number === null ? '' : `${bank_name} ${maskedAccount(account_number)}`
  const where = msisdn === null ? account : masked(msisdn)
  const from = `${usable_from.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return {
    subject: { en: 'A new payout method', fr: 'Un nouveau moyen de versement' },
    news: {
      en: `Your account can be paid out to ${where} from ${from} on.`,
      fr: `Votre solde pourra être versé sur ${where} à partir du ${from}.`,
    },
  }
}
