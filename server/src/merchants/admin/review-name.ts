// Staff review a new name, brand or logo of a merchant that they have approved. Law: what they
// agree to is what they have seen: they name the moment since which it waits, and each change has
// its own.

import { actorOfPerson } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import { requireNotDemo } from '../../catalogue/admin/require-not-demo.ts'
import { inTransaction } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { merchantErrors } from '../errors.ts'
import type { ApprovalDeps } from './approve-merchant.ts'
import { type DecisionEmail, emailDecision } from './emails.ts'
import { holdMerchant } from './read-merchant.ts'
import { type MerchantRow, updateNameApproved, updateNameRejected } from './store.ts'

export type NameReview = Readonly<{
  id: string
  since: string
  /** Absent: it is agreed to. */
  reason?: string
}>

export const reviewName = (
  { db, keyring }: ApprovalDeps,
  person: Person,
  { id, since, reason }: NameReview,
): Promise<void> =>
  inTransaction(db, async (tx) => {
    await requireNotDemo(tx, person)
    const was = await holdMerchant(tx, id)
    if (was.name_review_since?.getTime() !== Date.parse(since.toUpperCase())) {
      throw refuse(merchantErrors.name_not_waiting)
    }
    await (reason === undefined ? updateNameApproved(tx, id) : updateNameRejected(tx, id))
    const is = await holdMerchant(tx, id)
    await recordAct(tx, {
      merchant_id: id,
      environment: null,
      actor: actorOfPerson(person),
      action: reason === undefined ? 'merchant.name_approved' : 'merchant.name_rejected',
      target_kind: 'merchant',
      target_id: id,
      before: auditView(was),
      after: { ...auditView(is), ...(reason === undefined ? {} : { reason }) },
    })
    await emailDecision(tx, keyring, is, reason === undefined ? agreed : refused(reason))
  })

const auditView = ({ name, brand_name, reviewed_name, reviewed_brand_name }: MerchantRow) => ({
  name,
  brand_name,
  reviewed_name,
  reviewed_brand_name,
})

const agreed: DecisionEmail = {
  subject: { en: 'Your new name is live', fr: 'Votre nouveau nom est affiché' },
  news: {
    en: 'Our staff have approved your new name and logo: live pages and receipts now show them.',
    fr: 'Notre équipe a validé votre nouveau nom et votre logo : les pages réelles les affichent.',
  },
}

const refused = (reason: string): DecisionEmail => ({
  subject: { en: 'Your new name was not accepted', fr: 'Votre nouveau nom n’a pas été accepté' },
  news: {
    en: `Our staff did not accept your new name or logo: ${reason}\nThe previous one stays.`,
    fr:
      `Notre équipe n’a pas accepté votre nouveau nom ou logo : ${reason}\nLe précédent reste ` +
      'affiché.',
  },
})
