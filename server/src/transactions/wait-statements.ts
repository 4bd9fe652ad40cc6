// The wait's parts of a statement: it is written with the payout (or its approval) that finds no
// operator who can take it now (a float used up, a closed account, a broken route), or with the end
// of an attempt whose operator said that its float is empty; and removed by the statement that
// writes its next attempt.

import type { Room } from '../gateways/read-balances.ts'
import type { SkippedRoute } from '../gateways/routing.ts'
import {
  fitsRoom,
  hasUndecidedOf,
  isPerhapsPaid,
  mayBePaidOf,
  putOff,
  sentAgain,
} from '../incidents/sent-again-statements.ts'
import { isStoppedIn } from '../merchants/store.ts'
import type { Fragment, Sql, Tx } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { eachGroup, homeOf } from '../platform/places/places.ts'
import { type Gate, type OptionalGate, type Part, part } from '../platform/sql.ts'
import type { WaitingReason } from './transaction.ts'

export type NewWait = Readonly<{
  merchant_id: string
  transaction_id: string
  environment: Environment
}>

/** What a look for a way has found: what is waited for, and each route that was passed over. */
export type Look = Readonly<{ reason: WaitingReason; passed_over: readonly SkippedRoute[] }>

/** `wait_made, look_kept as (…)`. */
export const insertWait = (sql: Sql, wait: NewWait & Look, { when }: OptionalGate = {}): Part =>
  part(
    'wait_made',
    sql`wait_made as (
    insert into payout_waits (merchant_id, transaction_id, environment, reason)
    select ${wait.merchant_id}, ${wait.transaction_id}, ${wait.environment}, ${wait.reason}
     ${when === undefined ? sql`` : sql`where exists (select 1 from ${sql(when.name)})`}
    returning merchant_id, transaction_id as id)`,
    sql`look_kept as (
    insert into payout_looks (merchant_id, transaction_id, reason, passed_over)
    select merchant_id, id, ${wait.reason}, ${sql.json([...wait.passed_over])} from wait_made)`,
  )

/**
 * `wait_made as (…)`: its operator has taken nothing for want of a float, or a limit of ours kept
 * it from being sent (`NO_ROUTE`). It is sent again at growing intervals; it has waited since it
 * could first be sent (its making, or its approval), however often it was sent since.
 */
export const insertWaitAgain = (
  sql: Sql,
  wait: NewWait & Readonly<{ reason: WaitingReason }>,
  { when }: Gate,
): Part =>
  part(
    'wait_made',
    sql`wait_made as (
    insert into payout_waits (merchant_id, transaction_id, environment, reason, created_at, due_at)
    select ${wait.merchant_id}, ${wait.transaction_id}, ${wait.environment}, ${wait.reason},
           coalesce(p.decided_at, t.created_at),
           now() + interval '1 second' * (
             select least(${again_after_s} * 2 ^ least(count(*), 10), ${again_after_max_s})
               from attempts a where a.merchant_id = t.merchant_id and a.transaction_id = t.id)
      from transactions t
      left join payout_approvals p on p.merchant_id = t.merchant_id and p.transaction_id = t.id
     where t.merchant_id = ${wait.merchant_id} and t.id = ${wait.transaction_id}
       and exists (select 1 from ${sql(when.name)})
    returning transaction_id as id)`,
  )

/** `wait_ended as (…)`: a row for the statement that removes it; of several, one does. */
export const endWait = (
  sql: Sql,
  wait: Pick<NewWait, 'merchant_id' | 'transaction_id'>,
  { when }: OptionalGate = {},
): Part =>
  part(
    'wait_ended',
    sql`wait_ended as (
    delete from payout_waits
     where merchant_id = ${wait.merchant_id} and transaction_id = ${wait.transaction_id}
       ${when === undefined ? sql`` : sql`and exists (select 1 from ${sql(when.name)})`}
    returning transaction_id as id)`,
  )

