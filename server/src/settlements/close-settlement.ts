// A settlement whose operator never said what became of it is ended by two people with proof
// (money 1): paid, and its hold is spent; or not paid, and its hold is released. Only while nobody
// knows.

import { isOpen } from '../attempts/attempt.ts'
import type { Tx } from '../platform/db.ts'
import { idsOf, joined } from '../platform/sql.ts'
import type { Closing } from '../transactions/resolutions/close-payout.ts'
import { endParts, findHeld } from './settlement-attempts.ts'

/** False when it is not open any more: the operator has answered after all. */
export async function closeSettlementByStaff(tx: Tx, { attempt, paid }: Closing): Promise<boolean> {
  const held = await findHeld(tx, attempt)
  if (held?.settlement.status !== 'PROCESSING' || !isOpen(held.attempt.status)) return false
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
