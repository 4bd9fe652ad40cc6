// The incidents' part of a statement. Its unique key makes it the gate for its own postings: what
// is written down once is booked once.

import type { Fragment, Sql } from '../platform/db.ts'
import type { NewIncident } from './incident.ts'

/** `opened as (…)`: one row `id` if this incident was not known yet. `gate` null: no condition. */
export function openIncident(sql: Sql, incident: NewIncident, gate: string | null): Fragment {
  return sql`opened as (
    insert into incidents (merchant_id, id, environment, type, attempt_id, transaction_id,
      settlement_id, callback_id, gateway_id, country, currency, amount, suspense_side, detail)
    select ${incident.merchant_id}, ${incident.id}, ${incident.environment}, ${incident.type},
      ${incident.attempt_id}, ${incident.transaction_id}, ${incident.settlement_id},
      ${incident.callback_id}, ${incident.gateway_id}, ${incident.country},
      ${incident.currency}, ${incident.amount}, ${incident.suspense_side},
      ${JSON.stringify(incident.detail)}::text::jsonb
     where ${gate === null ? sql`true` : sql`exists (select 1 from ${sql(gate)})`}
    on conflict do nothing
    returning id)`
}
