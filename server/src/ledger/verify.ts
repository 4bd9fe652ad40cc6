// The proof that the books are right (money 5, design 1): each law is checked over whole tables in
// one statement, which sees one snapshot of them, so it may run while payments go on.

import type { Fragment, Sql } from '../platform/db.ts'
import { adjustmentsBooked } from './proof/adjustments/statements.ts'
import { returnsBooked, settlementsBooked } from './proof/settlements/statements.ts'
import * as proof from './proof/statements.ts'
import { transfersBooked } from './proof/transfers/statements.ts'
import { type Tally, tallyBreaches } from './store.ts'

/** One law: how many things were checked, how many break it, and up to five of these in words. */
export type Check = Readonly<{ check: string; ok: boolean } & Tally>

const proofs: readonly (readonly [check: string, rows: (sql: Sql) => Fragment])[] = [
  ['entries balance', proof.entriesBalance],
  ['entries say what they move', proof.changesStated],
  ['balances are the sums of their entries', proof.balancesSum],
  ['entries are numbered without gap', proof.entriesChain],
  ['each hold ends at most once', proof.holdsEndOnce],
  ['each hold moves its amount once', proof.holdsMoveOnce],
  ['pending is the sum of open holds', proof.pendingIsHeld],
  ['each success is booked, and nothing else', proof.successesBooked],
  ['each transfer is booked, and nothing else', transfersBooked],
  ['each settlement is booked, and nothing else', settlementsBooked],
  ['each return is booked, and nothing else', returnsBooked],
  ['each adjustment is booked, and nothing else', adjustmentsBooked],
  ['suspense is the sum of open incidents', proof.suspenseIsOpen],
  ['status logs chain', proof.statusesChain],
  ['versions count the moves', proof.versionsCount],
  ['at most one attempt is open', proof.oneAttemptOpen],
]

/** Every law in turn; all `ok` means that the books are right. Reads only. */
export async function verifyLedger(sql: Sql): Promise<Check[]> {
  const checks: Check[] = []
  for (const [check, rows] of proofs) {
    const tally = await tallyBreaches(sql, rows(sql))
    checks.push({ check, ok: tally.broken === 0, ...tally })
  }
  return checks
}
