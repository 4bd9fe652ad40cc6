// Ends the deliveries that wait for an endpoint that is off or deleted.

import type { Sql } from '../../platform/db.ts'
import type { QueueKey } from '../webhook.ts'

/** A queue and the lease that it was given to us under. */
export type QueueLease = QueueKey & Readonly<{ lease_no: bigint }>

/**
 * The endpoint is off or deleted: its waiting deliveries are not sent any more; returns how many
 * there were, at most `limit`. Queue and endpoint are locked first, so that nothing is ended which
 * came after it was switched on again.
 */
export async function exhaustSome(sql: Sql, lease: QueueLease, limit: number): Promise<number> {
  const { merchant_id, webhook_id, lease_no } = lease
  const rows = await sql`
    with held as materialized (
      select 1 from webhook_lanes
       where merchant_id = ${merchant_id} and webhook_id = ${webhook_id}
         and lease_no = ${lease_no}
         for update
    ), off as materialized (
      select 1 from webhooks
       where merchant_id = ${merchant_id} and id = ${webhook_id}
         and (not is_active or deleted_at is not null) and exists (select 1 from held)
         for share)
    update deliveries d
       set status = 'EXHAUSTED', exhausted_at = now(), due_at = null
     where d.merchant_id = ${merchant_id} and d.due_at is not null
       and d.id in (
           select w.id from deliveries w
            where w.merchant_id = ${merchant_id} and w.webhook_id = ${webhook_id}
              and w.due_at is not null
            limit ${limit})
       and exists (select 1 from off)`
  return rows.count
}
