// Two people with proof end a settlement whose operator never reported its outcome (money 1): it
// was paid, and its hold is spent; or it was not, and its hold is released. Only while the outcome
// is unknown.

import { type AttemptKeyOf, isOpen } from '../attempts/attempt.ts'
import type { Tx } from '../platform/db.ts'
import { runPart, runWhole } from '../platform/sql.ts'
import type { StaffClosure } from '../transactions/resolutions/close-payout.ts'
import { endParts, findSettlementContext, type SettlementContext } from './settlement-attempts.ts'

/** Neither the settlement nor its attempt has an end. */
export const isSettlementUnended = async (tx: Tx, attempt: AttemptKeyOf): Promise<boolean> =>
  (await unendedOf(tx, attempt)) !== undefined

async function unendedOf(tx: Tx, attempt: AttemptKeyOf): Promise<SettlementContext | undefined> {
  const context = await findSettlementContext(tx, attempt)
  const unended = context?.settlement.status === 'PROCESSING' && isOpen(context.attempt.status)
  return unended ? context : undefined
}

/** False when it is not open any more, because the operator has answered after all. */
export async function closeSettlementByStaff(
  tx: Tx,
  { attempt, paid }: StaffClosure,
): Promise<boolean> {
  const context = await unendedOf(tx, attempt)
  if (context === undefined) return false
  const end = endParts(tx, context, {
    paid,
    external_reference: '',
    failure_code: paid ? '' : 'UNKNOWN',
    detail: paid ? '' : 'staff have proof that it was not paid',
    under_lease: undefined,
  })
  if ((await runPart(tx, end.unmoved)) === 0 || (await runPart(tx, end.same())) === 0) return false
  await runWhole(tx, end.moved(), 1)
  for (const other of end.others()) await runWhole(tx, other, 1)
  return true
}
