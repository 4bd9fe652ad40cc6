// A settlement whose operator never said what became of it is ended by two people with proof
// (money 1): paid, and its hold is spent; or not paid, and its hold is released. Only while nobody
// knows.

import { type AttemptKeyOf, isOpen } from '../attempts/attempt.ts'
import type { Tx } from '../platform/db.ts'
import { idsOf, joined } from '../platform/sql.ts'
import type { Closing } from '../transactions/resolutions/close-payout.ts'
import { endParts, findHeld, type HeldSettlement } from './settlement-attempts.ts'

/** Neither the settlement nor its attempt has an end. */
export const isSettlementUnended = async (tx: Tx, attempt: AttemptKeyOf): Promise<boolean> =>
  (await unendedOf(tx, attempt)) !== undefined

async function unendedOf(tx: Tx, attempt: AttemptKeyOf): Promise<HeldSettlement | undefined> {
  const held = await findHeld(tx, attempt)
  const unended = held?.settlement.status === 'PROCESSING' && isOpen(held.attempt.status)
  return unended ? held : undefined
}

/** False when it is not open any more: the operator has answered after all. */
export async function closeSettlementByStaff(tx: Tx, { attempt, paid }: Closing): Promise<boolean> {
  const held = await unendedOf(tx, attempt)
  if (held === undefined) return false
  const parts = endParts(tx, held, {
    paid,
    external_reference: '',
    failure_code: paid ? '' : 'UNKNOWN',
    detail: paid ? '' : 'staff have proof that it was not paid',
    under_lease: undefined,
  })
  const rows = await joined(tx, parts, idsOf(tx, 'settlement_moved'))
  return rows.length > 0
}
