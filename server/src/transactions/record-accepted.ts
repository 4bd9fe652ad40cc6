// T2, the statement of a payment that its gateway took and that waits for the payer: the gateway's
// reference, the end of our lease, and the answer kept under the caller's key. Those that come
// while others are being written are batched (docs/decisions/0011).

import { memoParts } from '../attempts/acceptance.ts'
import { type Accepted, acceptAttempts } from '../attempts/statements.ts'
import { batchCalls, perBatchPool } from '../platform/batch-calls.ts'
import { type Db, retryOnDeadlock } from '../platform/db.ts'
import type { Environment, Once } from '../platform/http/route.ts'
import { type Stored, storeAnswers } from '../platform/idempotency/statements.ts'
import { composed, selectIds } from '../platform/sql.ts'
import { type NotedReference, noteReferences } from './statements.ts'

export type AcceptedPayment = Readonly<{
  environment: Environment
  noted: NotedReference
  accepted: Accepted
  once: Once
  answer: Stored
}>

/** False when a callback was quicker than this answer, or a replay has answered for us. */
export const recordAccepted = (db: Db, payment: AcceptedPayment): Promise<boolean> =>
  batch(db, { environment: payment.environment, merchant_id: payment.noted.merchant_id })(payment)

const batch = perBatchPool((db) =>
  batchCalls<AcceptedPayment, boolean>({
    run: (all) => writeAccepted(db, all),
    names: ({ noted }) => [noted.id],
    owner: ({ noted }) => noted.merchant_id,
  }),
)

async function writeAccepted(db: Db, unsorted: readonly AcceptedPayment[]): Promise<boolean[]> {
  const all = unsorted.toSorted((a, b) => (a.noted.id < b.noted.id ? -1 : 1))
  const answers = all.map(({ once, answer, accepted }) => ({ once, answer, gate_id: accepted.id }))
  const each = <K extends keyof AcceptedPayment>(what: K) => all.map((one) => one[what])
  const noted = noteReferences(db, each('noted'))
  const accepted = acceptAttempts(db, each('accepted'), { when: noted })
  const stored = storeAnswers(db, answers, { when: accepted })
  const parts = [
    ...[noted, accepted, stored],
    ...memoParts(db, each('accepted'), { when: accepted }),
  ]
  const rows = await retryOnDeadlock(() => composed(db, parts, selectIds(db, stored)))
  const done = new Set(rows.map((row) => row['id']))
  return unsorted.map(({ accepted }) => done.has(accepted.id))
}
