// Statements about incidents as staff read them, over all merchants. An id is the time at which the
// incident was opened, so the list runs by it.

import type { Fragment, Sql } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { pageOfAll } from '../../platform/places/page-of-all.ts'
import { homeOf, oneOfAll } from '../../platform/places/places.ts'
import type { IncidentType } from '../incident.ts'

export type IncidentStatus = 'OPEN' | 'RESOLVED'

export type StaffIncident = Readonly<{
  merchant_id: string
  merchant_name: string | null
  /** The platform merchant: it is not known whose payment is meant. */
  is_house: boolean
  id: string
  environment: Environment
  type: IncidentType
  status: IncidentStatus
  attempt_id: string | null
  transaction_id: string | null
  transaction_reference: string | null
  settlement_id: string | null
  callback_id: string | null
  gateway_id: string
  gateway_code: string | null
  country: string
  currency: string
  amount: bigint
  suspense_side: 'DEBIT' | 'CREDIT' | null
  detail: Readonly<Record<string, unknown>>
  resolution: string | null
  resolution_amount: bigint | null
  resolution_note: string
  proposed_by: string | null
  proposed_at: Date | null
  confirmed_by: string | null
  resolved_at: Date | null
  created_at: Date
  updated_at: Date
}>

const incidentColumns = (sql: Sql): Fragment => sql`
  i.merchant_id, m.name as merchant_name, coalesce(m.is_house, false) as is_house, i.id,
  i.environment, i.type, i.status, i.attempt_id, i.transaction_id,
  t.reference as transaction_reference, i.settlement_id, i.callback_id, i.gateway_id,
  g.code as gateway_code, i.country, i.currency, i.amount, i.suspense_side, i.detail,
  i.resolution, i.resolution_amount, i.resolution_note, i.proposed_by, i.proposed_at,
  i.confirmed_by, i.resolved_at, i.created_at, i.updated_at`

const itsCompany = (sql: Sql): Fragment => sql`
  left join merchants m on m.id = i.merchant_id
  left join gateways g on g.id = i.gateway_id
  left join transactions t on t.merchant_id = i.merchant_id and t.id = i.transaction_id`

export type IncidentsQuery = Readonly<{
  environment: Environment
  status: IncidentStatus | undefined
  type: IncidentType | undefined
  merchant: string | undefined
  descending: boolean
  limit: number
  offset: number
}>

/** A page of them, and how many there are. */
export async function listIncidents(
  sql: Sql,
  query: IncidentsQuery,
): Promise<{ count: number; rows: StaffIncident[] }> {
  const { status, type, merchant } = query
  const of = sql`
    i.environment = ${query.environment}
    ${status === undefined ? sql`` : sql`and i.status = ${status}`}
    ${type === undefined ? sql`` : sql`and i.type = ${type}`}
    ${merchant === undefined ? sql`` : sql`and i.merchant_id = ${merchant}`}`
  const order = [{ field: 'id' as const, descending: query.descending }]
  return pageOfAll<StaffIncident>(sql, { ...query, order }, async (at, own) => {
    const [counted] = await at<{ count: number }[]>`
      select count(*)::int as count from incidents i where ${of}`
    const rows = await at<StaffIncident[]>`
      select ${incidentColumns(sql)}
        from incidents i ${itsCompany(sql)}
       where ${of}
       order by i.id ${query.descending ? sql`desc` : sql`asc`}
       limit ${own.limit} offset ${own.offset}`
    return { count: counted?.count ?? 0, rows }
  })
}

export async function findIncident(
  sql: Sql,
  { id, environment }: Readonly<{ id: string; environment: Environment }>,
): Promise<StaffIncident | undefined> {
  return oneOfAll(
    sql,
    (at) => at<StaffIncident[]>`
    select ${incidentColumns(sql)}
      from incidents i ${itsCompany(sql)}
     where i.id = ${id} and i.environment = ${environment}`,
  )
}

/** The figures and names of the incident's transaction. */
export type TransactionFacts = Readonly<{
  id: string
  reference: string
  transaction_type: string
  status: string
  requested_amount: bigint
  client_fee: bigint
  debited_amount: bigint
  net_amount: bigint
  currency: string
  external_reference: string
  created_at: Date
}>

export async function findTransactionFacts(
  sql: Sql,
  key: Readonly<{ merchant_id: string; id: string }>,
): Promise<TransactionFacts | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<TransactionFacts[]>`
    select id, reference, transaction_type, status, requested_amount, client_fee, debited_amount,
           net_amount, currency, external_reference, created_at
      from transactions
     where merchant_id = ${key.merchant_id} and id = ${key.id}`
  return row
}
