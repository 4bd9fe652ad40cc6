// The statements about how routes fare: what processes measure and exchange, what is judged of it,
// and what is with an account that is not known to have ended.

import type { Sql, Tx } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { jsonRows } from '../platform/sql.ts'
import type { Direction } from './gateway.ts'
import type { Tally, Usual } from './success-share.ts'

export type RouteMeasurement = Readonly<{
  route_id: string
  calls: number
  failures: number
  took_ms: number
  /** Null where this process has found no change. */
  turned_at: Date | null
  broken_since: Date | null
  skip_until: Date | null
  openings: number
  skip_reason: string
}>

/** Adds what this process measured since the last time; of two findings the later one counts. */
export async function addRouteHealth(
  sql: Sql,
  measured: readonly RouteMeasurement[],
): Promise<void> {
  if (measured.length === 0) return
  await sql`
    insert into route_health as h
      (route_id, calls, failures, took_ms_total, turned_at, broken_since, skip_until, openings,
       skip_reason)
    select m.route_id, m.calls, m.failures, m.took_ms, m.turned_at, m.broken_since, m.skip_until,
           m.openings, m.skip_reason
      from ${jsonRows(
        sql,
        measured,
        sql`
        route_id uuid, calls bigint, failures bigint, took_ms bigint, turned_at timestamptz,
        broken_since timestamptz, skip_until timestamptz, openings int, skip_reason text`,
      )} as m
     order by m.route_id
    on conflict (route_id) do update
       set calls = h.calls + excluded.calls,
           failures = h.failures + excluded.failures,
           took_ms_total = h.took_ms_total + excluded.took_ms_total,
           (turned_at, broken_since, skip_until, openings, skip_reason) = (
             select l.turned_at, l.broken_since, l.skip_until, l.openings, l.skip_reason
               from (values
                 (h.turned_at, h.broken_since, h.skip_until, h.openings, h.skip_reason),
                 (excluded.turned_at, excluded.broken_since, excluded.skip_until,
                  excluded.openings, excluded.skip_reason)
               ) as l (turned_at, broken_since, skip_until, openings, skip_reason)
              order by l.turned_at desc nulls last
              limit 1),
           updated_at = now()`
}

export type RouteFinding = Readonly<{
  route_id: string
  turned_at: Date | null
  broken_since: Date | null
  skip_until: Date | null
  openings: number
  skip_reason: string
  demoted: boolean
  /** Millionths; null where nobody has looked within the hour. */
  least_share_ppm: number | null
}>

/**
 * Of the routes that some process found broken, lately well again, or that are tried last, and of
 * those whose payments were looked at within the hour.
 */
export const listFindings = (sql: Sql): Promise<RouteFinding[]> => sql<RouteFinding[]>`
  select route_id, turned_at, broken_since, skip_until, openings, skip_reason,
         demoted_at is not null as demoted,
         case when looked_at > now() - interval '1 hour' then least_share_ppm end
           as least_share_ppm
    from route_health
   where broken_since is not null or demoted_at is not null
      or greatest(turned_at, changed_at, looked_at) > now() - interval '1 hour'`

export type MinuteCounts = Readonly<{
  route_id: string
  /** The start of the minute, by this process's clock. */
  minute: Date
  good: number
  bad: number
  payer: number
  expired: number
  unknown: number
  merchants: readonly number[]
}>

export async function addRouteStats(sql: Sql, counts: readonly MinuteCounts[]): Promise<void> {
  if (counts.length === 0) return
  await sql`
    insert into route_stats as s
      (route_id, minute, good, bad, payer, expired, unknown, merchants)
    select c.route_id, c.minute, c.good, c.bad, c.payer, c.expired, c.unknown, c.merchants
      from ${jsonRows(
        sql,
        counts,
        sql`
        route_id uuid, minute timestamptz, good int, bad int, payer int, expired int, unknown int,
        merchants int[]`,
      )} as c
     order by c.route_id, c.minute
    on conflict (route_id, minute) do update
       set good = s.good + excluded.good, bad = s.bad + excluded.bad,
           payer = s.payer + excluded.payer, expired = s.expired + excluded.expired,
           unknown = s.unknown + excluded.unknown,
           merchants = array(select distinct m from unnest(s.merchants || excluded.merchants) as m
                              limit 3)`
}

/** What was counted more than 28 days ago says nothing any more. */
export async function dropOldStats(sql: Sql): Promise<void> {
  await sql`delete from route_stats where minute < now() - interval '28 days'`
}

export type JudgedRoute = Readonly<{
  route_id: string
  environment: Environment
  network_code: string
  gateway_code: string
  direction: Direction
  demoted: boolean
  streak: number
  changed_at: Date | null
  /** A look at the last fifteen minutes is due. */
  is_due: boolean
  recent: Tally
  last_minute: Usual
  usual: Usual
}>

