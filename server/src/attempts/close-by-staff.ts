// Two people with proof end what an attempt is for when its operator never reported an outcome
// (money 1): it was paid, or it was not. Only while the outcome is unknown.

import type { Tx } from '../platform/db.ts'
import { type Attempt, isOpen } from './attempt.ts'
import { type AttemptContext, type Purpose, purposeOf, type StaffClosure } from './purpose.ts'

/** Neither the attempt nor what it is for has an end. */
export const isUnended = async (
  tx: Tx,
  purposes: readonly Purpose[],
  attempt: Attempt,
): Promise<boolean> => (await unendedOf(tx, purposeOf(purposes, attempt), attempt)) !== undefined

async function unendedOf(
  tx: Tx,
  purpose: Purpose,
  attempt: Attempt,
): Promise<AttemptContext | undefined> {
  const context = await purpose.findIn(tx, attempt)
  if (context === undefined || !isOpen(context.attempt.status)) return undefined
  return purpose.stateOf(context).status === 'PENDING' ? context : undefined
}

/** False when it is not open any more, because the operator has answered after all. */
export async function closeByStaff(
  tx: Tx,
  purposes: readonly Purpose[],
  attempt: Attempt,
  closure: StaffClosure,
): Promise<boolean> {
  const purpose = purposeOf(purposes, attempt)
  const context = await unendedOf(tx, purpose, attempt)
  return context !== undefined && purpose.closeByStaff(tx, context, closure)
}
