// Staff have checked who a merchant is. An approved merchant works in LIVE as soon as an owner's
// e-mail is proven; a rejected one works in the sandbox only (contract 3.3).

import type { AuditAction } from '../../audit/actions.ts'
import { actorOfPerson, changedFields } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { requireNotDemo } from '../../catalogue/admin/require-not-demo.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { merchantErrors } from '../errors.ts'
import { type LiveDeps, openLiveIfReady } from '../merchant.ts'
import { holdMerchant } from './change-merchant.ts'
import { approvedEmail, type DecisionEmail, emailDecision, rejectedEmail } from './emails.ts'
import {
  type MerchantRow,
  updateApproved,
  updateNameApproved,
  updateNameRejected,
  updateRejected,
} from './store.ts'

export type ApprovalDeps = LiveDeps & Readonly<{ db: Db; keyring: Keyring }>

export type Approval = Readonly<{
  id: string
  /** When the merchant that they read was last changed; absent: whatever stands there now. */
  updated_at?: string
}>

/**
 * Approving again changes nothing. Whatever name, brand, logo and contact stand there are reviewed
 * by it, so whoever says which state they have read approves no other.
 */
export const approveMerchant = (
  deps: ApprovalDeps,
  person: Person,
  { id, updated_at: read }: Approval,
): Promise<void> =>
  decide(deps, person, id, {
    action: 'merchant.approved',
    async change(tx, { approved_at, kyc_status, updated_at }) {
      if (read !== undefined && updated_at.getTime() !== Date.parse(read.toUpperCase())) {
        throw refuse(merchantErrors.merchant_changed)
      }
      if (approved_at === null || kyc_status !== 'APPROVED') await updateApproved(tx, id)
      await openLiveIfReady(tx, id, deps.cooling_hours)
    },
    emailOf: ({ live_enabled }) => approvedEmail(live_enabled),
  })

/** Withdraws an approval, if there was one: LIVE is closed. A second reason replaces the first. */
export const rejectMerchant = (
  deps: ApprovalDeps,
  person: Person,
  { id, reason }: Readonly<{ id: string; reason: string }>,
): Promise<void> =>
  decide(deps, person, id, {
    action: 'merchant.rejected',
    change: (tx) => updateRejected(tx, id, reason),
    emailOf: () => rejectedEmail(reason),
  })

type Decision = Readonly<{
  action: AuditAction
  change: (tx: Tx, was: MerchantRow) => Promise<void>
  emailOf: (is: MerchantRow) => DecisionEmail
}>

const auditView = (merchant: MerchantRow) => ({
  approved: merchant.approved_at !== null,
  kyc_status: merchant.kyc_status,
  kyc_note: merchant.kyc_note,
  live_enabled: merchant.live_enabled,
})

const decide = (
  { db, keyring }: ApprovalDeps,
  person: Person,
  id: string,
  { action, change, emailOf }: Decision,
): Promise<void> =>
  inTransaction(db, async (tx) => {
    await requireNotDemo(tx, person)
    const was = await holdMerchant(tx, id)
    await change(tx, was)
    const is = await holdMerchant(tx, id)
    const changed = changedFields(auditView(was), auditView(is))
    if (changed === undefined) return
    await recordAct(tx, {
      merchant_id: id,
      environment: null,
      actor: actorOfPerson(person),
      action,
      target_kind: 'merchant',
      target_id: id,
      ...changed,
    })
    await emailDecision(tx, keyring, is, emailOf(is))
  })

// Staff review a new name, brand, logo or contact of a merchant that they have approved. Law: what
// they agree to is what they have seen: they name the moment since which it waits, and each change
// has its own.

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
      before: nameAuditView(was),
      after: { ...nameAuditView(is), ...(reason === undefined ? {} : { reason }) },
    })
    await emailDecision(tx, keyring, is, reason === undefined ? agreed : refused(reason))
  })

const nameAuditView = (merchant: MerchantRow) => ({
  name: merchant.name,
  brand_name: merchant.brand_name,
  contact: merchant.contact,
  reviewed_name: merchant.reviewed_name,
  reviewed_brand_name: merchant.reviewed_brand_name,
  reviewed_contact: merchant.reviewed_contact,
})

const agreed: DecisionEmail = {
  subject: { en: 'What payers see of you is live', fr: 'Ce que voient vos payeurs est affiché' },
  news: {
    en:
      'Our staff have approved your name, logo and contact as you changed them: live pages and ' +
      'receipts now show them.',
    fr:
      'Notre équipe a validé votre nom, votre logo et votre contact tels que vous les avez ' +
      'changés : en mode réel, les pages et les reçus les affichent.',
  },
}

const refused = (reason: string): DecisionEmail => ({
  subject: { en: 'Your change was not accepted', fr: 'Votre changement n’a pas été accepté' },
  news: {
    en:
      `Our staff did not accept your new name, logo or contact: ${reason}\nWhat payers saw ` +
      'before stays.',
    fr:
      `Notre équipe n’a pas accepté votre nouveau nom, logo ou contact : ${reason}\nCe que ` +
      'voyaient vos payeurs reste affiché.',
  },
})
