// The statements about logs. A list runs by (created_at, id), newest first, and its page costs the
// same in a long history, whatever its filters (docs/decisions/0023).

import { type EventType, eventTypes } from '../../events/event.ts'
import { selectList } from '../../platform/columns.ts'
import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import { ownershipOf } from '../../platform/http/ownership.ts'
import type { Cursor } from '../../platform/http/pages.ts'
import type { Caller, Environment } from '../../platform/http/route.ts'
import { type Kept, keptText } from '../../platform/packed/kept.ts'
import { homeOf } from '../../platform/places/places.ts'
import { type Bind, boundIn, type Created, madeWithin, runWhole } from '../../platform/sql.ts'
import { wakeQueueOf } from '../statements.ts'
import { type DeliveryStatus, deliveryStates } from '../states.ts'
import { earlier_tries_max, type Log, type LogDetail, type LogKey, logRow } from './log.ts'

const deliveryColumns = (sql: Sql): Fragment => selectList(sql, logRow, 'd')

const eventColumns = (sql: Sql): Fragment => sql`
  e.created_at as event_at, e.plain::text as plain, e.packed`

/** As the database has a log: its event's data is packed or plain. */
type Stored<L extends Log> = Omit<L, 'data'> & Kept

const withData = <L extends Log>({ plain, packed, ...log }: Stored<L>) => ({
  ...log,
  data: keptText({ plain, packed }),
})

/** How a try was answered: a class of statuses, or nobody did. */
export const answerClasses = ['2xx', '3xx', '4xx', '5xx', 'none'] as const
export type AnswerClass = (typeof answerClasses)[number]

/** Which logs. */
export type LogsSought = Readonly<{
  merchant_id: string
  environment: Environment
  webhook: string | undefined
  status: DeliveryStatus | undefined
  event_type: EventType | undefined
  transaction: string | undefined
  answer: AnswerClass | undefined
}> &
  Created

export type LogsQuery = LogsSought &
  Readonly<{
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
  const rows = await homeOf(sql, merchant_id)<Stored<LogFound>[]>`
    with found as materialized (
      select ${deliveryColumns(sql)} from (${found}) d
       order by d.created_at ${order}, d.id ${order}
       limit ${query.limit})
    select ${deliveryColumns(sql)}, d.created_at::text as place, ${eventColumns(sql)}
      from found d
      left join lateral (
           select created_at, plain, packed from events
            where merchant_id = ${merchant_id} and id = d.event_id limit 1) e on true
     order by d.created_at ${order}, d.id ${order}`
  return rows.map(withData)
}

/** Those of one transaction, and those that wait for their first try, are few. */
const isOfFew = ({ transaction, status }: LogsQuery): boolean =>
  transaction !== undefined || status === 'PENDING'

/** All of the few, to be sorted: `offset 0` keeps the planner from walking the list for them. */
const among = (sql: Sql, query: LogsQuery): Fragment => {
  const { cursor } = query
  return sql`
    select ${deliveryColumns(sql)}
      from deliveries d
     where ${logsWhere(sql, query)} ${cursor === undefined ? sql`` : beyond(sql, cursor)}
    offset 0`
}

/**
 * A page of each type of event, of which the list's own page is the newest part: each is a range of
 * the index of the merchant, of the endpoint, or of what is in trouble, so the cost does not grow
 * with what lies between.
 */
function typeByType(sql: Sql, query: LogsQuery): Fragment {
  const { event_type, cursor } = query
  const types = event_type === undefined ? eventTypes : [event_type]
  const order = cursor?.dir === 'prev' ? sql`asc` : sql`desc`
  const ofAny = { ...query, event_type: undefined }
  const statuses = isInTrouble(query) ? troubles : ['']
  return sql`
    select ${deliveryColumns(sql)}
      from unnest(${[...types]}::text[]) as t (type), unnest(${[...statuses]}::text[]) as s (status)
     cross join lateral (
           select ${deliveryColumns(sql)}
             from deliveries d
            where ${logsWhere(sql, ofAny)} and d.event_type = t.type
              ${isInTrouble(query) ? sql`and d.status = s.status` : sql``}
              ${cursor === undefined ? sql`` : beyond(sql, cursor)}
            order by d.created_at ${order}, d.id ${order}
            limit ${query.limit}) d`
}

const troubles: readonly DeliveryStatus[] = ['FAILED', 'EXHAUSTED']

/** Its last try was not acknowledged: such an answer is found among those in trouble. */
const isInTrouble = ({ answer }: LogsSought): boolean => answer !== undefined && answer !== '2xx'

/** The filters on the delivery `d`. */
export function logsWhere(sql: Sql, sought: LogsSought, bind = boundIn(sql)): Fragment {
  const { merchant_id, environment, webhook, status, event_type, transaction, answer } = sought
  return sql`
    d.merchant_id = ${bind(merchant_id)}::uuid
    and ${environmentOf(sql, sought)} = ${bind(environment)}
    ${webhook === undefined ? sql`` : sql`and d.webhook_id = ${bind(webhook)}::uuid`}
    ${status === undefined ? sql`` : inStatus(sql, status, bind)}
    ${event_type === undefined ? sql`` : sql`and d.event_type = ${bind(event_type)}`}
    ${transaction === undefined ? sql`` : sql`and d.transaction_id = ${bind(transaction)}::uuid`}
    ${answer === undefined ? sql`` : answeredAs(sql, answer)}
    ${madeWithin(sql, sought, sql`d.created_at`, bind)}`
}

/**
 * Of a webhook's answers hidden from the planner, who may take the index of the merchant for the
 * better one, and pass over all answers of the others.
 */
const environmentOf = (sql: Sql, sought: LogsSought): Fragment =>
  sought.webhook !== undefined && isInTrouble(sought)
    ? sql`(d.environment || '')`
    : sql`d.environment`

/**
 * Constants, as the index by answers has them; what is acknowledged is walked to. One that waits
 * to be sent again has yet to be answered.
 */
const answeredAs = (sql: Sql, answer: AnswerClass): Fragment =>
  answer === '2xx'
    ? sql`and d.status <> 'PENDING' and d.http_status between 200 and 299`
    : sql`
    and d.status in ('FAILED', 'EXHAUSTED')
    and (case when d.sent_at is null then -1 else coalesce(d.http_status / 100, 0) end)
        = ${sql.unsafe(answer === 'none' ? '0' : answer.slice(0, 1))}`

/** Where a partial index has it, the planner must see that from the text of the condition alone. */
const inStatus = (sql: Sql, status: DeliveryStatus, bind: Bind): Fragment =>
  sql`and d.status = ${bind(status)} ${indexedBy(sql)[status]}`

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

async function findLog(sql: Sql, key: LogKey): Promise<LogDetail | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<Stored<LogDetail>[]>`
    select ${deliveryColumns(sql)}, ${eventColumns(sql)},
           coalesce((${earlierTries(sql)}), '[]') as earlier_tries
      from deliveries d
      left join events e on e.merchant_id = d.merchant_id and e.id = d.event_id
     where d.merchant_id = ${key.merchant_id} and d.id = ${key.id}
       and d.environment = ${key.environment}`
  return row && withData(row)
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
