// The rows of the file of deliveries, and its columns: which, how often, how answered. What was
// sent and what came back are in each log's detail.

import { asItIs, type Columns, moment, plain } from '../../../platform/export/columns.ts'
import type { RowsOf } from '../../../platform/export/export-route.ts'
import { type LogsSought, logsWhere } from '../store.ts'

/** By the names that a log's fields have; `took_ms` is of the last try. */
export const columns: Columns = {
  id: asItIs('d.id'),
  created_at: moment('d.created_at'),
  webhook: asItIs('d.webhook_id'),
  url: plain('d.url'),
  event_id: asItIs('d.event_id'),
  event_type: asItIs('d.event_type'),
  transaction: asItIs('d.transaction_id'),
  status: asItIs('d.status'),
  attempt: asItIs('d.attempt'),
  http_status: asItIs('d.http_status'),
  took_ms: asItIs('d.took_ms'),
  sent_at: moment('d.sent_at'),
  next_retry_at: moment(`case when d.status = 'FAILED' then d.due_at end`),
  exhausted_at: moment('d.exhausted_at'),
  environment: asItIs('d.environment'),
}

/** Every match, newest first. */
export const logRows =
  (sought: LogsSought): RowsOf =>
  (db, { bind, list }) =>
    db`
  select ${list}
    from deliveries d
   where ${logsWhere(db, sought, bind)}
   order by d.created_at desc, d.id desc`
