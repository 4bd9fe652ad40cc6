// What was seen of an account with an operator: the last payment, payout, refund and reversal that
// succeeded, how refusals ended, the last callback, how many were called back. For people who look;
// nothing is on a path. They read whole tables: on no connection that money waits for.

import type { CallbackProof } from '../gateways/gateway.ts'
import type { Fragment, Sql } from '../platform/db.ts'
import { eachGroup } from '../platform/places/places.ts'
import type { AttemptStatus } from './states.ts'

export type SeenKind = 'COLLECT' | 'PAY_OUT' | 'REFUND' | 'REVERSAL'

/** One that succeeded; no phone number, and nothing that opens anything. */
export type SeenSuccess = Readonly<{
  kind: SeenKind
  our_key: string
  external_reference: string
  /** Hundredths that crossed the wire. */
  amount: bigint
  currency: string
  finished_at: Date
}>

/** Of attempts that were made since then alone; null: of all. */
export type Since = Date | null

const madeSince = (sql: Sql, since: Since): Fragment =>
  sql`a.created_at > coalesce(${since}::timestamptz, '-infinity')`

/** The last of each kind within `days`. */
export async function listSeen(
  sql: Sql,
  gateway_id: string,
  days: number,
  since: Since = null,
): Promise<ReadonlyMap<SeenKind, SeenSuccess>> {
  const rows = await eachGroup(
    sql,
    (at) => at<SeenSuccess[]>`
      select distinct on (kind) kind, our_key, external_reference, amount, currency, finished_at
        from (select case when a.direction = 'COLLECT' then 'COLLECT'
                          when a.refund_of is not null then 'REFUND' else 'PAY_OUT' end as kind,
                     a.our_key, a.external_reference, a.currency, a.finished_at,
                     case a.direction when 'COLLECT' then a.debited_amount
                                      else a.net_amount end as amount
                from attempts a
               where a.gateway_id = ${gateway_id} and a.status = 'SUCCESS'
                 and ${madeSince(at, since)}
                 and a.finished_at > now() - ${days} * interval '1 day'
              union all
              -- Asked back by two people, and given back by its operator.
              select 'REVERSAL', a.our_key, a.external_reference, a.currency, r.ended_at,
                     a.net_amount
                from attempts a
                join payout_reversals r on r.merchant_id = a.merchant_id and r.attempt_id = a.id
               where a.gateway_id = ${gateway_id} and r.status = 'SUCCESS'
                 and ${madeSince(at, since)}
                 and r.ended_at > now() - ${days} * interval '1 day') as s
       order by kind, finished_at desc`,
  )
  const latest = rows.toSorted((a, b) => Number(a.finished_at) - Number(b.finished_at))
  return new Map(latest.map((row) => [row.kind, row]))
}

export type SeenRefusal = Readonly<{ direction: string; failure_code: string; count: number }>

/** How attempts that failed there have failed. */
export const listRefusals = (
  sql: Sql,
  gateway_id: string,
  days: number,
  since: Since = null,
): Promise<SeenRefusal[]> =>
  eachGroup(
    sql,
    (at) => at<SeenRefusal[]>`
      select a.direction, a.failure_code, count(*)::int as count
        from attempts a
       where a.gateway_id = ${gateway_id} and a.status = 'FAILED' and a.failure_code <> ''
         and ${madeSince(at, since)}
         and a.created_at > now() - ${days} * interval '1 day'
       group by a.direction, a.failure_code
       order by a.direction, a.failure_code`,
  )

/** The last attempt with a number, however it ended. */
export type Tried = Readonly<{ status: AttemptStatus; failure_code: string; created_at: Date }>

type TriedRow = Tried &
  Readonly<{ network_code: string; direction: string; operation_msisdn: string }>

type TriedQuery = Readonly<{ gateway_id: string; numbers: readonly string[]; since: Since }>

/** Of these numbers (E.164) those that were tried there, each with its last attempt. */
export async function listTried(
  sql: Sql,
  { gateway_id, numbers, since }: TriedQuery,
): Promise<TriedRow[]> {
  if (numbers.length === 0) return []
  const rows = await eachGroup(
    sql,
    (at) => at<TriedRow[]>`
      select distinct on (a.network_code, a.direction, a.operation_msisdn)
             a.network_code, a.direction, a.operation_msisdn, a.status, a.failure_code,
             a.created_at
        from attempts a
       where a.gateway_id = ${gateway_id} and a.refund_of is null
         and a.operation_msisdn = any(${[...numbers]}::text[])
         and ${madeSince(at, since)}
       order by a.network_code, a.direction, a.operation_msisdn, a.created_at desc`,
  )
  // Of several groups the latest comes last, and is the one that whoever makes a map of them keeps.
  return rows.toSorted((a, b) => Number(a.created_at) - Number(b.created_at))
}

export type SeenCallback = Readonly<{ proof: CallbackProof; created_at: Date }>

/** The last of each grade of proof that belonged to an attempt. */
export async function listSeenCallbacks(
  sql: Sql,
  gateway_id: string,
  days: number,
  since: Since = null,
): Promise<ReadonlyMap<CallbackProof, SeenCallback>> {
  const rows = await eachGroup(
    sql,
    (at) => at<SeenCallback[]>`
      select c.proof, max(c.created_at) as created_at
        from gateway_callbacks c
        join attempts a on a.merchant_id = c.merchant_id and a.id = c.attempt_id
       where c.gateway_id = ${gateway_id} and ${madeSince(at, since)}
         and c.created_at > now() - ${days} * interval '1 day'
       group by c.proof`,
  )
  const latest = rows.toSorted((a, b) => Number(a.created_at) - Number(b.created_at))
  return new Map(latest.map((row) => [row.proof, row]))
}

export type CalledBack = Readonly<{
  /** Payments that the account had accepted and that ended. */
  ended: number
  /** Those of which a callback came. */
  called_back: number
  /** Those that a callback was evidence enough for. */
  decided: number
}>

/** Of payments that ended within `days`. */
export async function countCalledBack(
  sql: Sql,
  gateway_id: string,
  days: number,
): Promise<CalledBack> {
  const rows = await eachGroup(
    sql,
    (at) => at<CalledBack[]>`
      with ended as (
        select a.merchant_id, a.id, a.transaction_id
          from attempts a
         where a.gateway_id = ${gateway_id} and a.direction = 'COLLECT'
           and a.accepted_at is not null and a.status in ('SUCCESS', 'FAILED')
           and a.finished_at > now() - ${days} * interval '1 day'
      ), called as (
        select distinct c.merchant_id, c.attempt_id
          from gateway_callbacks c
         where c.gateway_id = ${gateway_id} and c.attempt_id is not null
           and c.created_at > now() - (${days} + 1) * interval '1 day'
      )
      select count(*)::int as ended, count(c.attempt_id)::int as called_back,
             count(*) filter (where exists (
               select 1 from transaction_status_logs l
                where l.merchant_id = e.merchant_id and l.transaction_id = e.transaction_id
                  and l.attempt_id = e.id and l.evidence_kind = 'CALLBACK'))::int as decided
        from ended e
        left join called c on c.merchant_id = e.merchant_id and c.attempt_id = e.id`,
  )
  const sum = (of: (row: CalledBack) => number) => rows.reduce((all, row) => all + of(row), 0)
  return {
    ended: sum(({ ended }) => ended),
    called_back: sum(({ called_back }) => called_back),
    decided: sum(({ decided }) => decided),
  }
}
