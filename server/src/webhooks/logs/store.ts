// The statements about logs. A list runs by (created_at, id), newest first, and its page costs the
// same in a long history, whatever its filters (docs/decisions/0023).

import { type EventType, eventTypes } from '../../events/event.ts'
import { selectList } from '../../platform/columns.ts'
import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import { ownershipOf } from '../../platform/http/ownership.ts'
import type { Cursor } from '../../platform/http/pages.ts'
import type { Caller, Environment } from '../../platform/http/route.ts'
import { homeOf } from '../../platform/places/places.ts'
import { runWhole } from '../../platform/sql.ts'
import { wakeQueueOf } from '../statements.ts'
import { type DeliveryStatus, deliveryStates } from '../states.ts'
import { earlier_tries_max, type Log, type LogDetail, type LogKey, logRow } from './log.ts'

const deliveryColumns = (sql: Sql): Fragment => selectList(sql, logRow, 'd')

const eventColumns = (sql: Sql): Fragment => sql`e.created_at as event_at, e.data::text as data`

export type LogsQuery = Readonly<{
  merchant_id: string
  environment: Environment
  webhook: string | undefined
  status: DeliveryStatus | undefined
  event_type: EventType | undefined
  transaction: string | undefined
  cursor: Cursor | undefined
  /** The number of rows to read, one more than the page shows. */
  limit: number
}>

/** `place`: `created_at` as PostgreSQL prints it. */
export type LogFound = Log & Readonly<{ place: string }>

/** A page of logs, newest first; before a `prev` cursor the nearest first. */
export async function listLogs(sql: Sql, query: LogsQuery): Promise<LogFound[]> {
  const { merchant_id, cursor } = query
  const order = cursor?.dir === 'prev' ? sql`asc` : sql`desc`
  const found = isOfFew(query) ? among(sql, query) : typeByType(sql, query)
  // Each event is looked up by itself: a planner that knows no limit would read them all.
  return homeOf(sql, merchant_id)<LogFound[]>`
    with found as materialized (
      select ${deliveryColumns(sql)} from (${found}) d
       order by d.created_at ${order}, d.id ${order}
       limit ${query.limit})
    select ${deliveryColumns(sql)}, d.created_at::text as place, ${eventColumns(sql)}
      from found d
      left join lateral (
           select created_at, data from events
            where merchant_id = ${merchant_id} and id = d.event_id limit 1) e on true
     order by d.created_at ${order}, d.id ${order}`
}

/** Those of one transaction, and those that wait for their first try, are few. */
const isOfFew = ({ transaction, status }: LogsQuery): boolean =>
  transaction !== undefined || status === 'PENDING'

/** All of the few, to be sorted: `offset 0` keeps the planner from walking the list for them. */
const among = (sql: Sql, query: LogsQuery): Fragment => {
  const { event_type } = query
  return sql`
    select ${deliveryColumns(sql)}
      from deliveries d
     where ${logsOf(sql, query)}
       ${event_type === undefined ? sql`` : sql`and d.event_type = ${event_type}`}
    offset 0`
}

/**
 * A page of each type of event, of which the list's own page is the newest part: each is a range of
 * the index of the merchant, of the endpoint, or of what is in trouble, so the cost does not grow
 * with what lies between.
 */
function typeByType(sql: Sql, query: LogsQuery): Fragment {
  const types = query.event_type === undefined ? eventTypes : [query.event_type]
  const order = query.cursor?.dir === 'prev' ? sql`asc` : sql`desc`
  return sql`
    select ${deliveryColumns(sql)}
      from unnest(${[...types]}::text[]) as t (type)
     cross join lateral (
           select ${deliveryColumns(sql)}
             from deliveries d
            where ${logsOf(sql, query)} and d.event_type = t.type
            order by d.created_at ${order}, d.id ${order}
            limit ${query.limit}) d`
}

