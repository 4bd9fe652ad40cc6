// The two parts of a money statement that keep decisions 4: taking the key, and storing the answer.
// A row with a transaction_id means that something was committed under the key.

import type { Fragment, Sql } from '../db.ts'
import type { Once } from '../http/once.ts'

export type Claim = Readonly<{ transaction_id: string; attempt_id: string; lease_s: number }>

/**
 * `claimed as (…)`: one row when the key is ours to use now. A new key is inserted (a rival's
 * uncommitted row is waited for, then wins); one that was taken over is marked with what it makes.
 */
export function claimKey(sql: Sql, once: Once, claim: Claim): Fragment {
  if (once.none) return sql`claimed as (select 1 as one)`
  if (once.lease_no > 0n) {
    return sql`claimed as (
      update idempotency_keys
         set transaction_id = ${claim.transaction_id}, attempt_id = ${claim.attempt_id}
       where merchant_id = ${once.merchant_id} and environment = ${once.environment}
         and key = ${once.key} and lease_no = ${once.lease_no} and answer is null
      returning 1 as one)`
  }
  return sql`claimed as (
    insert into idempotency_keys
      (merchant_id, environment, key, fingerprint, transaction_id, attempt_id, leased_until)
    values (${once.merchant_id}, ${once.environment}, ${once.key}, ${once.fingerprint},
      ${claim.transaction_id}, ${claim.attempt_id},
      now() + ${claim.lease_s} * interval '1 second')
    on conflict (merchant_id, environment, key) do nothing
    returning 1 as one)`
}

export type Stored = Readonly<{ status: number; json: string }>

/**
 * `stored as (…)`: keeps the answer unless one is kept already (the first one stands for ever).
 * `gate` names the relation that must have a row for this to happen.
 */
export function storeAnswer(sql: Sql, once: Once, answer: Stored, gate: string): Fragment {
  if (once.none) return sql`stored as (select 1 as one)`
  return sql`stored as (
    update idempotency_keys
       set status = ${answer.status}, answer = ${answer.json}
     where merchant_id = ${once.merchant_id} and environment = ${once.environment}
       and key = ${once.key} and answer is null
       and exists (select 1 from ${sql(gate)})
    returning 1 as one)`
}

/**
 * `renewed as (…)`: the work under the key goes on for longer (another route is tried), and this is
 * what was committed under it. `gate` names the relation that must have a row.
 */
export function renewKey(sql: Sql, once: Once, claim: Claim, gate: string): Fragment {
  if (once.none) return sql`renewed as (select 1 as one)`
  return sql`renewed as (
    update idempotency_keys
       set leased_until = now() + ${claim.lease_s} * interval '1 second',
           transaction_id = ${claim.transaction_id}, attempt_id = ${claim.attempt_id}
     where merchant_id = ${once.merchant_id} and environment = ${once.environment}
       and key = ${once.key} and answer is null
       and exists (select 1 from ${sql(gate)})
    returning 1 as one)`
}