/**
 * Locks the wait and the balance that its payout would leave; the payout is locked before them. A
 * statement that waits for a lock sees all else as it was before it waited, so whether the payout
 * may leave is asked by the next one, `mayLeave`, which waits for nothing.
 */
export async function lockToLeave(tx: Tx, wait: NewWait, country: string): Promise<void> {
  const { merchant_id, transaction_id, environment } = wait
  await tx`
    select 1 from payout_waits
     where merchant_id = ${merchant_id} and transaction_id = ${transaction_id}
       for update`
  await tx`
    select 1 from balances
     where merchant_id = ${merchant_id} and environment = ${environment} and country = ${country}
       for share`
}

/**
 * Whether the payout of this wait may be sent: false while its balance is frozen or its merchant
 * stopped, or where an earlier attempt of it may have been paid. `lockToLeave` goes before it: a
 * freeze comes before this or after the sending.
 */
export async function mayLeave(tx: Tx, wait: NewWait): Promise<boolean> {
  const rows = await tx`
    select 1
      from transactions t
      join balances b on b.merchant_id = t.merchant_id and b.environment = t.environment
                     and b.country = t.country_code
     where t.merchant_id = ${wait.merchant_id} and t.id = ${wait.transaction_id}
       and not b.is_frozen
       and not exists (select 1 from merchants m
                        where m.id = t.merchant_id and ${isStoppedIn(tx, tx`t.environment`)})
       and not exists (${perhapsPaid(tx)})`
  return rows.count > 0
}

/** An attempt that its operator refused for want of a float, and of which there is news since. */
const perhapsPaid = (sql: Sql): Fragment => sql`
  select 1 from attempts a
   where a.merchant_id = t.merchant_id and a.transaction_id = t.id and ${isPerhapsPaid(sql)}`

// The statements about waits that are not part of a composed one.

export type DueWait = NewWait &
  Readonly<{
    catalogue_version: bigint
    /** When it is looked at again, unless this look, or somebody who makes room, says otherwise. */
    due_at: Date
    /** False where it has perhaps been paid: no look would send it, or end it. */
    may_leave: boolean
    /** It has waited for as long as any payout may. */
    is_over: boolean
  }>

const { after_s: again_after_s, after_max_s: again_after_max_s } = sentAgain
export const waits_at_most_h = sentAgain.at_most_h

/**
 * A claim sees so many of those that have been due for longest, and as many of the last: however
 * many one merchant has, another's is among these when its turn comes.
 */
const seen_at_most = 2_000
/** Other workers may have the first of them. */
const claimed_beside = 5

/**
 * Claims those that are due, by turns: the first of each merchant and environment before the second
 * of any, LIVE before SANDBOX (as their names stand in order), the longest due first. Each is tried
 * again later; what has perhaps been paid, later than that. One that would leave a frozen balance,
 * or is a stopped merchant's, goes on waiting: no gateway receives it yet (contract 3.5, 5.12).
 * Its time runs out all the same.
 */
export const claimDueWaits = (sql: Sql, limit: number): Promise<DueWait[]> =>
  eachGroup(
    sql,
    (at) => at<DueWait[]>`
  with due as (
    (${someDue(at, at`asc`)}) union (${someDue(at, at`desc`)})
  ), turns as (
    select merchant_id, transaction_id, environment, due_at,
           row_number() over (partition by merchant_id, environment
                              order by due_at, transaction_id) as turn
      from due
     order by turn, environment, due_at
     limit ${limit * claimed_beside}
  ), taken as (
    select w.merchant_id, w.transaction_id, not (${isStopped(at)}) as may_leave
      from turns
      join payout_waits w
        on w.merchant_id = turns.merchant_id and w.transaction_id = turns.transaction_id
       and w.due_at <= now()
      join transactions t on t.merchant_id = w.merchant_id and t.id = w.transaction_id
     order by turns.turn, turns.environment, turns.due_at
     limit ${limit}
       for update of w skip locked
  )
  update payout_waits w
     set due_at = now() + interval '1 second'
       * case when taken.may_leave then ${again_after_s}::int else ${putOff.after_s}::int end
    from taken
   where w.merchant_id = taken.merchant_id and w.transaction_id = taken.transaction_id
  returning w.merchant_id, w.transaction_id, w.environment, w.due_at, taken.may_leave,
            ${isOver(at)} as is_over,
            (select version from catalogue_version) as catalogue_version`,
  )

