// Staff have checked who a merchant is. An approved merchant works in LIVE as soon as an owner's
// e-mail is proven; a rejected one works in the sandbox only (contract 3.3).

import { actorOfPerson } from '../../audit/audit.ts'
import { changedFields } from '../../audit/changed-fields.ts'
import { recordAct } from '../../audit/record-act.ts'
import { requireNotDemo } from '../../catalogue/admin/require-not-demo.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import type { Person } from '../../platform/http/route.ts'
import { type LiveDeps, openLiveIfReady } from '../open-live.ts'
import { approvedEmail, type DecisionEmail, emailDecision, rejectedEmail } from './emails.ts'
import { holdMerchant } from './read-merchant.ts'
import { type MerchantRow, updateApproved, updateRejected } from './store.ts'

export type ApprovalDeps = LiveDeps & Readonly<{ db: Db; keyring: Keyring }>

/** Approving again changes nothing. */
export const approveMerchant = (deps: ApprovalDeps, person: Person, id: string): Promise<void> =>
  decide(deps, person, id, {
    action: 'merchant.approved',
    async change(tx, { approved_at, kyc_status }) {
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
  action: string
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
