// The statements about manual adjustments. Their money is moved by postings only; a status is moved
// here and nowhere else, while it is PENDING.

import { nameList, omitColumns, selectList, typedList } from '../platform/columns.ts'
import type { Fragment, Sql, Tx } from '../platform/db.ts'
import type { SortBy } from '../platform/http/filters.ts'
import type { Environment } from '../platform/http/route.ts'
import { pageOfAll } from '../platform/places/page-of-all.ts'
import { homeOf, oneOfAll } from '../platform/places/places.ts'
import { jsonRows } from '../platform/sql.ts'
import { type Adjustment, type AdjustmentKind, adjustmentRow } from './adjustment.ts'
import { type AdjustmentStatus, adjustmentStates } from './states.ts'

export type MerchantsAdjustment = Adjustment & Readonly<{ merchant_name: string }>

const columns = (sql: Sql): Fragment => selectList(sql, adjustmentRow, 'a')

/** What one is requested with. */
const newAdjustmentRow = omitColumns(adjustmentRow, [
  'decided_by',
  'decided_at',
  'refusal_reason',
  'created_at',
  'updated_at',
])

/** False when this person has used this key before; then nothing was written. */
export async function insertAdjustment(tx: Tx, adjustment: Adjustment): Promise<boolean> {
  const rows = await tx`
    insert into adjustments (${nameList(tx, newAdjustmentRow)}, created_at, updated_at)
    select ${selectList(tx, newAdjustmentRow, 'r')}, now(), now()
      from ${jsonRows(tx, [adjustment], typedList(tx, newAdjustmentRow))} as r
    on conflict (merchant_id, environment, asked_by, ask_key) do nothing`
  return rows.count === 1
}

export async function findByKey(
  sql: Sql,
  key: Pick<Adjustment, 'merchant_id' | 'environment' | 'asked_by' | 'ask_key'>,
): Promise<Adjustment | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<Adjustment[]>`
    select ${columns(sql)}
      from adjustments a
     where a.merchant_id = ${key.merchant_id} and a.environment = ${key.environment}
       and a.asked_by = ${key.asked_by} and a.ask_key = ${key.ask_key}`
  return row
}

export type OfAny = Readonly<{ id: string; environment: Environment }>

/** By its id alone: staff act over all merchants, in the environment that they look at. */
export async function findAdjustment(
  sql: Sql,
  { id, environment }: OfAny,
): Promise<MerchantsAdjustment | undefined> {
  return oneOfAll(
    sql,
    (at) => at<MerchantsAdjustment[]>`
    select ${columns(sql)}, m.name as merchant_name
      from adjustments a
      join merchants m on m.id = a.merchant_id
     where a.id = ${id} and a.environment = ${environment}`,
  )
}

export async function lockAdjustment(
  tx: Tx,
  { id, environment }: OfAny,
): Promise<Adjustment | undefined> {
  const [row] = await tx<Adjustment[]>`
    select ${columns(tx)}
      from adjustments a
     where a.id = ${id} and a.environment = ${environment}
       for update`
  return row
}

export type Verdict = Readonly<{ to: AdjustmentStatus; by: string; refusal_reason: string }>

/** False when it no longer waited. */
export async function updateVerdict(
  tx: Tx,
  { merchant_id, id }: Adjustment,
  { to, by, refusal_reason }: Verdict,
): Promise<boolean> {
  const rows = await tx`
    update adjustments
       set status = ${to}, decided_by = ${by}, decided_at = now(),
           refusal_reason = ${refusal_reason}, updated_at = now()
     where merchant_id = ${merchant_id} and id = ${id}
       and status = any(${adjustmentStates.into(to)})`
  return rows.count === 1
}

export const adjustmentSortFields = ['created_at', 'updated_at', 'amount'] as const
export type AdjustmentSortField = (typeof adjustmentSortFields)[number]

export type AdjustmentsQuery = Readonly<{
  environment: Environment
  merchant_id: string | undefined
  status: AdjustmentStatus | undefined
  kind: AdjustmentKind | undefined
  country: string | undefined
  order: SortBy<AdjustmentSortField>
  limit: number
  offset: number
}>

/** A page of all merchants' adjustments and how many there are in all. */
export async function listAdjustments(
  sql: Sql,
  query: AdjustmentsQuery,
): Promise<{ count: number; rows: MerchantsAdjustment[] }> {
  const { environment, merchant_id, status, kind, country, order } = query
  const direction = order.descending ? sql`desc` : sql`asc`
  const found = sql`
    from adjustments a
    join merchants m on m.id = a.merchant_id
   where a.environment = ${environment}
     ${merchant_id === undefined ? sql`` : sql`and a.merchant_id = ${merchant_id}`}
     ${status === undefined ? sql`` : sql`and a.status = ${status}`}
     ${kind === undefined ? sql`` : sql`and a.kind = ${kind}`}
     ${country === undefined ? sql`` : sql`and a.country = ${country}`}`
  const in_order = [order, { field: 'id' as const, descending: order.descending }]
  return pageOfAll<MerchantsAdjustment>(sql, { ...query, order: in_order }, async (at, own) => {
    const [rows, [total]] = await Promise.all([
      at<MerchantsAdjustment[]>`
        select ${columns(sql)}, m.name as merchant_name ${found}
         order by a.${sql(order.field)} ${direction}, a.id ${direction}
         limit ${own.limit} offset ${own.offset}`,
      at<{ count: number }[]>`select count(*)::int as count ${found}`,
    ])
    return { count: total?.count ?? 0, rows }
  })
}
