// The statements about changes of availability. States and changes stand with control, the marks of
// merchants with their events. Law: one statement moves a state and records its change, and one
// moves marks and makes their events, so that neither is ever without the other.

import { recordNumbered } from '../../events/statements.ts'
import type { Db, Sql } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { composed, jsonRows, part, selectIds } from '../../platform/sql.ts'
import { type Change, changeEvent, type KnownState, type SeenState } from './change.ts'

/** A state changes at most once in so long, whatever is seen meanwhile. */
const change_every = '10 minutes'
/** How long a change is kept that everybody has been sent. */
const kept_for = '30 days'

export const listStates = (sql: Sql, environment: Environment): Promise<KnownState[]> => sql<
  KnownState[]
>`
  select environment, network_code, direction, status
    from availability_states
   where environment = ${environment}`

/**
 * Takes over what is seen, and records a change where a state moved; how many there are. A rival
 * that was quicker leaves nothing to do: its state is the same, or younger than ten minutes.
 */
export async function moveStates(sql: Sql, seen: readonly SeenState[]): Promise<number> {
  if (seen.length === 0) return 0
  const rows = await sql`
    with seen as materialized (
      select s.id, s.environment, s.country_code, s.network_code, s.direction, s.status, s.since,
             s.source, s.message_en, s.message_fr
        from ${jsonRows(
          sql,
          seen,
          sql`
        id uuid, environment text, country_code text, network_code text, direction text,
        status text, since timestamptz, source text, message_en text, message_fr text`,
        )} as s
    ), moved as (
      insert into availability_states as a (environment, network_code, direction, status)
      select environment, network_code, direction, status from seen
       order by environment, network_code, direction
      on conflict (environment, network_code, direction) do update
         set status = excluded.status, previous_status = a.status,
             change_no = a.change_no + 1, changed_at = now()
       where a.status <> excluded.status
         and coalesce(a.changed_at <= now() - ${change_every}::text::interval, true)
      returning a.environment, a.network_code, a.direction, a.status, a.previous_status,
                a.change_no)
    insert into availability_changes (id, environment, country_code, network_code, direction,
      change_no, status, previous_status, since, source, message_en, message_fr)
    select s.id, m.environment, s.country_code, m.network_code, m.direction, m.change_no, m.status,
           m.previous_status, coalesce(s.since, now()), s.source, s.message_en, s.message_fr
      from moved m
      join seen s on s.environment = m.environment and s.network_code = m.network_code
                 and s.direction = m.direction
     where m.change_no > 0
    returning id`
  return rows.count
}

/** One that some merchant may wait for, and when it was recorded. */
export type OpenChange = Change & Readonly<{ created_at: Date }>

/** Those that come after one, the first to be made first. */
export const listOpenChanges = (
  sql: Sql,
  limit: number,
  after?: Pick<OpenChange, 'created_at' | 'id'>,
): Promise<OpenChange[]> => sql<OpenChange[]>`
  select id, environment, country_code, network_code, direction, change_no, status,
         previous_status, since, source, message_en, message_fr, created_at
    from availability_changes
   where finished_at is null
     ${after === undefined ? sql`` : sql`and (created_at, id) > (${after.created_at}, ${after.id})`}
   order by created_at, id
   limit ${limit}`

/** Everybody has been sent it. What was so long ago is dropped. */
export async function finishChange(sql: Sql, id: string): Promise<void> {
  await sql`
    update availability_changes set finished_at = now() where id = ${id} and finished_at is null`
  await sql`
    delete from availability_changes where finished_at < now() - ${kept_for}::text::interval`
}

/** After which merchant, and how many at most. */
export type Portion = Readonly<{ after: string; limit: number }>

/** The clocks of two databases may be so far apart. */
const clocks_apart = '1 minute'

/**
 * Merchants in this place that have an endpoint which asks for it by name, did when it happened,
 * and have no event of this change yet, by id.
 */
export const listAsking = (
  at: Sql,
  { environment, network_code, direction, change_no, created_at }: OpenChange,
  { after, limit }: Portion,
): Promise<{ merchant_id: string }[]> => at<{ merchant_id: string }[]>`
  select distinct s.merchant_id
    from webhook_subscriptions s
    join webhooks w on w.merchant_id = s.merchant_id and w.id = s.webhook_id
    left join availability_marks m
      on m.merchant_id = s.merchant_id and m.environment = ${environment}
     and m.network_code = ${network_code} and m.direction = ${direction}
   where s.event_type = 'availability.changed' and s.merchant_id > ${after}
     and s.created_at < ${created_at}::timestamptz + ${clocks_apart}::text::interval
     and w.environment = ${environment} and w.is_active and w.deleted_at is null
     and w.payment_link is null and coalesce(m.change_no < ${change_no}, true)
   order by s.merchant_id
   limit ${limit}`

/** Which of these merchants work in the country. */
export async function listWorkingIn(
  sql: Sql,
  merchant_ids: readonly string[],
  country_code: string,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from merchants
     where id = any(${[...merchant_ids]}::uuid[])
       and (allowed_countries is null or ${country_code} = any(allowed_countries))
     order by id`
  return rows.map(({ id }) => id)
}

/**
 * Makes the event of the change for each of these merchants that has none yet, numbered at once;
 * returns those. Marks are locked before feeds, each in the order of merchants.
 */
export async function announceTo(
  at: Db,
  change: Change,
  merchant_ids: readonly string[],
): Promise<string[]> {
  if (merchant_ids.length === 0) return []
  const { environment, network_code, direction, change_no } = change
  const marked = part(
    'mark_moved',
    at`mark_moved as (
    insert into availability_marks as m
      (merchant_id, environment, network_code, direction, change_no)
    select t.merchant_id, ${environment}, ${network_code}, ${direction}, ${change_no}
      from unnest(${[...merchant_ids]}::uuid[]) as t (merchant_id)
     order by t.merchant_id
    on conflict (merchant_id, environment, network_code, direction) do update
       set change_no = excluded.change_no
     where m.change_no < excluded.change_no
    returning merchant_id as id)`,
  )
  const events = merchant_ids.map((merchant_id) => changeEvent(change, merchant_id))
  const made = recordNumbered(at, events, { when: marked })
  const rows = await at<{ id: string }[]>`${composed(at, [marked, made], selectIds(at, marked))}`
  return rows.map(({ id }) => id)
}
