// How a requested loosening of a limit ends: a second member puts it in force at once, any member
// with the right withdraws it, or its moment comes. Nothing of it pends for ever.

import { systemActor } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { emailOwners } from '../../merchants/email-owners.ts'
import { merchantErrors } from '../../merchants/errors.ts'
import { mayConfirm, requireSecondMember } from '../../merchants/members/member-rights.ts'
import { type ChangeRead, requireChangeRead } from '../../merchants/settings/cooling-off.ts'
import { writeInTurn } from '../../platform/batch-calls.ts'
import { inTransaction, type Sql, type Tx } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { control } from '../../platform/places/places.ts'
import { looserLimitEmail } from './emails.ts'
import { type Figures, figuresOf, isNothing, type PayoutLimit } from './limit.ts'
import { getLimit, type LimitDeps, recordLimit } from './set-limit.ts'
import { deleteLimit, listDueLimits, lockDueLimit, lockLimitsOf, updateLimit } from './store.ts'
import { ofWhom, shownFigures } from './view.ts'

/** Undefined when the confirmed change drops the limit. */
export const confirmChange = (
  deps: LimitDeps,
  caller: Caller,
  { id, ...read }: Readonly<{ id: string }> & ChangeRead,
): Promise<PayoutLimit | undefined> =>
  writeInTurn(deps.db, caller, async (tx) => {
    await lockLimitsOf(tx, caller)
    const { next, ...limit } = await getLimit(tx, caller, id)
    if (next === null) throw refuse(merchantErrors.no_pending_change)
    requireChangeRead(next, read)
    const { merchant_id, environment } = limit
    await requireSecondMember(tx, {
      merchant_id,
      member_id: caller.member_id,
      asked_by: next.by,
      wait_h: next.wait_h,
      needs_factor: environment === 'LIVE',
    })
    const to = figuresOf(next)
    await putInForce(tx, deps, { ...limit, next }, to)
    await recordLimit(tx, caller, 'payout_limit.confirmed', { ...limit, ...to, next: null })
    return isNothing(to) ? undefined : getLimit(tx, caller, id)
  })

/** Whether its reader could confirm what is to come, if anything is. */
export const mayConfirmChange = async (
  sql: Sql,
  caller: Caller,
  { next, environment }: Pick<PayoutLimit, 'next' | 'environment'>,
): Promise<boolean> =>
  next !== null &&
  (await mayConfirm(sql, caller, {
    asked_by: next.by,
    wait_h: next.wait_h,
    needs_factor: environment === 'LIVE',
  }))

/** Any member with the right withdraws it, including the one who requested it. */
export const cancelChange = (deps: LimitDeps, caller: Caller, id: string): Promise<PayoutLimit> =>
  writeInTurn(deps.db, caller, async (tx) => {
    await lockLimitsOf(tx, caller)
    const limit = await getLimit(tx, caller, id)
    if (limit.next === null) throw refuse(merchantErrors.no_pending_change)
    await updateLimit(tx, limit, figuresOf(limit), null)
    await recordLimit(tx, caller, 'payout_limit.loosening_cancelled', limit)
    return getLimit(tx, caller, id)
  })

async function putInForce(
  tx: Tx,
  { keyring }: Pick<LimitDeps, 'keyring'>,
  limit: PayoutLimit,
  to: Figures,
): Promise<void> {
  if (isNothing(to)) await deleteLimit(tx, limit)
  else await updateLimit(tx, limit, to, null)
  if (limit.environment !== 'LIVE') return
  await emailOwners(tx, keyring, limit.merchant_id, looserLimitEmail({ limit, to }))
}

const batch = 50

/**
 * Due work: changes that have come into force are written and reported. One failure holds up no
 * other; reads go by the moment, so nothing depends on this being quick.
 */
export async function applyDueLimits(deps: LimitDeps): Promise<void> {
  const failures: unknown[] = []
  for (const one of await listDueLimits(deps.db, batch)) {
    const applied = inTransaction(control(deps.db), async (tx) => {
      await lockLimitsOf(tx, one)
      const limit = await lockDueLimit(tx, one)
      if (limit !== undefined) await applyDue(tx, deps, limit)
    })
    await applied.catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

/** Its figures are read as they are in force, and are written so. */
async function applyDue(tx: Tx, deps: LimitDeps, limit: PayoutLimit): Promise<void> {
  const { merchant_id, environment, id } = limit
  await putInForce(tx, deps, limit, figuresOf(limit))
  await recordAct(tx, {
    merchant_id,
    environment,
    actor: systemActor,
    action: 'payout_limit.in_force',
    target_kind: 'payout_limit',
    target_id: id,
    after: { ...ofWhom(limit), ...shownFigures(limit) },
  })
}
