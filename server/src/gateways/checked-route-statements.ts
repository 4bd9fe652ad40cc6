// The statement by which `gateway check` reads an account's routes: what one payment may be there
// by our prices and by the account's own limit of one.

import type { Sql } from '../platform/db.ts'
import type { CheckedRoute } from './gateway.ts'

/** Switched on or not: what is to be switched on is looked at first. Hundredths. */
export const listCheckedRoutes = (sql: Sql, gateway_id: string): Promise<CheckedRoute[]> => sql<
  CheckedRoute[]
>`
  select n.code as network_code, r.direction, n.currency, t.least,
         -- The smaller one: a limit that is not set counts for nothing.
         least(t.most, case r.direction when 'COLLECT' then g.payment_limit_collect
                                        else g.payment_limit_disburse end) as most
    from routes r
    join gateways g on g.id = r.gateway_id
    join networks n on n.id = r.network_id
   cross join lateral (
         select min(t.min_amount) as least, max(t.max_amount) as most
           from pricing_rules p
           join pricing_tiers t on t.pricing_rule_id = p.id
          where p.network_id = r.network_id and p.direction = r.direction) as t
   where r.gateway_id = ${gateway_id}
   order by n.code, r.direction`
