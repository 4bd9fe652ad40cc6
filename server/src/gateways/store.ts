// The statements about gateways and routes.

import type { Fragment, Sql, Tx } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { jsonRows } from '../platform/sql.ts'
import type { Ratio } from '../rates/convert.ts'
import type { Direction } from './gateway.ts'
import type { OpeningHours } from './opening-hours.ts'
import {
  joinPublished,
  joinRules,
  type PublishedLimits,
  type PublishedOfRoute,
  publishedColumns,
  publishedLimits,
} from './published-columns.ts'

export type GatewayRow = Readonly<{
  id: string
  code: string
  adapter: string
  name: string
  environment: Environment
  is_active: boolean
}>

export type RouteRow = Readonly<{
  id: string
  network_id: string
  direction: Direction
  gateway_id: string
  gateway_code: string
  environment: Environment
  priority: number
  is_active: boolean
  breaker: boolean
  amount_step: bigint
  cost_percent_ppm: bigint
  cost_fixed: bigint
  cost_floor: bigint | null
  cost_cap: bigint | null
  /** For a payout's route: the operator has no float left in that country. */
  float_empty?: boolean
  /** Its payers make a code first, by its own way to confirm or its network's. */
  wants_code?: boolean
  /** Hundredths of XOF that may be with the account at once in this direction; null: no limit. */
  exposure_limit?: bigint | null
  /** The most that one payment in this direction may be there, in the same; null: no limit. */
  payment_limit?: bigint | null
  /** Of its network. */
  currency?: string
  /** What one unit of it is in XOF, for the limits; null: there is no rate. Absent: it is XOF. */
  worth?: Ratio | null
  /** Of a sandbox account with one of our imitations; absent or null: of any other. */
  dialect?: string | null
  /** Absent or null: open at every hour. */
  hours?: OpeningHours | null
}> &
  Partial<ConfirmationSettings & PublishedLimits>

/** How payers confirm on a route, where that is not as usual on its network and at its operator. */
export type ConfirmationSettings = Readonly<{
  flow: 'push' | 'redirect' | null
  otp_kind: 'NONE' | 'PRE' | 'POST' | null
  /** For how long a payer is waited for. Seconds. */
  prompt_lifetime_s: number | null
}>

/**
 * Routes whose own switch and whose gateway's kill switch are on, in the order in which they are
 * tried.
 */
export async function listActiveRoutes(sql: Sql): Promise<RouteRow[]> {
  return sql<RouteRow[]>`
    select r.id, r.network_id, r.direction, r.gateway_id, g.code as gateway_code, r.environment,
           r.priority, r.is_active, r.breaker, r.amount_step, r.cost_percent_ppm, r.cost_fixed,
           r.cost_floor, r.cost_cap, r.flow, r.otp_kind, r.prompt_lifetime_s, g.dialect, n.currency,
           ${publishedLimits(sql)},
           r.direction = 'DISBURSE' and coalesce(f.is_empty, false) as float_empty,
           r.direction = 'COLLECT' and coalesce(r.otp_kind, n.otp_kind) = 'PRE' as wants_code,
           case r.direction when 'COLLECT' then g.exposure_limit_collect
                            else g.exposure_limit_disburse end as exposure_limit,
           case r.direction when 'COLLECT' then g.payment_limit_collect
                            else g.payment_limit_disburse end as payment_limit,
           case when coalesce(w.windows, o.closings) is not null then jsonb_build_object(
             'time_zone', time_zone_of(c.iso_code),
             'windows', coalesce(w.windows, '[]'), 'closings', coalesce(o.closings, '[]'))
           end as hours
      from routes r
      join gateways g on g.id = r.gateway_id
      join networks n on n.id = r.network_id
      join countries c on c.id = n.country_id
      left join gateway_floats f on f.gateway_id = r.gateway_id and f.country = c.iso_code
      ${joinRules(sql)}
     cross join lateral (
           select jsonb_agg(jsonb_build_object('weekday', w.weekday, 'opens_min', w.opens_min,
                                               'closes_min', w.closes_min)) as windows
             from gateway_windows w
            where w.gateway_id = r.gateway_id and w.country = c.iso_code
              and w.direction = r.direction) as w
     cross join lateral (
           select jsonb_agg(jsonb_build_object(
                    'from_ms', extract(epoch from o.from_at) * 1000,
                    'until_ms', extract(epoch from o.ends_at) * 1000)
                  order by o.from_at) as closings
             from gateway_closings o
            where o.gateway_id = r.gateway_id and o.country = c.iso_code
              and coalesce(o.direction, r.direction) = r.direction
              and coalesce(o.ends_at, 'infinity'::timestamptz) > now()
              -- One that is lifted before it begins is empty.
              and o.ends_at is distinct from o.from_at) as o
     where r.is_active and g.is_active
     order by r.priority, r.cost_percent_ppm, r.cost_fixed, g.code`
}

