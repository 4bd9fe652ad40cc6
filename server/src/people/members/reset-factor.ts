// A member has lost phone and codes: one of the staff requests the reset, another confirms it. For
// a day the member, who can stop it, and the other owners know of it; then it is done. Law: two
// people, and never sooner than the e-mail can be read.

import type { AuditAction } from '../../audit/actions.ts'
import { type Actor, actorOfPerson, masked, systemActor } from '../../audit/audit.ts'
import { recordOwnAct } from '../../audit/audit-log.ts'
import { hashToken, randomToken } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import { peopleErrors } from '../errors.ts'
import { opensNothing } from '../person-token.ts'
import { requireProposer } from '../proposals/first-person.ts'
import { lockForStaff, type MemberDeps } from './change-member.ts'
import { composeEmail, confirmedEmail, doneEmail, type MemberEmail, ownersEmail } from './emails.ts'
import { memberHelpErrors, nothingEnrolled } from './errors.ts'
import type { FactorReset } from './factor-reset.ts'
import {
  confirmReset,
  deleteFactor,
  endReset,
  findByCancelHash,
  findOpenReset,
  hasFactorOf,
  insertReset,
  listDue,
  lockMember,
  shutOut,
} from './store.ts'

export type ResetDeps = MemberDeps &
  Readonly<{
    dashboard_url: string
    /** The owners of every merchant that the member belongs to, other than the member. */
    emailFellowOwners: (tx: Tx, person_id: string, email: MemberEmail) => Promise<void>
  }>

const recordResetAct = (
  tx: Tx,
  actor: Actor,
  { id, person_id }: FactorReset,
  action: AuditAction,
) =>
  recordOwnAct(tx, actor, {
    action,
    target_kind: 'person',
    target_id: person_id,
    after: { reset: id },
  })

export const requestReset = (
  { db }: ResetDeps,
  by: Person,
  { id: person_id, reason }: Readonly<{ id: string; reason: string }>,
): Promise<void> =>
  inTransaction(db, async (tx) => {
    const member = await lockForStaff(tx, by, person_id)
    if (!member.totp_enabled) {
      throw refuse(peopleErrors.totp_not_enrolled, { message: nothingEnrolled })
    }
    if ((await findOpenReset(tx, person_id)) !== undefined) {
      throw refuse(memberHelpErrors.reset_in_progress)
    }
    await insertReset(tx, { id: newId(), person_id, reason, asked_by: by.person_id })
    await recordResetAct(
      tx,
      actorOfPerson(by),
      await openReset(tx, person_id),
      'factor_reset.asked',
    )
  })

async function openReset(tx: Tx, person_id: string): Promise<FactorReset> {
  const reset = await findOpenReset(tx, person_id)
  if (reset === undefined) throw refuse(memberHelpErrors.reset_not_open)
  return reset
}

/**
 * Refuses the person who requested it, and a request of somebody who may not any more. From now on
 * the day runs, and the member knows.
 */
export const confirmByAnother = (deps: ResetDeps, by: Person, person_id: string): Promise<void> =>
  inTransaction(deps.db, async (tx) => {
    const member = await lockForStaff(tx, by, person_id)
    const reset = await openReset(tx, person_id)
    if (reset.status !== 'ASKED' || reset.is_due) throw refuse(memberHelpErrors.reset_not_open)
    if (reset.asked_by === by.person_id) throw refuse(memberHelpErrors.same_person)
    await requireProposer(tx, reset.asked_by, 'merchants')
    const token = randomToken(32)
    const cancel_hash = hashToken(token)
    await confirmReset(tx, { id: reset.id, confirmed_by: by.person_id, cancel_hash })
    const link = `${deps.dashboard_url}/dashboard/keep-second-factor#${token}`
    await queueMail(tx, deps.keyring, composeEmail(member, confirmedEmail, link))
    await deps.emailFellowOwners(tx, person_id, ownersEmail(masked(member.email)))
    await recordResetAct(tx, actorOfPerson(by), reset, 'factor_reset.confirmed')
  })

export const cancelByStaff = ({ db }: ResetDeps, by: Person, person_id: string): Promise<void> =>
  inTransaction(db, async (tx) => {
    await lockForStaff(tx, by, person_id)
    const reset = await openReset(tx, person_id)
    await endReset(tx, reset.id, 'CANCELLED')
    await recordResetAct(tx, actorOfPerson(by), reset, 'factor_reset.cancelled')
  })

export type Cancelling = Readonly<{ token: string; ip: string; request_id: string }>

/** By the e-mail alone: a member who lost their phone may not be the one who requested it. */
export const cancelByEmail = (
  { db }: Readonly<{ db: Db }>,
  { token, ip, request_id }: Cancelling,
): Promise<void> =>
  inTransaction(db, async (tx) => {
    const person_id = await findByCancelHash(tx, hashToken(token))
    if (person_id === undefined) throw opensNothing()
    await lockMember(tx, person_id)
    const reset = await findOpenReset(tx, person_id)
    if (reset?.status !== 'CONFIRMED') throw opensNothing()
    await endReset(tx, reset.id, 'CANCELLED')
    const actor = { kind: 'MEMBER', id: person_id, role: '', ip, request_id } as const
    await recordResetAct(tx, actor, reset, 'factor_reset.cancelled')
  })

const portion = 100

/** What is due: confirmed ones are done, unconfirmed ones lapse. One failure stops no other. */
export async function endDueResets(deps: MemberDeps & Readonly<{ wake: () => void }>) {
  const due = await listDue(deps.db, portion)
  const failures: unknown[] = []
  for (const id of due) await endDue(deps, id).catch((error) => failures.push(error))
  if (due.length > 0) deps.wake()
  if (failures.length > 0) throw failures[0]
}

const endDue = ({ db, keyring }: MemberDeps, person_id: string): Promise<void> =>
  inTransaction(db, async (tx) => {
    const member = await lockMember(tx, person_id)
    const reset = await findOpenReset(tx, person_id)
    if (member === undefined || reset === undefined || !reset.is_due) return
    if (reset.status === 'ASKED') {
      await endReset(tx, reset.id, 'LAPSED')
      return recordResetAct(tx, systemActor, reset, 'factor_reset.lapsed')
    }
    // What they have enrolled since is no lost one: there is nothing left to help with.
    if (!(await hasFactorOf(tx, reset))) {
      await endReset(tx, reset.id, 'CANCELLED')
      return recordResetAct(tx, systemActor, reset, 'factor_reset.cancelled')
    }
    await deleteFactor(tx, person_id)
    await shutOut(tx, person_id, { tokens: false })
    await endReset(tx, reset.id, 'DONE')
    await queueMail(tx, keyring, composeEmail(member, doneEmail))
    return recordResetAct(tx, systemActor, reset, 'factor_reset.done')
  })
