// The statement of a payment that its gateway took and that waits for the payer: what the gateway
// calls it, the end of our lease, and the answer kept under the caller's key. Those that come while
// others are being written are written together (docs/decisions/0011).

import { type Accepted, acceptAttempts } from '../attempts/statements.ts'
import { again, type Db } from '../platform/db.ts'
import { gather, perLine } from '../platform/gather.ts'
import type { Once } from '../platform/http/once.ts'
import type { Environment } from '../platform/http/route.ts'
import { type Stored, storeAnswers } from '../platform/idempotency/statements.ts'
import { idsOf, joined } from '../platform/sql.ts'
import { type Noted, noteReferences } from './statements.ts'

export type Taken = Readonly<{
  environment: Environment
  noted: Noted
  accepted: Accepted
  once: Once
  answer: Stored
}>

/** False when a callback was quicker than this answer, or a replay has answered for us. */
export const recordTaken = (db: Db, taken: Taken): Promise<boolean> =>
  line(db, taken.environment)(taken)

const line = perLine((db) =>
  gather<Taken, boolean>({
    run: (all) => recordAll(db, all),
    names: ({ noted }) => [noted.id],
    owner: ({ noted }) => noted.merchant_id,
  }),
)

async function recordAll(db: Db, unsorted: readonly Taken[]): Promise<boolean[]> {
  const all = unsorted.toSorted((a, b) => (a.noted.id < b.noted.id ? -1 : 1))
  const answers = all.map(({ once, answer, accepted }) => ({ once, answer, gate: accepted.id }))
  const parts = [
    noteReferences(
      db,
      all.map(({ noted }) => noted),
    ),
    acceptAttempts(
      db,
      all.map(({ accepted }) => accepted),
      'noted',
    ),
    ...storeAnswers(db, answers, 'accepted'),
  ]
  const rows = await again(() => joined(db, parts, idsOf(db, 'stored')))
  const done = new Set(rows.map((row) => row['id']))
  return unsorted.map(({ accepted }) => done.has(accepted.id))
}