/** Writes the gateways whose codes are missing; returns how many. */
export async function insertGateways(sql: Sql, gateways: readonly GatewayRow[]): Promise<number> {
  const made = await sql`
    insert into gateways (id, code, adapter, name, environment, is_active)
    select g.id, g.code, g.adapter, g.name, g.environment, g.is_active
      from ${jsonRows(
        sql,
        gateways,
        sql`
        id uuid, code text, adapter text, name text, environment text,
        is_active boolean`,
      )} as g
    on conflict (code) do nothing
    returning id`
  return made.count
}

export type NewRoute = Omit<
  RouteRow,
  | 'network_id'
  | 'gateway_id'
  | 'float_empty'
  | 'exposure_limit'
  | 'payment_limit'
  | keyof PublishedLimits
  | 'hours'
  | 'dialect'
> &
  Readonly<{ network_code: string }>

/** Writes the routes that are not there yet (operators edit the others); how many that were. */
export async function insertRoutes(sql: Sql, routes: readonly NewRoute[]): Promise<number> {
  const made = await sql`
    insert into routes (id, network_id, direction, gateway_id, environment, priority, is_active,
      breaker, amount_step, cost_percent_ppm, cost_fixed, cost_floor, cost_cap, flow, otp_kind,
      prompt_lifetime_s)
    select r.id, n.id, r.direction, g.id, r.environment, r.priority, r.is_active, r.breaker,
           r.amount_step, r.cost_percent_ppm, r.cost_fixed, r.cost_floor, r.cost_cap, r.flow,
           r.otp_kind, r.prompt_lifetime_s
      from ${jsonRows(
        sql,
        routes,
        sql`
        id uuid, network_code text, direction text, gateway_code text,
        environment text, priority int, is_active boolean, breaker boolean,
        amount_step bigint, cost_percent_ppm bigint, cost_fixed bigint,
        cost_floor bigint, cost_cap bigint, flow text, otp_kind text, prompt_lifetime_s int`,
      )} as r
      join networks n on n.code = r.network_code
      join gateways g on g.code = r.gateway_code
    on conflict (network_id, direction, environment, gateway_id) do nothing
    returning id`
  return made.count
}

/** A gateway as staff see it; what it is opened with stays sealed and is never read here. */
export type StaffGateway = GatewayRow &
  AccountLimits &
  AccountPaces &
  Readonly<{
    /** Those that are no secret. */
    settings: Readonly<Record<string, string>>
    checked_at: Date | null
    created_at: Date
    updated_at: Date
  }>

/** What was agreed on with the operator; null: as usual there, which may be without a limit. */
export type AccountPaces = Readonly<{
  asks_per_s: number | null
  creates_per_s: number | null
  /** Calls of any kind that may be under way at once. */
  open_calls: number | null
}>