/**
 * The routes that were used within the hour, or are tried last. Those of the sandbox without a
 * breaker count as unused: whoever tries it makes them fail on purpose, and takes none from others.
 */
export const listJudged = (sql: Sql): Promise<JudgedRoute[]> => sql<JudgedRoute[]>`
  select r.id as route_id, r.environment, n.code as network_code, g.code as gateway_code,
         r.direction, h.demoted_at is not null as demoted, coalesce(h.streak, 0) as streak,
         h.changed_at,
         coalesce(h.looked_at <= now() - interval '5 minutes', true) as is_due,
         jsonb_build_object('good', s.good, 'bad', s.bad, 'expired', s.expired,
                            'unknown', greatest(s.unknown, 0)) as recent,
         jsonb_build_object('good', s.last_good, 'bad', s.last_bad, 'expired', 0) as last_minute,
         jsonb_build_object('good', coalesce(h.usual_good, 0), 'bad', coalesce(h.usual_bad, 0),
                            'expired', coalesce(h.usual_expired, 0)) as usual
    from routes r
    join networks n on n.id = r.network_id
    join gateways g on g.id = r.gateway_id
    left join route_health h on h.route_id = r.id
   cross join lateral (
         select count(*) as rows,
                coalesce(sum(s.good) filter (where fresh), 0) as good,
                coalesce(sum(s.bad) filter (where fresh), 0) as bad,
                coalesce(sum(s.expired) filter (where fresh), 0) as expired,
                coalesce(sum(s.unknown)
                           filter (where fresh and s.minute <= now() - interval '3 minutes'), 0)
                  as unknown,
                coalesce(sum(s.good)
                           filter (where s.minute > now() - interval '2 minutes'), 0) as last_good,
                coalesce(sum(s.bad)
                           filter (where s.minute > now() - interval '2 minutes'), 0) as last_bad
           from (select s.minute, s.good, s.bad, s.expired, s.unknown,
                        s.minute > now() - interval '15 minutes' as fresh
                   from route_stats s
                  where s.route_id = r.id and s.minute > now() - interval '1 hour'
                    and (r.breaker or r.environment <> 'SANDBOX')) as s) as s
   where s.rows > 0 or h.demoted_at is not null
   order by r.id`

/** What 28 days of the routes were like, where that was not looked at within the hour. */
export async function updateUsual(sql: Sql): Promise<void> {
  await sql`
    insert into route_health as h (route_id, usual_good, usual_bad, usual_expired, usual_at)
    select r.id, u.good, u.bad, u.expired, now()
      from routes r
      left join route_health k on k.route_id = r.id
     cross join lateral (
           select coalesce(sum(s.good), 0) as good,
                  coalesce(sum(s.bad), 0) + greatest(coalesce(sum(s.unknown), 0), 0) as bad,
                  coalesce(sum(s.expired), 0) as expired, count(*) as minutes
             from route_stats s
            where s.route_id = r.id) as u
     where u.minutes > 0 and coalesce(k.usual_at <= now() - interval '1 hour', true)
     order by r.id
    on conflict (route_id) do update
       set usual_good = excluded.usual_good, usual_bad = excluded.usual_bad,
           usual_expired = excluded.usual_expired, usual_at = excluded.usual_at`
}

export type NewPlace = Readonly<{
  route_id: string
  streak: number
  changed: boolean
  demoted: boolean
  /** As it was read: another may have judged since. */
  changed_at: Date | null
  /** It was a look at fifteen minutes. */
  looked: boolean
  /** Millionths. */
  least_share_ppm: number
}>

/** False where another has changed it since it was read. */
export async function updatePlace(tx: Tx, place: NewPlace): Promise<boolean> {
  const { changed, demoted, looked } = place
  const rows = await tx`
    insert into route_health as h
      (route_id, streak, changed_at, demoted_at, looked_at, least_share_ppm)
    values (${place.route_id}, ${place.streak}, case when ${changed} then now() end,
      case when ${changed && demoted} then now() end, case when ${looked} then now() end,
      ${place.least_share_ppm})
    on conflict (route_id) do update
       set streak = excluded.streak,
           changed_at = coalesce(excluded.changed_at, h.changed_at),
           demoted_at = case when ${changed} then excluded.demoted_at else h.demoted_at end,
           looked_at = coalesce(excluded.looked_at, h.looked_at),
           least_share_ppm = excluded.least_share_ppm
     where h.changed_at is not distinct from ${place.changed_at}
    returning route_id`
  return rows.count === 1
}
