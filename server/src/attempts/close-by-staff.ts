// Two people with proof end what an attempt is for when its operator never reported an outcome
// (money 1): it was paid, or it was not. Only while the outcome is unknown.

import type { Tx } from '../platform/db.ts'
import { type Attempt, isOpen } from './attempt.ts'
import { type AttemptContext, type Purpose, purposeOf, type StaffClosure } from './purpose.ts'

/**
 * What has no end yet: `both`, or only what the attempt was for, whose hold stays although the
 * operator refused its attempt. Then it can still be said that this attempt paid it after all;
 * that it did not is what the operator said, and ends nothing.
 */
export type Unended = 'both' | 'purpose' | 'none'

/** Of an attempt and of what it is for. */
export const unendedOf = async (
  tx: Tx,
  purposes: readonly Purpose[],
  attempt: Attempt,
): Promise<Unended> => (await readUnended(tx, purposeOf(purposes, attempt), attempt)).unended

type Read =
  | Readonly<{ unended: 'none' }>
  | Readonly<{ unended: 'both' | 'purpose'; context: AttemptContext }>

async function readUnended(tx: Tx, purpose: Purpose, attempt: Attempt): Promise<Read> {
  const context = await purpose.findIn(tx, attempt)
  if (context === undefined || purpose.stateOf(context).status !== 'PENDING') {
    return { unended: 'none' }
  }
  const { status, direction } = context.attempt
  if (isOpen(status)) return { unended: 'both', context }
  const mayBePaid = status === 'FAILED' && direction === 'DISBURSE'
  return mayBePaid ? { unended: 'purpose', context } : { unended: 'none' }
}

/** False when it is not open any more, because the operator has answered after all. */
export async function closeByStaff(
  tx: Tx,
  purposes: readonly Purpose[],
  attempt: Attempt,
  closure: StaffClosure,
): Promise<boolean> {
  const purpose = purposeOf(purposes, attempt)
  const read = await readUnended(tx, purpose, attempt)
  if (read.unended === 'none' || (read.unended === 'purpose' && !closure.paid)) return false
  return purpose.closeByStaff(tx, read.context, closure)
}