/** How far an account is trusted; null: no limit. */
export type AccountLimits = Readonly<{
  /** Hundredths. */
  exposure_limit_collect: bigint | null
  /** Hundredths that may be with it at once and not be known to have ended. */
  exposure_limit_disburse: bigint | null
  /** Hundredths. */
  payment_limit_collect: bigint | null
  /** Hundredths that one payment may be at most. */
  payment_limit_disburse: bigint | null
}>

const staffGatewayColumns = (sql: Sql): Fragment => sql`
  g.id, g.code, g.adapter, g.name, g.environment, g.is_active, g.exposure_limit_collect,
  g.exposure_limit_disburse, g.payment_limit_collect, g.payment_limit_disburse,
  g.asks_per_s, g.creates_per_s, g.open_calls, g.settings,
  (select max(k.checked_at) from gateway_checks k
    where k.gateway_id = g.id and k.passed) as checked_at,
  g.created_at, g.updated_at`

export async function listStaffGateways(
  sql: Sql,
  environment: Environment,
): Promise<StaffGateway[]> {
  return sql<StaffGateway[]>`
    select ${staffGatewayColumns(sql)}
      from gateways g
     where g.environment = ${environment}
     order by g.code`
}

type OfEnvironment = Readonly<{ id: string; environment: Environment }>

export async function findStaffGateway(
  sql: Sql,
  { id, environment }: OfEnvironment,
): Promise<StaffGateway | undefined> {
  const [row] = await sql<StaffGateway[]>`
    select ${staffGatewayColumns(sql)}
      from gateways g
     where g.id = ${id} and g.environment = ${environment}`
  return row
}

export async function lockGateway(
  tx: Tx,
  { id, environment }: OfEnvironment,
): Promise<StaffGateway | undefined> {
  const [row] = await tx<StaffGateway[]>`
    select ${staffGatewayColumns(tx)}
      from gateways g
     where g.id = ${id} and g.environment = ${environment}
       for update`
  return row
}

export type GatewaySettings = Pick<GatewayRow, 'name' | 'is_active'>

/** Under `lockGateway`. */
export async function updateGateway(tx: Tx, id: string, to: GatewaySettings): Promise<void> {
  await tx`
    update gateways
       set name = ${to.name}, is_active = ${to.is_active}, updated_at = now()
     where id = ${id}`
}

/** Under `lockGateway`. */
export async function updateAccountLimits(tx: Tx, id: string, to: AccountLimits): Promise<void> {
  await tx`
    update gateways
       set exposure_limit_collect = ${to.exposure_limit_collect},
           exposure_limit_disburse = ${to.exposure_limit_disburse},
           payment_limit_collect = ${to.payment_limit_collect},
           payment_limit_disburse = ${to.payment_limit_disburse}, updated_at = now()
     where id = ${id}`
}

/** Under `lockGateway`. */
export async function updateAccountPaces(tx: Tx, id: string, to: AccountPaces): Promise<void> {
  await tx`
    update gateways
       set asks_per_s = ${to.asks_per_s}, creates_per_s = ${to.creates_per_s},
           open_calls = ${to.open_calls}, updated_at = now()
     where id = ${id}`
}

/** A route as staff see it, with how it fares over all processes. */
export type StaffRoute = RouteRow &
  ConfirmationSettings &
  PublishedOfRoute &
  Readonly<{
    network_code: string
    currency: string
    gateway_adapter: string
    gateway_is_active: boolean
    calls: bigint
    failures: bigint
    average_ms: number | null
    measured_since: Date | null
    /** Left out until then; null: it is not. */
    skip_until: Date | null
    skip_reason: string
    created_at: Date
    updated_at: Date
  }>

