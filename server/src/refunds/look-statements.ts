// What routing passed over, and why, when it looked for a way for a refund that waits for a route:
// the last look, kept when the wait is over, as a payout's is. Staff read it.

import type { Sql } from '../platform/db.ts'
import { homeOf } from '../platform/places/places.ts'
import type { KeptLook, Look } from '../transactions/wait-statements.ts'
import type { RefundKey } from './refund.ts'

/** Mostly it was that before, and nothing is written. */
export async function keepLook(
  sql: Sql,
  { merchant_id, id }: RefundKey,
  look: Look,
): Promise<void> {
  await homeOf(sql, merchant_id)`
    insert into refund_looks as l (merchant_id, refund_id, reason, passed_over)
    values (${merchant_id}, ${id}, ${look.reason}, ${sql.json([...look.passed_over])})
    on conflict (merchant_id, refund_id) do update
       set reason = excluded.reason, passed_over = excluded.passed_over, since = now()
     where l.reason <> excluded.reason or l.passed_over <> excluded.passed_over`
}

/** Of a refund that waits for a route, or has waited. */
export async function findRefundLook(
  sql: Sql,
  { merchant_id, id }: RefundKey,
): Promise<KeptLook | undefined> {
  const [row] = await homeOf(sql, merchant_id)<KeptLook[]>`
    select reason, passed_over, since from refund_looks
     where merchant_id = ${merchant_id} and refund_id = ${id}`
  return row
}
