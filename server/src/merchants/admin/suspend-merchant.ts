// Suspends or restores a merchant (contract 3.5): its own records stay readable, and what is in
// flight ends. Every call reads the status with its key, so it takes effect at once.

import { type Actor, systemActor } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Sql } from '../../platform/db.ts'
import { holdMerchant } from './change-merchant.ts'
import { emailDecision, restoredEmail, suspendedEmail } from './emails.ts'
import { type MerchantStatus, updateStatus } from './store.ts'

// Sets a merchant's status, with its line in the audit log and an e-mail to its owners. A status
// that is set already stays, and nobody is e-mailed twice.

export type By = Readonly<{
  /** The command line, when absent. */
  actor?: Actor
  /** Absent: no e-mail can be sealed, and none is written. */
  keyring?: Keyring
}>

export type StatusChange = Readonly<{ id: string; status: MerchantStatus; reason: string }>

/** All of it or nothing, in the caller's transaction. Refuses an unknown id. */
export async function changeStatus(
  sql: Sql,
  change: StatusChange,
  { actor = systemActor, keyring }: By,
): Promise<void> {
  const { id, status, reason } = change
  const was = await holdMerchant(sql, id)
  if (was.status === status && was.suspended_reason === reason) return
  await updateStatus(sql, change)
  await recordAct(sql, {
    merchant_id: id,
    environment: null,
    actor,
    action: status === 'SUSPENDED' ? 'merchant.suspended' : 'merchant.restored',
    target_kind: 'merchant',
    target_id: id,
    before: { status: was.status, suspended_reason: was.suspended_reason },
    after: { status, suspended_reason: reason },
  })
  // The same reason in better words is no news.
  if (was.status === status || keyring === undefined) return
  const email = status === 'SUSPENDED' ? suspendedEmail(reason) : restoredEmail
  await emailDecision(sql, keyring, was, email)
}

/** Refuses an unknown id. Suspending again replaces the reason. */
export const suspendMerchant = (sql: Sql, id: string, reason: string, by: By = {}): Promise<void> =>
  changeStatus(sql, { id, status: 'SUSPENDED', reason }, by)

/** Restoring one who is active changes nothing. */
export const restoreMerchant = (sql: Sql, id: string, by: By = {}): Promise<void> =>
  changeStatus(sql, { id, status: 'ACTIVE', reason: '' }, by)