const isOver = (sql: Sql): Fragment =>
  sql`w.created_at <= now() - ${waits_at_most_h} * interval '1 hour'`

/** From one end of those that are due; without those that staff have stopped. */
const someDue = (sql: Sql, direction: Fragment): Fragment => sql`
  select w.merchant_id, w.transaction_id, w.environment, w.due_at
    from payout_waits w
   where w.due_at <= now()
     and (${isOver(sql)}
          or not exists (
            select 1 from transactions t
              join merchants m on m.id = t.merchant_id
              join balances b on b.merchant_id = t.merchant_id
                             and b.environment = t.environment and b.country = t.country_code
             where t.merchant_id = w.merchant_id and t.id = w.transaction_id
               and (b.is_frozen or ${isStoppedIn(sql, sql`t.environment`)})))
   order by w.due_at ${direction}
   limit ${seen_at_most}`

/** Of a wait `w` of the payout `t`: one whose time is over ends, unless it is undecided. */
const isStopped = (sql: Sql): Fragment => sql`
  t.status = 'PENDING'
  and case when ${isOver(sql)} then ${hasUndecidedOf(sql, 'transaction_id', 't')}
           else ${mayBePaidOf(sql, 'transaction_id', 't')} end`

type Of = Pick<NewWait, 'merchant_id' | 'transaction_id'>

type Claimed = Of & Pick<DueWait, 'due_at'>

/** As it stood when it was claimed: who makes room meanwhile has made it due, and so it stays. */
const unhastened = (sql: Sql, { due_at }: Claimed, at: Fragment): Fragment =>
  sql`case when due_at = ${due_at} then ${at} else due_at end`

/**
 * No route could ever take it as it is, or looking at it failed, which says nothing about what it
 * waits for: its reason stays. Each wait is twice as long, half an hour at most.
 */
export async function putWaitOff(
  sql: Sql,
  wait: Claimed,
  why: 'FAILED' | (Pick<Look, 'passed_over'> & AboveLimits),
): Promise<void> {
  const look = why === 'FAILED' ? null : { reason: 'NO_ROUTE' as const, ...why }
  if (look !== null) await keepLook(sql, wait, look)
  const before = sql`case when ${look === null} or reason = 'NO_ROUTE' then tries else 0 end`
  const later = sql`now() + interval '1 second'
    * least(${again_after_s} * 2 ^ least(${before}, 10), ${again_after_max_s})`
  await homeOf(sql, wait.merchant_id)`
    update payout_waits
       set tries = 1 + ${before},
           reason = coalesce(${look?.reason ?? null}, reason),
           due_at = ${unhastened(sql, wait, later)}
     where merchant_id = ${wait.merchant_id} and transaction_id = ${wait.transaction_id}`
}

/** Twice as long so many times: four minutes at most. Who makes room makes it due at once. */
const doubled_at_most = 3

/**
 * It could go, but not now, and why (again). Each wait for the same is twice as long, and none goes
 * beyond the moment at which what is closed opens.
 */
export async function noteWaiting(
  sql: Sql,
  wait: Claimed,
  { opens_ms, ...look }: Look & Readonly<{ opens_ms: number | null }>,
): Promise<void> {
  await keepLook(sql, wait, look)
  const before = sql`
    case when reason = ${look.reason} then least(tries, ${doubled_at_most}::int) else 0 end`
  const opens_at =
    opens_ms === null
      ? sql`null`
      : sql`greatest(now() + interval '1 second', ${new Date(opens_ms)}::timestamptz)`
  const later = sql`
    least(now() + interval '1 second' * (${again_after_s}::int * 2 ^ ${before}), ${opens_at})`
  await homeOf(sql, wait.merchant_id)`
    update payout_waits
       set tries = 1 + ${before}, reason = ${look.reason},
           due_at = ${unhastened(sql, wait, later)}
     where merchant_id = ${wait.merchant_id} and transaction_id = ${wait.transaction_id}`
}