const staffRouteColumns = (sql: Sql): Fragment => sql`
  r.id, r.network_id, n.code as network_code, n.currency, r.direction, r.gateway_id,
  g.code as gateway_code, g.adapter as gateway_adapter, g.is_active as gateway_is_active,
  r.environment, r.priority,
  r.is_active, r.breaker, r.amount_step, r.cost_percent_ppm, r.cost_fixed, r.cost_floor,
  r.cost_cap, r.flow, r.otp_kind, r.prompt_lifetime_s, coalesce(h.calls, 0) as calls,
  coalesce(h.failures, 0) as failures,
  round(h.took_ms_total::numeric / nullif(h.calls, 0))::int as average_ms,
  h.window_started_at as measured_since,
  case when h.skip_until > now() then h.skip_until end as skip_until,
  case when h.skip_until > now() then h.skip_reason else '' end as skip_reason,
  r.created_at, r.updated_at, ${publishedColumns(sql)}`

export type RouteFilters = Readonly<{
  environment: Environment
  network?: string | undefined
  gateway?: string | undefined
  direction?: Direction | undefined
}>

/** In the order in which they are tried, network by network; switched-off ones too. */
export async function listStaffRoutes(sql: Sql, filters: RouteFilters): Promise<StaffRoute[]> {
  const { network, gateway, direction } = filters
  return sql<StaffRoute[]>`
    select ${staffRouteColumns(sql)}
      from routes r
      join networks n on n.id = r.network_id
      join gateways g on g.id = r.gateway_id
      left join route_health h on h.route_id = r.id
      ${joinPublished(sql)}
     where r.environment = ${filters.environment}
       ${network === undefined ? sql`` : sql`and n.code = ${network}`}
       ${gateway === undefined ? sql`` : sql`and g.code = ${gateway}`}
       ${direction === undefined ? sql`` : sql`and r.direction = ${direction}`}
     order by n.code, r.direction, r.priority, r.cost_percent_ppm, r.cost_fixed, g.code`
}

export async function findStaffRoute(
  sql: Sql,
  { id, environment }: OfEnvironment,
): Promise<StaffRoute | undefined> {
  const [row] = await sql<StaffRoute[]>`
    select ${staffRouteColumns(sql)}
      from routes r
      join networks n on n.id = r.network_id
      join gateways g on g.id = r.gateway_id
      left join route_health h on h.route_id = r.id
      ${joinPublished(sql)}
     where r.id = ${id} and r.environment = ${environment}`
  return row
}

/** False when this environment has no such route. */
export async function lockRoute(tx: Tx, { id, environment }: OfEnvironment): Promise<boolean> {
  const rows = await tx`
    select id from routes where id = ${id} and environment = ${environment} for update`
  return rows.count === 1
}

export type RouteSettings = Pick<
  RouteRow,
  | 'priority'
  | 'is_active'
  | 'breaker'
  | 'amount_step'
  | 'cost_percent_ppm'
  | 'cost_fixed'
  | 'cost_floor'
  | 'cost_cap'
> &
  ConfirmationSettings

/** Under `lockRoute`. */
export async function updateRoute(tx: Tx, id: string, to: RouteSettings): Promise<void> {
  await tx`
    update routes
       set priority = ${to.priority}, is_active = ${to.is_active}, breaker = ${to.breaker},
           amount_step = ${to.amount_step}, cost_percent_ppm = ${to.cost_percent_ppm},
           cost_fixed = ${to.cost_fixed}, cost_floor = ${to.cost_floor},
           cost_cap = ${to.cost_cap}, flow = ${to.flow}, otp_kind = ${to.otp_kind},
           prompt_lifetime_s = ${to.prompt_lifetime_s}, updated_at = now()
     where id = ${id}`
}

export async function findGatewayByCode(
  sql: Sql,
  { code, environment }: Readonly<{ code: string; environment: Environment }>,
): Promise<StaffGateway | undefined> {
  const [row] = await sql<StaffGateway[]>`
    select ${staffGatewayColumns(sql)}
      from gateways g
     where g.code = ${code} and g.environment = ${environment}`
  return row
}

export async function findGatewayId(
  sql: Sql,
  of: { code: string; environment: Environment },
): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select id from gateways where code = ${of.code} and environment = ${of.environment}`
  return row?.id
}