/** The filters on the delivery `d`, whatever its type. */
function logsOf(sql: Sql, query: LogsQuery): Fragment {
  const { merchant_id, environment, webhook, status, transaction, cursor } = query
  return sql`
    d.merchant_id = ${merchant_id} and d.environment = ${environment}
    ${webhook === undefined ? sql`` : sql`and d.webhook_id = ${webhook}`}
    ${status === undefined ? sql`` : inStatus(sql, status)}
    ${transaction === undefined ? sql`` : sql`and d.transaction_id = ${transaction}`}
    ${cursor === undefined ? sql`` : beyond(sql, cursor)}`
}

/** Where a partial index has it, the planner must see that from the text of the condition alone. */
const inStatus = (sql: Sql, status: DeliveryStatus): Fragment =>
  sql`and d.status = ${status} ${indexedBy(sql)[status]}`

const indexedBy = (sql: Sql): Readonly<Record<DeliveryStatus, Fragment>> => ({
  PENDING: sql`and d.due_at is not null`,
  SUCCESS: sql``,
  FAILED: sql`and d.status in ('FAILED', 'EXHAUSTED')`,
  EXHAUSTED: sql`and d.status in ('FAILED', 'EXHAUSTED')`,
})

const beyond = (sql: Sql, { dir, created_at, id }: Cursor): Fragment =>
  dir === 'prev'
    ? sql`and (d.created_at, d.id) > (${created_at}::text::timestamptz, ${id}::uuid)`
    : sql`and (d.created_at, d.id) < (${created_at}::text::timestamptz, ${id}::uuid)`

export async function findLog(sql: Sql, key: LogKey): Promise<LogDetail | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<LogDetail[]>`
    select ${deliveryColumns(sql)}, ${eventColumns(sql)},
           coalesce((${earlierTries(sql)}), '[]') as earlier_tries
      from deliveries d
      left join events e on e.merchant_id = d.merchant_id and e.id = d.event_id
     where d.merchant_id = ${key.merchant_id} and d.id = ${key.id}
       and d.environment = ${key.environment}`
  return row
}

/** The earlier tries of the delivery `d`, as JSON. */
const earlierTries = (sql: Sql): Fragment => sql`
  select json_agg(to_json(t) order by t.attempt)
    from (select attempt, sent_at, url, http_status, response_headers, response_body, took_ms
            from delivery_tries
           where merchant_id = d.merchant_id and delivery_id = d.id
           order by attempt desc
           limit ${earlier_tries_max}) t`

const requireOwnLog = ownershipOf('deliveries')

/** Of the caller (contract 3.5). */
export async function getLog(
  sql: Sql,
  { merchant_id, environment }: Pick<Caller, 'merchant_id' | 'environment'>,
  id: string,
): Promise<LogDetail> {
  const key = { merchant_id, environment, id }
  return requireOwnLog(sql, key, await findLog(sql, key))
}

export type EndpointState = Readonly<{ is_active: boolean; is_deleted: boolean }>

export async function findEndpoint(
  sql: Sql,
  { merchant_id, webhook_id }: Readonly<{ merchant_id: string; webhook_id: string }>,
): Promise<EndpointState | undefined> {
  const [row] = await homeOf(sql, merchant_id)<EndpointState[]>`
    select is_active, deleted_at is not null as is_deleted
      from webhooks where merchant_id = ${merchant_id} and id = ${webhook_id}`
  return row
}

/** Due at once, by a schedule that begins anew. One that has not been tried yet is due anyway. */
export async function updateToDue(tx: Tx, key: LogKey, webhook_id: string): Promise<void> {
  const { merchant_id, id } = key
  // The queue is locked before its deliveries, as in a drain.
  await runWhole(tx, wakeQueueOf(tx, { merchant_id, webhook_id }), 1)
  await tx`
    update deliveries d
       set status = 'PENDING', due_at = now(), schedule_from = d.attempt, asked_again = true,
           exhausted_at = null
     where d.merchant_id = ${merchant_id} and d.id = ${id}
       and d.status = any(${deliveryStates.into('PENDING')})`
}
