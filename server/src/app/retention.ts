// How long each kind of data is kept, and what removes it (docs/guides/data-life.md). Money never
// ends: transactions, attempts, entries, status logs and the audit log appear in no line of this.

import { forgetUnpaid } from '../orders/erasure-statements.ts'
import { dropOldSessions } from '../people/sessions/session.ts'
import type { Db, Sql } from '../platform/db.ts'
import { dropOldKeys } from '../platform/idempotency/run-once.ts'
import type { Job } from '../platform/jobs/worker.ts'
import { type Expiring, expireAll } from '../platform/retention/expire.ts'
import { endOldest, isOverdue } from '../platform/retention/months.ts'
import type { Retention } from './limits.ts'

const limit = 1_000
const every_ms = 600_000

/** The tables whose months end. */
export type Monthly = 'events' | 'deliveries' | 'gateway_callbacks'

/**
 * A month is dropped at once: no row of it is read, and the space is free again. Rows outside any
 * month are deleted one by one.
 */
const byMonth = (parent: Monthly) => ({
  limit: 1,
  remove: (sql: Sql, { days }: Readonly<{ days: number }>) =>
    endOldest(sql, parent, { days, limit }),
  isOverdue: (sql: Sql, days: number) => isOverdue(sql, parent, days),
})

export const expiringKinds = (retention: Retention): Expiring[] => [
  { kind: 'idempotency', days: retention.idempotency, remove: dropOldKeys, limit },
  { kind: 'sessions', days: retention.sessions, remove: dropOldSessions, limit },
  { kind: 'unpaid_checkouts', days: retention.unpaid_checkouts, remove: forgetUnpaid, limit },
  // What was sent is removed before what it was made from.
  { kind: 'deliveries', days: retention.deliveries, ...byMonth('deliveries') },
  { kind: 'events', days: retention.events, ...byMonth('events') },
  { kind: 'callbacks', days: retention.callbacks, ...byMonth('gateway_callbacks') },
]

export const retentionJob = (db: Db, retention: Retention): Job => ({
  name: 'retention',
  poll_ms: every_ms,
  async run({ signal }) {
    await expireAll(db, expiringKinds(retention), signal)
    return 'rest'
  },
})
