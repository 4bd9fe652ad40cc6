// The one statement over everything that waits. Each part has an index of what waits only, so the
// list costs what it shows, however long the history is.

import type { Fragment, Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { type Part, pageOfAll } from '../platform/places/page-of-all.ts'
import type { Approval, ApprovalKind } from './approval.ts'

export type ApprovalsQuery = Readonly<{
  environment: Environment
  kind: ApprovalKind | undefined
  merchant_id: string | undefined
  descending: boolean
  limit: number
  offset: number
}>

const atControl = (sql: Sql): Fragment => sql`
  select 'MERCHANT' as kind, id, id as merchant_id, null as environment, '' as reference,
         coalesce(country, '') as country, '' as currency, null::bigint as amount,
         null::uuid as proposed_by,
         coalesce((select min(d.created_at) from kyc_documents d
                    where d.merchant_id = merchants.id and d.status = 'PENDING'),
                  updated_at) as since
    from merchants where kyc_status = 'PENDING'
  union all
  select 'MERCHANT_NAME', id, id, null, '', coalesce(country, ''), '', null, null,
         name_review_since
    from merchants where name_review_since is not null`

const inGroups = (sql: Sql, environment: Environment): Fragment => sql`
  select 'WALLET_TRANSFER' as kind, id, merchant_id, environment, reference,
         from_country as country, from_currency as currency, from_amount as amount,
         null::uuid as proposed_by, created_at as since
    from wallet_transfers where status = 'PENDING' and environment = ${environment}
  union all
  select 'SETTLEMENT', id, merchant_id, environment, reference, country, currency,
         requested_amount, null, created_at
    from settlements where status = 'PENDING' and environment = ${environment}
  union all
  select 'REFUND', id, merchant_id, environment, reference, country_code, currency, amount, null,
         created_at
    from refunds where waiting_for = 'STAFF' and environment = ${environment}
  union all
  select 'INCIDENT_RESOLUTION', id, merchant_id, environment, '', country, currency,
         resolution_amount, proposed_by, proposed_at
    from incidents
   where status = 'OPEN' and proposed_by is not null and environment = ${environment}
  union all
  select 'ADJUSTMENT', id, merchant_id, environment, reference, country, currency, amount,
         asked_by, created_at
    from adjustments where status = 'PENDING' and environment = ${environment}`

const waiting = (sql: Sql, environment: Environment, part: Part): Fragment => {
  if (part === 'control') return atControl(sql)
  if (part === 'group') return inGroups(sql, environment)
  return sql`${atControl(sql)} union all ${inGroups(sql, environment)}`
}

/** A page of what waits, the longest first unless ordered otherwise, and how much there is. */
export async function listWaiting(
  sql: Sql,
  query: ApprovalsQuery,
): Promise<{ count: number; rows: Approval[] }> {
  const { environment, kind, merchant_id, descending } = query
  const direction = descending ? sql`desc` : sql`asc`
  const order = (['since', 'id'] as const).map((field) => ({ field, descending }))
  const wanted = { ...query, order, has_control: true }
  return pageOfAll<Approval>(sql, wanted, async (at, { limit, offset }, part) => {
    const found = sql`
      from (${waiting(sql, environment, part)}) as w join merchants m on m.id = w.merchant_id
     where true ${kind === undefined ? sql`` : sql`and w.kind = ${kind}`}
       ${merchant_id === undefined ? sql`` : sql`and w.merchant_id = ${merchant_id}`}`
    const [rows, [total]] = await Promise.all([
      at<Approval[]>`
        select w.kind, w.id, w.environment, w.reference, w.country, w.currency, w.amount,
               w.proposed_by, w.since, m.name as merchant_name,
               case when not m.is_house then w.merchant_id end as merchant_id ${found}
         order by w.since ${direction}, w.id ${direction} limit ${limit} offset ${offset}`,
      at<{ count: number }[]>`select count(*)::int as count ${found}`,
    ])
    return { count: total?.count ?? 0, rows }
  })
}