type AboveLimits = Readonly<{
  /** Each of its routes has a limit below it. */
  is_above_limits?: boolean
}>

const keepLook = (
  sql: Sql,
  { merchant_id, transaction_id }: Of,
  { reason, passed_over, is_above_limits = false }: Look & AboveLimits,
) =>
  homeOf(sql, merchant_id)`
    insert into payout_looks as l
           (merchant_id, transaction_id, reason, passed_over, above_limits_since)
    values (${merchant_id}, ${transaction_id}, ${reason}, ${sql.json([...passed_over])},
            case when ${is_above_limits} then now() end)
    on conflict (merchant_id, transaction_id) do update
       set reason = excluded.reason, passed_over = excluded.passed_over,
           since = case when ${isOther(sql)} then now() else l.since end,
           above_limits_since =
             case when ${is_above_limits} then coalesce(l.above_limits_since, now()) end
     where ${isOther(sql)} or ${is_above_limits} <> (l.above_limits_since is not null)`

const isOther = (sql: Sql): Fragment =>
  sql`(l.reason <> excluded.reason or l.passed_over <> excluded.passed_over)`

/** Whoever lowered a limit by mistake, and needs a second to raise it, has so long. Hours. */
const limit_counts_after_h = 1

/**
 * Every look of the last hour has found each of its routes below it, whatever else it passed over.
 * It counts from the first of them, not from when the payout began to wait, which may be days ago.
 */
export async function isLongSo(sql: Sql, { merchant_id, transaction_id }: Of): Promise<boolean> {
  const rows = await homeOf(sql, merchant_id)`
    select 1 from payout_looks
     where merchant_id = ${merchant_id} and transaction_id = ${transaction_id}
       and above_limits_since <= now() - ${limit_counts_after_h} * interval '1 hour'`
  return rows.count > 0
}

export type KeptLook = Look & Readonly<{ since: Date }>

/** Of a payout that waits, or has waited: what the last look found. */
export async function findLook(
  sql: Sql,
  merchant_id: string,
  transaction_id: string,
): Promise<KeptLook | undefined> {
  const [row] = await homeOf(sql, merchant_id)<KeptLook[]>`
    select reason, passed_over, since from payout_looks
     where merchant_id = ${merchant_id} and transaction_id = ${transaction_id}`
  return row
}

/**
 * What waits for that is due now, however far off its next look was; how many. One that is being
 * looked at is left to who looks.
 */
export async function hastenWaits(sql: Sql, room: Room): Promise<number> {
  const due = await eachGroup(
    sql,
    (at) => at<Of[]>`
  with waiting as (
    select w.merchant_id, w.transaction_id
      from payout_waits w
      join transactions t on t.merchant_id = w.merchant_id and t.id = w.transaction_id
     where w.environment = ${room.environment} and w.due_at > now() and ${waitsFor(at, room)}
       for update of w skip locked
  )
  update payout_waits w
     set due_at = now(), tries = 0
    from waiting
   where w.merchant_id = waiting.merchant_id and w.transaction_id = waiting.transaction_id
  returning w.merchant_id, w.transaction_id`,
  )
  return due.length
}

const payout = {
  by: 'transaction_id',
  of: 't',
  country: 'country_code',
  sum: 'net_amount',
} as const

function waitsFor(sql: Sql, room: Room): Fragment {
  const reason = 'waited_for' in room ? room.waited_for : 'GATEWAY_FLOAT'
  return sql`w.reason = ${reason} and ${fitsRoom(sql, room, payout)}`
}
