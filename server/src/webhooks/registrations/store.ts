// The statements about registered endpoints. A change wakes the endpoint's queue: its worker reads
// the endpoint again before the queue rests (queue first, endpoint second, as a drain locks them).

import type { EventType, FeedKey } from '../../events/event.ts'
import { recordEvents } from '../../events/statements.ts'
import { nameList, type RowOf, selectList, typedList } from '../../platform/columns.ts'
import type { Db, Fragment, Sql, Tx } from '../../platform/db.ts'
import { ownershipOf } from '../../platform/http/ownership.ts'
import type { Environment } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import { eachGroup, homeOf } from '../../platform/places/places.ts'
import { composed, jsonRows, type Part, part, runPart, selectIds } from '../../platform/sql.ts'
import { wakeQueueOf } from '../statements.ts'
import {
  newWebhookRow,
  type QueueKey,
  type SwitchedOffReason,
  type Webhook,
  webhookRow,
  webhooks_max,
} from '../webhook.ts'

const webhookColumns = (sql: Sql): Fragment => sql`
  ${selectList(sql, webhookRow, 'w')},
  case when w.overlap_until > now() then w.overlap_until end as overlap_until,
  array(select s.event_type from webhook_subscriptions s
         where s.merchant_id = w.merchant_id and s.webhook_id = w.id) as events`

/** All endpoints of a merchant and environment, newest first: at most `webhooks_max`. */
export async function listWebhooks(sql: Sql, of: FeedKey): Promise<Webhook[]> {
  return homeOf(sql, of.merchant_id)<Webhook[]>`
    select ${webhookColumns(sql)}
      from webhooks w
     where w.merchant_id = ${of.merchant_id} and w.environment = ${of.environment}
       and w.deleted_at is null
     order by w.created_at desc, w.id desc`
}

export type WebhookKey = FeedKey & Readonly<{ id: string }>

export async function findWebhook(sql: Sql, key: WebhookKey): Promise<Webhook | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<Webhook[]>`
    select ${webhookColumns(sql)}
      from webhooks w
     where w.merchant_id = ${key.merchant_id} and w.id = ${key.id}
       and w.environment = ${key.environment} and w.deleted_at is null`
  return row
}

export const requireOwnWebhook = ownershipOf('webhooks', { only: (sql) => sql`deleted_at is null` })

