// What stands beside a transaction `t` in other tables, as columns and conditions: its incident, a
// payout's approval, what it waits for, and whether its outcome is known.

import { isQueuedOf, isUnknownOf } from '../attempts/attempt-statements.ts'
import { cameOtherwiseOf } from '../incidents/sent-again-statements.ts'
import { disputes, isContradiction } from '../incidents/store.ts'
import type { Fragment, Sql } from '../platform/db.ts'

const attempts = { by: 'transaction_id', of: 't' } as const

/** A second person's word is asked for. */
export const isToApprove = (sql: Sql): Fragment => sql`
  exists (select 1 from payout_approvals p
           where p.merchant_id = t.merchant_id and p.transaction_id = t.id
             and p.status = 'REQUIRED')`

/** Not sent yet, or in a queue of its operator's. */
export const isUnsent = (sql: Sql): Fragment => sql`
  (exists (select 1 from payout_waits w
            where w.merchant_id = t.merchant_id and w.transaction_id = t.id)
   or ${isQueuedOf(sql, attempts)})`

/** An operator has not said what came of it. */
export const isUnknown = (sql: Sql): Fragment => isUnknownOf(sql, attempts)

/** What there could be a refund of. */
const isPaid = (sql: Sql): Fragment => sql`t.transaction_type = 'PAIEMENT' and t.status = 'SUCCESS'`

/**
 * Of the incidents of `t` the newest that contradicts it, or that is open, or the newest; and what
 * any of them goes on barring, by the very conditions that refuse it.
 */
export const gravestIncident = (sql: Sql): Fragment => sql`
  (select json_build_object('id', i.id, 'type', i.type, 'status', i.status,
                            'is_contradiction', ${isContradiction(sql)},
                            'prevents_refund', ${isPaid(sql)} and exists (
                              select 1 from incidents d
                               where d.merchant_id = t.merchant_id and d.transaction_id = t.id
                                 and ${disputes(sql)}),
                            'prevents_retry', t.flow_direction = 'INBOUND'
                              and t.status <> 'SUCCESS'
                              and ${cameOtherwiseOf(sql, 'transaction_id', 't')})
     from incidents i
    where i.merchant_id = t.merchant_id and i.transaction_id = t.id
    order by ${isContradiction(sql)} desc, (i.status = 'OPEN') desc, i.created_at desc, i.id desc
    limit 1)`

/** Whether `t` is one that `outcome=UNKNOWN` finds. */
export const outcomeUnknown = (sql: Sql): Fragment => sql`
  (case when t.status = 'PENDING' then ${isUnknown(sql)} else false end)`

/** What stands beside a transaction: its incident, a payout's approval and what it waits for. */
export const incidentMark = (sql: Sql): Fragment => sql`
  ${gravestIncident(sql)} as incident,
  case when t.transaction_type = 'RETRAIT'
       then (select p.status from payout_approvals p
              where p.merchant_id = t.merchant_id and p.transaction_id = t.id) end as approval,
  case when t.transaction_type = 'RETRAIT' and t.status = 'PENDING'
       then coalesce(
              (select w.reason from payout_waits w
                where w.merchant_id = t.merchant_id and w.transaction_id = t.id),
              case when ${isQueuedOf(sql, attempts)} then 'GATEWAY_QUEUED' end)
       end as waiting_reason,
  ${outcomeUnknown(sql)} as outcome_unknown`
