// A payout whose operator never said what became of it is ended by two people with proof (money 1):
// paid, and its hold is spent; or not paid, and its hold is released. Only while nobody knows.

import type { Attempt } from '../../attempts/attempt.ts'
import { isOpen } from '../../attempts/attempt.ts'
import { attemptAsDecided, endAttempts } from '../../attempts/statements.ts'
import { recordEvents } from '../../events/statements.ts'
import type { Tx } from '../../platform/db.ts'
import type { Person } from '../../platform/http/route.ts'
import { idsOf, joined } from '../../platform/sql.ts'
import { endOf, eventOf, moveOf } from '../move.ts'
import { endPayoutHold } from '../payout-hold.ts'
import { moveStatus, transactionAsDecided } from '../statements.ts'
import { type Held, listHeld } from '../store.ts'

export type Closing = Readonly<{ attempt: Attempt; paid: boolean; person: Person }>

/** Neither the payout nor its attempt has an end. */
export const isPayoutUnended = async (tx: Tx, attempt: Attempt): Promise<boolean> =>
  (await unendedOf(tx, attempt)) !== undefined

async function unendedOf(tx: Tx, attempt: Attempt): Promise<Held | undefined> {
  const [held] = await listHeld(tx, [attempt])
  const unended = held?.transaction.status === 'PENDING' && isOpen(held.attempt.status)
  return unended ? held : undefined
}

/** False when it is not open any more: the operator has answered after all. */
export async function closeByStaff(tx: Tx, { attempt, paid, person }: Closing): Promise<boolean> {
  const held = await unendedOf(tx, attempt)
  if (held === undefined) return false
  const { transaction } = held
  const said = paid ? 'staff have proof that it was paid' : 'staff have proof that it was not paid'
  const move = moveOf(transaction, held.attempt, {
    to_status: paid ? 'SUCCESS' : 'FAILED',
    external_reference: held.attempt.external_reference,
    failure_code: paid ? '' : 'UNKNOWN',
    reason: said,
    triggered_by: 'ADMIN',
    evidence: { kind: 'STAFF', id: null, hash: null, said },
    request_id: person.request_id,
  })
  const end = endOf(held.attempt, {
    gate: transaction.id,
    status: paid ? 'SUCCESS' : 'FAILED',
    gateway_ended: true,
    external_reference: '',
    failure_code: paid ? '' : 'UNKNOWN',
    gateway_detail: said,
    ask_after_s: null,
  })
  const { merchant_id } = held.attempt
  const key = { merchant_id, id: transaction.id, version: transaction.version }
  const parts = [
    transactionAsDecided(tx, key),
    attemptAsDecided(tx, { ...held.attempt, under_lease: undefined }, 'unmoved'),
    ...moveStatus(tx, [move], 'same'),
    endAttempts(tx, 'moved', [end]),
    ...endPayoutHold(tx, held, paid ? 'SPEND' : 'RELEASE'),
    recordEvents(tx, 'moved', [eventOf(transaction, held.attempt, move)]),
  ]
  const rows = await joined(tx, parts, idsOf(tx, 'moved'))
  return rows.length > 0
}
