// What the metrics read: the ages that matter, each from an index, none growing with history. And
// what keeps the planner's picture of young tables true.

import type { Fragment, Sql } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { eachGroup, homeOf } from '../platform/places/places.ts'

/** What is due, waits or is open in one environment. */
export type OwnAges = Readonly<{
  oldest_undelivered_s: number
  oldest_due_attempt_s: number
  open_incidents: number
  waiting_payouts: number
  oldest_waiting_payout_s: number
  overdue_payouts: number
  waiting_refunds: number
  waiting_settlements: number
  overdue_refunds_and_settlements: number
  failing_attempts: number
}>

export type Ages = Readonly<{
  oldest_unnumbered_event_s: number
  oldest_unsearchable_event_s: number
  upload_bytes: number
  oldest_unannounced_change_s: number
  /** Apart: whoever tries the sandbox leaves much open on purpose, and people watch LIVE. */
  of: Readonly<Record<Environment, OwnAges>>
}>

/** Of all groups: the oldest, and together. A group that cannot be read is left out. */
export async function readAges(sql: Sql): Promise<Ages> {
  const parts = await eachGroup(sql, readParts)
  const [kept] = await sql<Pick<Ages, 'upload_bytes' | 'oldest_unannounced_change_s'>[]>`
    select (select coalesce(sum(size_bytes), 0)::float8 from kyc_documents
             where deleted_at is null) as upload_bytes,
           coalesce((select extract(epoch from now() - min(created_at)) from availability_changes
                      where finished_at is null), 0)::float8 as oldest_unannounced_change_s`
  const most = (which: 'oldest_unnumbered_event_s' | 'oldest_unsearchable_event_s') =>
    Math.max(0, ...parts.map((part) => part[which]))
  const ownOf = (one: Environment) => addUp(parts.filter(({ environment }) => environment === one))
  return {
    oldest_unnumbered_event_s: most('oldest_unnumbered_event_s'),
    oldest_unsearchable_event_s: most('oldest_unsearchable_event_s'),
    upload_bytes: kept?.upload_bytes ?? 0,
    oldest_unannounced_change_s: kept?.oldest_unannounced_change_s ?? 0,
    of: { LIVE: ownOf('LIVE'), SANDBOX: ownOf('SANDBOX') },
  }
}

function addUp(parts: readonly OwnAges[]): OwnAges {
  const most = (which: keyof OwnAges) => Math.max(0, ...parts.map((part) => part[which]))
  const sum = (which: keyof OwnAges) => parts.reduce((all, part) => all + part[which], 0)
  return {
    oldest_undelivered_s: most('oldest_undelivered_s'),
    oldest_due_attempt_s: most('oldest_due_attempt_s'),
    open_incidents: sum('open_incidents'),
    waiting_payouts: sum('waiting_payouts'),
    oldest_waiting_payout_s: most('oldest_waiting_payout_s'),
    overdue_payouts: sum('overdue_payouts'),
    waiting_refunds: sum('waiting_refunds'),
    waiting_settlements: sum('waiting_settlements'),
    overdue_refunds_and_settlements: sum('overdue_refunds_and_settlements'),
    failing_attempts: sum('failing_attempts'),
  }
}

/** Of one group and environment; the ages of events are the group's, in both. */
type Part = OwnAges &
  Pick<Ages, 'oldest_unnumbered_event_s' | 'oldest_unsearchable_event_s'> &
  Readonly<{ environment: Environment }>

const readParts = (at: Sql): PromiseLike<Part[]> => at<Part[]>`
    select e.environment,
      coalesce(extract(epoch from now() - least(
        (select min(created_at) from events where seq is null),
        (${oldestBeyond(at, 'delivery_marks')}))), 0)::float8 as oldest_unnumbered_event_s,
      coalesce(extract(epoch from now() - (${oldestBeyond(at, 'transaction_search_marks')})),
               0)::float8 as oldest_unsearchable_event_s,
      coalesce((select extract(epoch from now() - min(l.due_at)) from webhook_lanes l
                  join webhooks w on w.merchant_id = l.merchant_id and w.id = l.webhook_id
                 where l.due_at <= now() and w.environment = e.environment),
               0)::float8 as oldest_undelivered_s,
      coalesce((select extract(epoch from now() - min(due_at)) from attempts
                 where due_at <= now() and environment = e.environment),
               0)::float8 as oldest_due_attempt_s,
      (select count(*)::int from incidents
        where status = 'OPEN' and environment = e.environment) as open_incidents,
      p.waiting_payouts, p.oldest_waiting_payout_s,
      p.overdue + (select count(*)::int from payout_approvals
                    where status = 'REQUIRED' and lapses_at <= now() - interval '10 minutes'
                      and environment = e.environment) as overdue_payouts,
      (select count(*)::int from refunds
        where waiting_for in ('GATEWAY_FLOAT', 'GATEWAY_CLOSED', 'NO_ROUTE')
          and environment = e.environment) as waiting_refunds,
      (select count(*)::int from settlements
        where waits_until is not null and environment = e.environment) as waiting_settlements,
      (select count(*)::int from refunds
        where waiting_for is not null and lapses_at <= now() - interval '1 hour'
          and environment = e.environment)
        + (select count(*)::int from settlements
            where waits_until <= now() - interval '1 hour'
              and environment = e.environment) as overdue_refunds_and_settlements,
      -- It is tried again within the hour: who has not failed for two fails no more.
      (select count(*)::int from attempt_troubles t
         join attempts a on a.merchant_id = t.merchant_id and a.id = t.attempt_id
        where t.failed_at > now() - interval '2 hours' and a.due_at is not null
          and a.environment = e.environment) as failing_attempts
      from (values ('LIVE'), ('SANDBOX')) as e (environment)
     cross join lateral (
           select count(*)::int as waiting_payouts,
                  coalesce(extract(epoch from now() - min(created_at)), 0)::float8
                    as oldest_waiting_payout_s,
                  (count(*) filter (where created_at <= now() - interval '73 hours'))::int
                    as overdue
             from payout_waits where environment = e.environment) as p`

