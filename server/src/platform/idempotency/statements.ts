// The two parts of a money statement that keep contract 4: claiming the key, and storing the
// answer. A row with a transaction_id shows that something was committed under the key.

import type { Fragment, Sql } from '../db.ts'
import type { Once } from '../http/route.ts'
import { pack } from '../packed/pack.ts'
import { type Gate, jsonRows, type Part, part, type Relation } from '../sql.ts'

export type Claim = Readonly<{
  transaction_id: string
  attempt_id: string
  lease_s: number
  /** The answer has a person, or texts that may: it is rewritten when the person is erased. */
  names_person?: true
}>

/** A call's key and what it makes; `claimed` has the transaction's id for it. */
export type Claiming = Readonly<{ once: Once; claim: Claim }>

/**
 * `claim_made, …, claimed as (…)`: a row `id` (the transaction's) for each key that is ours to use
 * now. A new key is inserted (a rival's uncommitted row is waited for, then wins); one that was
 * taken over is marked with what it makes; a call without a key always has its row. Sorted, so that
 * two processes do not deadlock on each other's keys.
 */
export function claimKeys(sql: Sql, claims: readonly Claiming[]): Part {
  const rows = claims
    .flatMap(({ once, claim }) => (once.none ? [] : [{ ...rowOf(once), ...claim }]))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const made = rows.filter(({ lease_no }) => lease_no === 0n)
  const taken = rows.filter(({ lease_no }) => lease_no > 0n)
  const free = claims.flatMap(({ once, claim }) => (once.none ? [claim.transaction_id] : []))
  const is_naming = claims.some(({ claim }) => claim.names_person)
  const whenNaming = (text: Fragment) => (is_naming ? text : sql``)
  return part(
    'claimed',
    sql`claim_made as (
      insert into idempotency_keys
        (merchant_id, environment, key, fingerprint, transaction_id, attempt_id,
         leased_until${whenNaming(sql`, names_person`)})
      select r.merchant_id, r.environment, r.key, decode(r.fingerprint, 'base64'),
             r.transaction_id, r.attempt_id,
             now() + r.lease_s * interval '1 second'${whenNaming(sql`, true`)}
        from ${jsonRows(
          sql,
          made,
          sql`
        merchant_id uuid, environment text, key text, fingerprint text,
        transaction_id uuid, attempt_id uuid, lease_s int`,
        )} as r
      on conflict (merchant_id, environment, key) do nothing
      returning transaction_id as id)`,
    ...(taken.length === 0 ? [] : [claimTaken(sql, taken, whenNaming(sql`, names_person = true`))]),
    sql`claimed as (
      select id from claim_made
      ${taken.length === 0 ? sql`` : sql`union all select id from claim_taken`}
      ${free.length === 0 ? sql`` : sql`union all select unnest(${free}::uuid[])`})`,
  )
}

type Key = Extract<Once, { none: false }>

const rowOf = ({ merchant_id, environment, key, fingerprint, lease_no }: Key) => ({
  merchant_id,
  environment,
  key,
  fingerprint: fingerprint.toString('base64'),
  lease_no,
})

const claimTaken = (
  sql: Sql,
  rows: readonly object[],
  naming: Fragment,
): Fragment => sql`claim_taken as (
  update idempotency_keys k
     set transaction_id = r.transaction_id, attempt_id = r.attempt_id${naming}
    from ${jsonRows(
      sql,
      rows,
      sql`
        merchant_id uuid, environment text, key text, lease_no bigint,
        transaction_id uuid, attempt_id uuid`,
    )} as r
   where k.merchant_id = r.merchant_id and k.environment = r.environment and k.key = r.key
     and k.lease_no = r.lease_no and k.status is null
  returning k.transaction_id as id)`

export type Stored = Readonly<{ status: number; json: string }>

/** An answer, its key, and the id in the gate relation that lets it be kept. */
export type Storing = Readonly<{ once: Once; answer: Stored; gate_id: string }>

/**
 * `answer_kept, stored as (…)`: keeps each answer unless one is kept already (the first one stays
 * for ever); a row `id` (its gate) for each that was kept, and for each call without a key that
 * `when` let through.
 */
export function storeAnswers(sql: Sql, answers: readonly Storing[], { when }: Gate): Part {
  const rows = answers.flatMap(({ once, answer, gate_id }) =>
    once.none ? [] : [{ ...rowOf(once), ...packedAnswer(answer), gate_id }],
  )
  const free = answers.flatMap(({ once, gate_id }) => (once.none ? [gate_id] : []))
  return part(
    'stored',
    sql`answer_kept as (
    update idempotency_keys k
       set status = r.status, packed = decode(r.packed, 'base64')
      from ${jsonRows(
        sql,
        rows,
        sql`
        merchant_id uuid, environment text, key text, status int, packed text,
        gate_id uuid`,
      )} as r
     where k.merchant_id = r.merchant_id and k.environment = r.environment and k.key = r.key
       and k.status is null
       and exists (select 1 from ${sql(when.name)} g where g.id = r.gate_id)
    returning r.gate_id as id)`,
    sql`stored as (
    select id from answer_kept
    ${free.length === 0 ? sql`` : letThrough(sql, free, when)})`,
  )
}

const packedAnswer = ({ status, json }: Stored) => ({
  status,
  packed: pack(json).toString('base64'),
})

/** A call without a key keeps nothing, and is answered only if what it did was done. */
const letThrough = (sql: Sql, ids: readonly string[], when: Relation): Fragment => sql`
  union all select g.id from ${sql(when.name)} g where g.id = any(${[...ids]}::uuid[])`

/**
 * `renewed as (…)`: the work under the key takes longer (another route is tried), and this was
 * committed under it. `when` must have a row.
 */
export function renewKey(sql: Sql, once: Once, claim: Claim, { when }: Gate): Part<'one'> {
  if (once.none) return part('renewed', sql`renewed as (select 1 as one)`)
  const naming = claim.names_person ? sql`, names_person = true` : sql``
  const renewed = sql`renewed as (
    update idempotency_keys
       set leased_until = now() + ${claim.lease_s} * interval '1 second',
           transaction_id = ${claim.transaction_id}, attempt_id = ${claim.attempt_id}${naming}
     where merchant_id = ${once.merchant_id} and environment = ${once.environment}
       and key = ${once.key} and status is null
       and exists (select 1 from ${sql(when.name)})
    returning 1 as one)`
  return part('renewed', renewed)
}