/** Registrations of one merchant and environment queue up here, so that they can be counted. */
export async function lockRegistrations(tx: Tx, of: FeedKey): Promise<void> {
  const name = `webhooks ${of.merchant_id} ${of.environment}`
  await tx`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
}

export type NewWebhook = RowOf<typeof newWebhookRow> &
  Readonly<{ sealed_secret: Buffer; events: readonly EventType[] }>

/** False when the merchant has `webhooks_max` already; call under `lockRegistrations`. */
export async function insertWebhook(tx: Tx, row: NewWebhook): Promise<boolean> {
  const rows = await tx`
    insert into webhooks (${nameList(tx, newWebhookRow)}, sealed_secret)
    select ${selectList(tx, newWebhookRow, 'r')}, ${row.sealed_secret}
      from ${jsonRows(tx, [row], typedList(tx, newWebhookRow))} as r
     where (select count(*) from webhooks
             where merchant_id = ${row.merchant_id} and environment = ${row.environment}
               and deleted_at is null) < ${webhooks_max}`
  if (rows.count === 0) return false
  await insertSubscriptions(tx, row, row.events)
  return true
}

/** Adds the missing ones. */
async function insertSubscriptions(
  tx: Tx,
  { merchant_id, id: webhook_id }: WebhookKey,
  events: readonly EventType[],
): Promise<void> {
  const rows = events.map((event_type) => ({ id: newId(), event_type }))
  await tx`
    insert into webhook_subscriptions (merchant_id, id, webhook_id, event_type)
    select ${merchant_id}, s.id, ${webhook_id}, s.event_type
      from ${jsonRows(tx, rows, tx`id uuid, event_type text`)} as s
    on conflict (merchant_id, webhook_id, event_type) do nothing`
}

export type WebhookChanges = Readonly<{
  url?: string
  description?: string
  is_active?: boolean
  /** Null: it receives the events of all links. */
  payment_link?: string | null
  /** Replaces the whole list. */
  events?: readonly EventType[]
  /** Signs alone at once; a secret that was to come is dropped. */
  sealed_secret?: Buffer
}>

/** False when there is no such endpoint. A new address, or a new start, has no failures yet. */
export async function updateWebhook(
  tx: Tx,
  key: WebhookKey,
  changes: WebhookChanges,
): Promise<boolean> {
  const { events } = changes
  const url = changes.url ?? null
  const description = changes.description ?? null
  const is_active = changes.is_active ?? null
  const { payment_link, sealed_secret: sealed = null } = changes
  if ((await runPart(tx, wakeFound(tx, key))) === 0) return false
  const rows = await tx`
    update webhooks w
       set url = coalesce(${url}::text, w.url),
           description = coalesce(${description}::text, w.description),
           is_active = coalesce(${is_active}::boolean, w.is_active),
           payment_link = ${
             payment_link === undefined ? tx`w.payment_link` : tx`${payment_link}::uuid`
           },
           ${sealed === null ? tx`` : onlySecret(tx, sealed)}
           failing_since = case when ${startsAnew(tx, changes)} then null
                                else w.failing_since end,
           switched_off_reason = case when ${is_active}::boolean then ''
                                      else w.switched_off_reason end,
           owners_told_at = case when ${is_active}::boolean then null
                                 else w.owners_told_at end,
           updated_at = now()
     where w.merchant_id = ${key.merchant_id} and w.id = ${key.id} and w.deleted_at is null`
  if (rows.count === 0) return false
  if (events === undefined) return true
  await tx`
    delete from webhook_subscriptions
     where merchant_id = ${key.merchant_id} and webhook_id = ${key.id}
       and event_type <> all(${[...events]}::text[])`
  await insertSubscriptions(tx, key, events)
  return true
}

const onlySecret = (sql: Sql, sealed: Buffer): Fragment => sql`
  sealed_secret = ${sealed}, sealed_next_secret = null, overlap_until = null,`

const startsAnew = (sql: Sql, { url, is_active }: WebhookChanges): Fragment => sql`
  (${is_active ?? null}::boolean and not w.is_active) or ${url ?? null}::text <> w.url`

/** `queue_woken as (…)`: the queue will be drained; no row when there is no such endpoint. */
const wakeFound = (sql: Sql, key: WebhookKey): Part =>
  part(
    'queue_woken',
    sql`queue_woken as (
  insert into webhook_lanes as l (merchant_id, webhook_id, due_at, marks)
  select w.merchant_id, w.id, now(), 1
    from webhooks w
   where w.merchant_id = ${key.merchant_id} and w.id = ${key.id}
     and w.environment = ${key.environment} and w.deleted_at is null
  on conflict (merchant_id, webhook_id) do update
     set due_at = least(l.due_at, excluded.due_at), marks = l.marks + 1
  returning webhook_id as id)`,
  )

/** False when there is no such endpoint. Its deliveries stay readable; its queue ends them. */
export async function deleteWebhook(tx: Tx, key: WebhookKey): Promise<boolean> {
  if ((await runPart(tx, wakeFound(tx, key))) === 0) return false
  const rows = await tx`
    update webhooks w
       set deleted_at = now(), is_active = false, updated_at = now()
     where w.merchant_id = ${key.merchant_id} and w.id = ${key.id} and w.deleted_at is null`
  return rows.count === 1
}

/** Records a `webhook.test` for this endpoint, while it is active: the event's id, or undefined. */
export async function insertTestEvent(
  sql: Db,
  key: WebhookKey,
  carries: object,
): Promise<string | undefined> {
  const test = { gate_id: key.id, id: newId(), type: 'webhook.test' as const, transaction_id: null }
  const { merchant_id, environment } = key
  const about = { subject_id: key.id, data: { webhook: key.id, ...carries } }
  const event = { merchant_id, environment, ...test, ...about }
  const tested = part(
    'tested',
    sql`tested as (
      select id from webhooks
       where merchant_id = ${key.merchant_id} and id = ${key.id}
         and environment = ${key.environment} and deleted_at is null and is_active)`,
  )
  const made = recordEvents(sql, [event], { when: tested })
  const at = homeOf(sql, merchant_id)
  const rows = await at`${composed(at, [tested, made], selectIds(sql, made))}`
  return rows.count === 1 ? event.id : undefined
}

/**
 * A second secret for 24 hours beside the present one; one that was to come is replaced. Each has
 * an end of its own, by which it is confirmed, whenever its transaction began.
 */
export async function updateNextSecret(tx: Tx, key: WebhookKey, sealed: Buffer): Promise<void> {
  await tx`
    update webhooks
       set sealed_secret = case when overlap_until <= now()
                                then coalesce(sealed_next_secret, sealed_secret)
                                else sealed_secret end,
           sealed_next_secret = ${sealed},
           overlap_until = greatest(now() + interval '24 hours',
                                    overlap_until + interval '1 millisecond'),
           updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id}`
}

/** Leaves only the new secret; false when there is none. */
export async function updateToNextSecret(tx: Tx, key: WebhookKey): Promise<boolean> {
  const rows = await tx`
    update webhooks
       set sealed_secret = sealed_next_secret, sealed_next_secret = null, overlap_until = null,
           updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id}
       and overlap_until > now() and sealed_next_secret is not null
    returning id`
  return rows.count === 1
}

/**
 * Endpoints of any merchant that we switched off without an e-mail so far: candidates, nothing is
 * locked.
 */
export const listUnnotified = (sql: Sql, limit: number): Promise<QueueKey[]> =>
  eachGroup(
    sql,
    (at) => at<QueueKey[]>`
  select merchant_id, id as webhook_id from webhooks
   where switched_off_reason <> '' and owners_told_at is null
   limit ${limit}`,
  )

export type SwitchedOff = Readonly<{
  url: string
  environment: Environment
  reason: Exclude<SwitchedOffReason, ''>
}>

/** Undefined when it is on again, or when a rival sends the e-mail. */
export async function lockUnnotified(
  tx: Tx,
  { merchant_id, webhook_id }: QueueKey,
): Promise<SwitchedOff | undefined> {
  const [row] = await tx<SwitchedOff[]>`
    select url, environment, switched_off_reason as reason from webhooks
     where merchant_id = ${merchant_id} and id = ${webhook_id}
       and switched_off_reason <> '' and owners_told_at is null
       for update skip locked`
  return row
}

/** Has the endpoint's queue drained. Never while its row is locked: queues are locked first. */
export async function wakeQueue(sql: Sql, queue: QueueKey): Promise<void> {
  await runPart(homeOf(sql, queue.merchant_id), wakeQueueOf(sql, queue))
}

export async function updateNotified(tx: Tx, { merchant_id, webhook_id }: QueueKey): Promise<void> {
  await tx`
    update webhooks set owners_told_at = now()
     where merchant_id = ${merchant_id} and id = ${webhook_id}`
}

// Ends the deliveries that wait for an endpoint that is off or deleted.

/** A queue and the lease that it was given to us under. */
export type QueueLease = QueueKey & Readonly<{ lease_no: bigint }>

/**
 * The endpoint is off or deleted: its waiting deliveries are not sent any more; returns how many
 * there were, at most `limit`. Queue and endpoint are locked first, so that nothing is ended which
 * came after it was switched on again.
 */
export async function exhaustSome(sql: Sql, lease: QueueLease, limit: number): Promise<number> {
  const { merchant_id, webhook_id, lease_no } = lease
  const rows = await homeOf(sql, merchant_id)`
    with leased as materialized (
      select 1 from webhook_lanes
       where merchant_id = ${merchant_id} and webhook_id = ${webhook_id}
         and lease_no = ${lease_no}
         for update
    ), off as materialized (
      select 1 from webhooks
       where merchant_id = ${merchant_id} and id = ${webhook_id}
         and (not is_active or deleted_at is not null) and exists (select 1 from leased)
         for share)
    update deliveries d
       set status = 'EXHAUSTED', exhausted_at = now(), due_at = null
     where d.merchant_id = ${merchant_id} and d.due_at is not null
       and d.id in (
           select w.id from deliveries w
            where w.merchant_id = ${merchant_id} and w.webhook_id = ${webhook_id}
              and w.due_at is not null
            limit ${limit})
       and exists (select 1 from off)`
  return rows.count
}