/** The oldest event that a job, whose marks these are, has not come to in any feed. */
const oldestBeyond = (sql: Sql, marks: 'delivery_marks' | 'transaction_search_marks'): Fragment =>
  sql`
    select min(e.created_at)
      from event_feeds f
      left join ${sql(marks)} m
        on m.merchant_id = f.merchant_id and m.environment = f.environment
     cross join lateral (
           select n.created_at from events n
            where n.merchant_id = f.merchant_id and n.environment = f.environment
              and n.seq > coalesce(m.seq, 0)
            order by n.seq limit 1) as e
     where f.last_seq > coalesce(m.seq, 0)`

/** Since when each kind of expiring data has not come to its end whole; few rows, ever. */
export const readRetentionAges = (sql: Sql): Promise<{ kind: string; age_s: number }[]> => sql<
  { kind: string; age_s: number }[]
>`
  select kind, extract(epoch from now() - coalesce(finished_at, began_at))::float8 as age_s
    from retention_runs`

export type DefaultRows = Readonly<{ table: string; rows: number }>

/** How many rows no month took, by table; at most 10 000 of each are counted. */
export const countDefaultRows = (sql: Sql): Promise<DefaultRows[]> => sql<DefaultRows[]>`
  select 'events' as table, count(*)::int as rows
    from (select 1 from events_default limit 10000) as e
  union all
  select 'deliveries', count(*)::int from (select 1 from deliveries_default limit 10000) as d
  union all
  select 'delivery_tries', count(*)::int
    from (select 1 from delivery_tries_default limit 10000) as t
  union all
  select 'gateway_callbacks', count(*)::int
    from (select 1 from gateway_callbacks_default limit 10000) as c`

/** How far this process's clock is ahead of the database's, in milliseconds; behind: below zero. */
export async function readClockAhead(sql: Sql): Promise<number> {
  const began_ms = Date.now()
  const [row] = await sql<{ now_ms: number }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms`
  return (began_ms + Date.now()) / 2 - (row?.now_ms ?? began_ms)
}

/** The names of the migrations that this database has. */
export async function listMigrations(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select name from schema_migrations`
  return rows.map((row) => row.name)
}

/** What the service's login may do beyond being `pirogue_app`. */
export type Login = Readonly<{
  name: string
  superuser: boolean
  createrole: boolean
  createdb: boolean
  replication: boolean
  bypassrls: boolean
  is_app: boolean
  is_owner: boolean
  owns_tables: boolean
  may_create: boolean
  other_roles: string[]
}>

/** `session_user` is the login, whatever role was taken since. An unused membership counts too. */
export async function readLogin(sql: Sql): Promise<Login> {
  const [row] = await sql<Login[]>`
    select r.rolname as name, r.rolsuper as superuser, r.rolcreaterole as createrole,
           r.rolcreatedb as createdb, r.rolreplication as replication,
           r.rolbypassrls as bypassrls,
           exists (select from pg_roles a where a.rolname = 'pirogue_app'
                      and pg_has_role(r.oid, a.oid, 'member')) as is_app,
           exists (select from pg_roles o where o.rolname = 'pirogue_owner'
                      and pg_has_role(r.oid, o.oid, 'member')) as is_owner,
           exists (select from pg_class c where c.relowner = r.oid
                      and c.relnamespace = 'public'::regnamespace) as owns_tables,
           has_schema_privilege(r.oid, 'public', 'create')
             or has_database_privilege(r.oid, current_database(), 'create') as may_create,
           array(select m.rolname::text from pg_roles m
                  where m.oid <> r.oid and m.rolname not in ('pirogue_app', 'pirogue_owner')
                    and pg_has_role(r.oid, m.oid, 'member') order by 1) as other_roles
      from pg_roles r where r.rolname = session_user`
  assert(row !== undefined, 'who asks has a role')
  return row
}

/** Locks nothing that anyone waits for; reads at most 30,000 rows of each table it counts. */
export async function countOutgrownTables(sql: Sql): Promise<void> {
  await sql`select count_outgrown_tables()`
}

// What made-up history reads from the database beside what it writes.

/** How many customers there have ever been: the numbers of new ones go on from there. */
export async function countCustomers(sql: Sql, merchant_id: string): Promise<number> {
  const [row] = await homeOf(sql, merchant_id)<{ count: number }[]>`
    select count(*)::int as count from customers where merchant_id = ${merchant_id}`
  return row?.count ?? 0
}

/** How many connections the database lets in, of everybody. */
export async function readConnectionsMax(db: Sql): Promise<number> {
  const [row] = await db<{ max: number }[]>`
    select current_setting('max_connections')::int as max`
  return row?.max ?? 0
}
