// The statement that availability is read by: every route of the networks that are on, with what is
// known of it and what was counted of it within the hour. No merchant is in it but as a number.

import type { Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import type { Direction } from './gateway.ts'
import type { OpeningHours } from './opening-hours.ts'
import type { OperatorState } from './published.ts'
import { joinStates } from './published-columns.ts'
import type { Tally } from './success-share.ts'

export type RouteFare = Readonly<{
  environment: Environment
  country_code: string
  network_code: string
  network_name: string
  direction: Direction
  /** Route and account are switched on. */
  is_on: boolean
  float_empty: boolean
  hours: OpeningHours | null
  broken_since: Date | null
  demoted_at: Date | null
  /** What the operator says of it; null: nothing, or nothing for some minutes. */
  published_state: OperatorState | null
  published_since: Date | null
  tally: Tally
  /** At most three of each minute's. */
  merchants: readonly number[]
}>

export const availability_minutes = 60

export const listFares = (sql: Sql): Promise<RouteFare[]> => sql<RouteFare[]>`
  select r.environment, c.iso_code as country_code, n.code as network_code,
         n.name as network_name, r.direction, r.is_active and g.is_active as is_on,
         r.direction = 'DISBURSE' and coalesce(f.is_empty, false) as float_empty,
         case when coalesce(w.windows, o.closings) is not null then jsonb_build_object(
           'time_zone', time_zone_of(c.iso_code),
           'windows', coalesce(w.windows, '[]'), 'closings', coalesce(o.closings, '[]'))
         end as hours,
         case when r.breaker then h.broken_since end as broken_since, h.demoted_at,
         said.state as published_state, said.since as published_since,
         jsonb_build_object('good', s.good, 'bad', s.bad, 'expired', s.expired,
                            'unknown', greatest(s.unknown, 0)) as tally,
         s.merchants
    from routes r
    join gateways g on g.id = r.gateway_id
    join networks n on n.id = r.network_id
    join countries c on c.id = n.country_id
    left join route_health h on h.route_id = r.id
    left join gateway_floats f on f.gateway_id = r.gateway_id and f.country = c.iso_code
    ${joinStates(sql)}
   cross join lateral (
         select jsonb_agg(jsonb_build_object('weekday', w.weekday, 'opens_min', w.opens_min,
                                             'closes_min', w.closes_min)) as windows
           from gateway_windows w
          where w.gateway_id = r.gateway_id and w.country = c.iso_code
            and w.direction = r.direction) as w
   cross join lateral (
         select jsonb_agg(jsonb_build_object(
                  'from_ms', extract(epoch from o.from_at) * 1000,
                  'until_ms', extract(epoch from o.ends_at) * 1000)) as closings
           from gateway_closings o
          where o.gateway_id = r.gateway_id and o.country = c.iso_code
            and coalesce(o.direction, r.direction) = r.direction
            and coalesce(o.ends_at, 'infinity'::timestamptz) > now()
            -- One that is lifted before it begins is empty.
            and o.ends_at is distinct from o.from_at) as o
   cross join lateral (
         select coalesce(sum(s.good), 0) as good, coalesce(sum(s.bad), 0) as bad,
                coalesce(sum(s.expired), 0) as expired,
                coalesce(sum(s.unknown)
                           filter (where s.minute <= now() - interval '3 minutes'), 0) as unknown,
                array(select distinct m from route_stats t, unnest(t.merchants) as m
                       where t.route_id = r.id
                         and t.minute > now() - ${availability_minutes} * interval '1 minute'
                       limit 3) as merchants
           from route_stats s
          where s.route_id = r.id
            and s.minute > now() - ${availability_minutes} * interval '1 minute') as s
   where n.is_active
     and case r.direction when 'COLLECT' then n.takes_payins else n.takes_payouts end
   order by c.iso_code, n.code, r.direction`
