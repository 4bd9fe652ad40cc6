// What each folder has kept of a transaction's story, as parts of one statement. Law: they read by
// keys that begin with the merchant and the transaction, so no other history is passed over; and no
// body of an operator, of a payer or of an endpoint is read.

import { attemptsOfBoth, countedCallbacks } from '../attempts/story-statements.ts'
import { causesOfTransaction } from '../ledger/entries-store.ts'
import type { Fragment, Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { type Part, part } from '../platform/sql.ts'

export type StoryKey = Readonly<{ merchant_id: string; environment: Environment; id: string }>

/**
 * `story_of, story_refunds, story_attempts as (…)`: the transaction if it is of this environment,
 * its refunds, and the attempts of both.
 */
export function subjects(sql: Sql, { merchant_id, environment, id }: StoryKey): Part {
  return part(
    'story_of',
    sql`story_of as materialized (
      select t.merchant_id, t.id, t.environment, t.created_at, t.transaction_type, t.status,
             t.member_id, t.api_key_id, t.checkout_session, t.requested_amount, t.currency
        from transactions t
       where t.merchant_id = ${merchant_id} and t.id = ${id} and t.environment = ${environment}
    )`,
    sql`story_refunds as materialized (
      select r.merchant_id, r.id, r.created_at, r.ended_at, r.status, r.settled_attempt,
             r.member_id, r.api_key_id, r.amount, r.currency
        from story_of t
        join refunds r on r.merchant_id = t.merchant_id and r.payment_id = t.id
    )`,
    sql`story_attempts as materialized (
      ${attemptsOfBoth(sql, { transactions: 'story_of', refunds: 'story_refunds' })})`,
  )
}

/** Columns of a step; of one moment the cause stands before what it caused, by `rank`. */
const step = (
  sql: Sql,
  of: Readonly<{
    kind: string
    rank: number | Fragment
    at: Fragment
    ref: Fragment
    /** Distinguishes steps of one `ref`; a whole number. */
    nth?: Fragment
    actor?: Fragment
    actor_id?: Fragment
    facts: Fragment
  }>,
): Fragment => {
  const { kind, rank, at, ref, nth = sql`0`, facts } = of
  const { actor = sql`null::text`, actor_id = sql`null::uuid` } = of
  return sql`
    select ${at} as at, ${rank}::int as rank, ${kind}::text as kind, ${ref} as ref,
           ${nth}::int as nth, ${actor} as actor_kind, ${actor_id} as actor_id,
           jsonb_build_object(${facts}) as facts`
}

/** Of a transaction `t` or a refund `r`, by whom it was asked for. */
const askedBy = (sql: Sql, of: Fragment): Fragment => sql`
  case when ${of}.member_id is not null then 'MEMBER'
       when ${of}.api_key_id is not null then 'KEY' end`

const begun = (sql: Sql): Fragment => sql`
  ${step(sql, {
    kind: 'MOVE',
    rank: 1,
    at: sql`t.created_at`,
    ref: sql`t.id`,
    actor: sql`coalesce(${askedBy(sql, sql`t`)},
                        case when t.checkout_session is not null then 'PAYER' end)`,
    actor_id: sql`coalesce(t.member_id, t.api_key_id)`,
    facts: sql`'subject', 'TRANSACTION', 'from_status', null, 'to_status',
               case when t.transaction_type = 'TRANSFERT' then 'SUCCESS' else 'PENDING' end,
               'amount', t.requested_amount::text, 'currency', t.currency`,
  })}
    from story_of t`

const unlessByRule = (sql: Sql): Fragment => sql`
  case l.evidence_kind when 'RULE' then 'SYSTEM' else 'OPERATOR' end`

const moved = (sql: Sql): Fragment => sql`
  ${step(sql, {
    kind: 'MOVE',
    // A resumption is before the attempt that it leads to.
    rank: sql`case l.to_status when 'PENDING' then 2 else 7 end`,
    at: sql`l.created_at`,
    ref: sql`l.id`,
    // What a rule of ours ended, such as the end of its time, no operator did.
    actor: sql`case l.triggered_by
                    when 'API' then 'KEY' when 'DASHBOARD' then 'MEMBER'
                    when 'PAYER' then 'PAYER' when 'ADMIN' then 'STAFF'
                    when 'CALLBACK' then ${unlessByRule(sql)}
                    when 'POLLER' then ${unlessByRule(sql)}
                    else 'SYSTEM' end`,
    actor_id: sql`l.actor_id`,
    facts: sql`'subject', 'TRANSACTION', 'from_status', l.from_status, 'to_status', l.to_status,
               'reason', l.reason, 'triggered_by', l.triggered_by, 'attempt', l.attempt_id,
               'evidence_kind', l.evidence_kind, 'said', l.evidence_said`,
  })}
    from story_of t
    join transaction_status_logs l on l.merchant_id = t.merchant_id and l.transaction_id = t.id`

const refundBegun = (sql: Sql): Fragment => sql`
  ${step(sql, {
    kind: 'MOVE',
    rank: 1,
    at: sql`r.created_at`,
    ref: sql`r.id`,
    actor: askedBy(sql, sql`r`),
    actor_id: sql`coalesce(r.member_id, r.api_key_id)`,
    facts: sql`'subject', 'REFUND', 'from_status', null, 'to_status', 'PENDING',
               'amount', r.amount::text, 'currency', r.currency, 'refund', r.id`,
  })}
    from story_refunds r`

/** Two people said that it had reached its payer: its operator never did. */
const endedByStaff = (sql: Sql): Fragment => sql`
  exists (select 1 from story_of t
            join incidents i on i.merchant_id = t.merchant_id and i.transaction_id = t.id
           where i.attempt_id = r.settled_attempt and i.type = 'OUTCOME_UNKNOWN'
             and i.status = 'RESOLVED' and i.resolution = 'CHARGE_MERCHANT')`

/** Its end is of our clock, its attempt's of the database's: what ended it stands before it. */
const refundEnded = (sql: Sql): Fragment => sql`
  ${step(sql, {
    kind: 'MOVE',
    rank: 7,
    at: sql`greatest(r.ended_at, (select max(a.finished_at) from story_attempts a
                                   where a.refund_id = r.id))`,
    ref: sql`r.id`,
    nth: sql`1`,
    actor: sql`case when r.status <> 'SUCCESS' then null
                    when ${endedByStaff(sql)} then 'STAFF' else 'OPERATOR' end`,
    facts: sql`'subject', 'REFUND', 'from_status', 'PENDING', 'to_status', r.status,
               'amount', r.amount::text, 'currency', r.currency, 'refund', r.id`,
  })}
    from story_refunds r where r.ended_at is not null`

const incidentOpened = (sql: Sql): Fragment => sql`
  ${step(sql, {
    kind: 'MOVE',
    rank: 8,
    at: sql`i.created_at`,
    ref: sql`i.id`,
    actor: sql`'SYSTEM'`,
    facts: sql`'subject', 'INCIDENT', 'from_status', null, 'to_status', 'OPEN',
               'incident_type', i.type`,
  })}
    from story_of t join incidents i on i.merchant_id = t.merchant_id and i.transaction_id = t.id`

const incidentResolved = (sql: Sql): Fragment => sql`
  ${step(sql, {
    kind: 'MOVE',
    rank: 8,
    at: sql`i.resolved_at`,
    ref: sql`i.id`,
    nth: sql`1`,
    actor: sql`'STAFF'`,
    facts: sql`'subject', 'INCIDENT', 'from_status', 'OPEN', 'to_status', 'RESOLVED',
               'incident_type', i.type`,
  })}
    from story_of t join incidents i on i.merchant_id = t.merchant_id and i.transaction_id = t.id
   where i.resolved_at is not null`

const ofAttempt = (sql: Sql): Fragment => sql`
  'refund', a.refund_id, 'network_code', a.network_code, 'gateway_code', a.gateway_code`

const tried = (sql: Sql): Fragment => sql`
  ${step(sql, {
    kind: 'ATTEMPT',
    rank: 3,
    at: sql`a.started_at`,
    ref: sql`a.id`,
    actor: sql`'SYSTEM'`,
    facts: sql`${ofAttempt(sql)}, 'step', 'STARTED'`,
  })}
    from story_attempts a`

const triedToTheEnd = (sql: Sql): Fragment => sql`
  ${step(sql, {
    kind: 'ATTEMPT',
    rank: 6,
    at: sql`a.finished_at`,
    ref: sql`a.id`,
    nth: sql`1`,
    actor: sql`case when a.gateway_ended then 'OPERATOR' else 'SYSTEM' end`,
    facts: sql`${ofAttempt(sql)}, 'step', 'ENDED', 'status', a.status,
               'failure_code', a.failure_code, 'failure_message', a.failure_message,
               'external_reference', a.external_reference`,
  })}
    from story_attempts a where a.finished_at is not null`

/** Every question about an attempt is one step, at the first of them; the answers moved nothing. */
const asked = (sql: Sql): Fragment => sql`
  ${step(sql, {
    kind: 'ASKED',
    rank: 4,
    at: sql`coalesce(a.first_asked_at, a.started_at)`,
    ref: sql`a.id`,
    actor: sql`'SYSTEM'`,
    facts: sql`${ofAttempt(sql)}, 'status', a.status, 'count', a.asks,
               'first_at', a.first_asked_at, 'last_at', a.asked_at`,
  })}
    from story_attempts a where a.asks > 0`

/** An operator's callbacks of one proof and effect are one step, at the first of them. */
const calledBack = (sql: Sql): Fragment => sql`
  ${step(sql, {
    kind: 'CALLBACK',
    rank: 5,
    at: sql`c.first_at`,
    ref: sql`a.id`,
    nth: sql`c.nth`,
    actor: sql`case when c.proof = 'UNSIGNED' then null else 'OPERATOR' end`,
    facts: sql`${ofAttempt(sql)}, 'proof', c.proof, 'outcome', c.outcome, 'count', c.count,
               'first_at', c.first_at, 'last_at', c.last_at`,
  })}
    from story_attempts a
   cross join lateral (${countedCallbacks(sql)}) as c`

const acted = (sql: Sql): Fragment => sql`
  ${step(sql, {
    kind: 'ACT',
    rank: 2,
    at: sql`l.created_at`,
    ref: sql`l.id`,
    actor: sql`l.actor_kind`,
    actor_id: sql`case when l.actor_kind <> 'STAFF' then l.actor_id end`,
    facts: sql`'action', l.action,
               'refund', case when l.target_kind = 'refund' then l.target_id end,
               'reason', case when l.actor_kind = 'MEMBER' and l.action in (
                 'payout.rejected', 'refund.rejected') then l.after->>'reason' end`,
  })}
    from story_of t
    join audit_logs l
      on l.merchant_id = t.merchant_id and l.target_kind in ('transaction', 'refund')
     and l.target_id = any(array(select t.id::text union all select r.id::text
                                   from story_refunds r))
     and l.environment = t.environment`

const booked = (sql: Sql, { merchant_id, id }: StoryKey): Fragment => sql`
  ${step(sql, {
    kind: 'ENTRY',
    rank: 9,
    at: sql`e.created_at`,
    ref: sql`e.id`,
    actor: sql`'SYSTEM'`,
    facts: sql`'amount', abs(e.available_change)::text, 'currency', e.currency,
               'direction', case when e.available_change > 0 then 'CREDIT' else 'DEBIT' end,
               'balance_after', e.balance_after::text`,
  })}
    from story_of t
   cross join (select distinct cause_kind, cause_id
                 from (${causesOfTransaction(sql, { merchant_id }, sql`${id}::uuid`)}) as k) as c
   cross join lateral (
         select e.id, e.created_at, e.environment, e.entry_no, e.available_change, e.currency,
                e.balance_after
           from ledger_entries e
          where e.merchant_id = t.merchant_id and e.cause_kind = c.cause_kind
            and e.cause_id = c.cause_id
         offset 0) as e
   where e.environment = t.environment and e.entry_no is not null`

const ofTry = (sql: Sql): Fragment => sql`
  'webhook', d.webhook_id, 'event_type', d.event_type, 'try', s.attempt,
  'http_status', s.http_status, 'took_ms', s.took_ms,
  'succeeded', coalesce(s.http_status between 200 and 299, false)`

/** Each try: the earlier ones have rows of their own, the last is the delivery's. */
const delivered = (sql: Sql): Fragment => sql`
  ${step(sql, {
    kind: 'WEBHOOK',
    rank: 10,
    at: sql`s.sent_at`,
    ref: sql`d.id`,
    nth: sql`s.attempt`,
    actor: sql`'SYSTEM'`,
    facts: ofTry(sql),
  })}
    from story_of t
    join deliveries d on d.merchant_id = t.merchant_id and d.transaction_id = t.id
   cross join lateral (
         select d.attempt, d.http_status, d.took_ms, d.sent_at
          where d.sent_at is not null
          union
         select y.attempt, y.http_status, y.took_ms, y.sent_at
           from delivery_tries y
          where y.merchant_id = d.merchant_id and y.delivery_id = d.id and y.attempt < d.attempt
         ) as s
   where d.environment = t.environment`

const opened = (sql: Sql): Fragment => sql`
  ${step(sql, {
    kind: 'CHECKOUT',
    rank: 0,
    at: sql`s.created_at`,
    ref: sql`s.id`,
    facts: sql`'step', 'OPENED', 'payment_link', s.payment_link`,
  })}
    from story_of t
    join checkout_sessions s on s.merchant_id = t.merchant_id and s.id = t.checkout_session`

const paidFor = (sql: Sql): Fragment => sql`
  ${step(sql, {
    kind: 'CHECKOUT',
    rank: 8,
    at: sql`s.paid_at`,
    ref: sql`s.id`,
    nth: sql`1`,
    actor: sql`'PAYER'`,
    facts: sql`'step', 'PAID', 'payment_link', s.payment_link`,
  })}
    from story_of t
    join checkout_sessions s on s.merchant_id = t.merchant_id and s.id = t.checkout_session
   where s.paid_by = t.id`

/** `story as (…)`: every step, in no order. */
export function story(sql: Sql, key: StoryKey): Part {
  const steps = [
    ...[begun(sql), moved(sql), refundBegun(sql), refundEnded(sql)],
    ...[incidentOpened(sql), incidentResolved(sql), tried(sql), triedToTheEnd(sql), asked(sql)],
    ...[calledBack(sql), acted(sql), booked(sql, key), delivered(sql), opened(sql), paidFor(sql)],
  ]
  const all = steps.reduce((some, other) => sql`${some} union all ${other}`)
  return part('story', sql`story as (${all})`)
}
