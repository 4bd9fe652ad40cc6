// How long each kind of data is kept, and what removes it (docs/guides/data-life.md). Money never
// ends: transactions, attempts, entries, status logs and the audit log appear in no line of this.

import { forgetUnpaid } from '../orders/erasure-statements.ts'
import { dropOldSessions } from '../people/sessions/session.ts'
import type { Db, Sql } from '../platform/db.ts'
import { dropOldKeys, type TablePart } from '../platform/idempotency/old-keys.ts'
import type { Job } from '../platform/jobs/worker.ts'
import { type Expiring, expireAll, whileFull } from '../platform/retention/expire.ts'
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
  remove: whileFull(1, (sql, { days }) => endOldest(sql, parent, { days, limit })),
  isOverdue: (sql: Sql, days: number) => isOverdue(sql, parent, days),
})

/** `part`: of the table that is walked, where not all of it is. */
export const expiringKinds = (retention: Retention, part?: TablePart): Expiring[] => [
  {
    kind: 'idempotency',
    days: retention.idempotency,
    remove: (sql, { days, at }) => dropOldKeys(sql, { days, limit, at, part }),
  },
  { kind: 'sessions', days: retention.sessions, remove: whileFull(limit, dropOldSessions) },
  {
    kind: 'unpaid_checkouts',
    days: retention.unpaid_checkouts,
    remove: whileFull(limit, forgetUnpaid),
  },
  // What was sent is removed before what it was made from.
  { kind: 'deliveries', days: retention.deliveries, ...byMonth('deliveries') },
  { kind: 'events', days: retention.events, ...byMonth('events') },
  { kind: 'callbacks', days: retention.callbacks, ...byMonth('gateway_callbacks') },
]

const quarter_ms = 900_000
/** A day has 96 quarters: whoever is down at the same quarter each day misses another part. */
const parts = 97
/** 64 MB, which are read in no time. */
const whole_pages = 8_192

/** Of a large table: each quarter of an hour another part, and all of it in about a day. */
const partNow = (): TablePart => ({
  no: Math.floor(Date.now() / quarter_ms) % parts,
  of: parts,
  whole_pages,
})

export const retentionJob = (db: Db, retention: Retention): Job => ({
  name: 'retention',
  poll_ms: every_ms,
  async run({ signal }) {
    await expireAll(db, expiringKinds(retention, partNow()), { signal, by_service: true })
    return 'rest'
  },
})
