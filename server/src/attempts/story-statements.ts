// Attempts and callbacks as a story has them: no answer, no body. Read with the rest of a
// transaction's story in one statement (docs/decisions/0088).

import type { Fragment, Sql } from '../platform/db.ts'

const columns = (sql: Sql): Fragment => sql`
  a.merchant_id, a.id, a.refund_id, a.network_code, a.gateway_code, a.status, a.direction,
  a.started_at, a.finished_at, a.gateway_ended, a.failure_code, a.failure_message,
  a.external_reference, a.asks, a.first_asked_at, a.asked_at, a.asking_until, a.due_at`

/** The attempts of the transactions in one relation and of the refunds in another. */
export const attemptsOfBoth = (
  sql: Sql,
  { transactions, refunds }: Readonly<{ transactions: string; refunds: string }>,
): Fragment => sql`
  select ${columns(sql)} from ${sql(transactions)} t
    join attempts a on a.merchant_id = t.merchant_id and a.transaction_id = t.id
   union all
  select ${columns(sql)} from ${sql(refunds)} r
    join attempts a on a.merchant_id = r.merchant_id and a.refund_id = r.id`

/**
 * The callbacks of the attempt `a`, counted by proof and outcome. A callback's id begins with the
 * time of its attempt's (docs/decisions/0005).
 */
export const countedCallbacks = (sql: Sql): Fragment => sql`
  select k.proof, k.outcome, count(*) as count, min(k.created_at) as first_at,
         max(k.created_at) as last_at,
         array_position(array['SIGNED', 'BEARER', 'UNSIGNED'], k.proof) * 10
         + array_position(array['APPLIED', 'WOKE', 'WAITING', 'UNMATCHED'], k.outcome) as nth
    from gateway_callbacks k
   where k.merchant_id = a.merchant_id and k.attempt_id = a.id
     and k.id between (left(a.id::text, 13) || '-0000-0000-000000000000')::uuid
                  and (left(a.id::text, 13) || '-ffff-ffff-ffffffffffff')::uuid
   group by k.proof, k.outcome`
