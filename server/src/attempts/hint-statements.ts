// A callback that decides nothing by itself, as one statement: whose attempt it names, the callback
// kept, and the attempt woken, all or none. Those that come while others are being taken are taken
// together (docs/decisions/0011).

import { batchCalls, perBatchPool } from '../platform/batch-calls.ts'
import { int, omitColumns, orNull, type RowOf, text, typedList, uuid } from '../platform/columns.ts'
import { type Db, retryOnDeadlock, type Sql } from '../platform/db.ts'
import { idFromHash, timeOfId } from '../platform/ids.ts'
import { composed, type Gate, jsonRows, type Part, part, selectIds } from '../platform/sql.ts'
import type { AttemptKeyOf } from './attempt.ts'
import { callbackRow, unsignedKeptMost } from './callback-statements.ts'
import { wakeAttempts } from './statements.ts'

/** A callback, as it is kept of the attempt that it names; `attempt_id` is never null here. */
const hintRow = {
  ...omitColumns(callbackRow, ['gate_id', 'attempt_id']),
  attempt_id: uuid(),
  /** Whose the attempt must be: an operator speaks of its own only. */
  gateway_code: text(),
  outcome: text<'WOKE' | 'WAITING'>(),
  /** When it is looked at again; null for never. Seconds. */
  due_after_s: orNull(int()),
  /** How long after the last question its attempt is asked about, at the earliest. Seconds. */
  rest_s: int(),
}
export type Hint = RowOf<typeof hintRow>

/** False when there is no such attempt of this operator's: then nothing is kept or woken. */
export const takeHint = (db: Db, hint: Hint): Promise<boolean> => hintBatch(db, hint)(hint)

const hintBatch = perBatchPool((at) =>
  batchCalls<Hint, boolean>({
    run: (hints) => takeHints(at, hints),
    // The second of one attempt counts what is kept with the first.
    names: ({ attempt_id }) => [attempt_id],
    owner: ({ merchant_id }) => merchant_id,
    most: hints_most,
  }),
)

/** A callback may have 64 kB, and a batch is one text. */
const hints_most = 32

async function takeHints(at: Db, unsorted: readonly Hint[]): Promise<boolean[]> {
  const hints = unsorted.toSorted((a, b) => (a.attempt_id < b.attempt_id ? -1 : 1))
  const named = namedAttempts(at, hints)
  const parts = [named, keepHints(at, { when: named }), wakeAttempts(at, { when: named })]
  const rows = await retryOnDeadlock(() => composed(at, parts, selectIds(at, named)))
  const theirs = new Set(rows.map((row) => row['id']))
  return unsorted.map(({ attempt_id }) => theirs.has(attempt_id))
}

/** `named as (…)`: the hints whose attempt is the operator's who calls; `id` is the attempt's. */
function namedAttempts(sql: Sql, hints: readonly Hint[]): Part<HintColumn> {
  const rows = hints.map((hint) => ({ ...hint, ...idsOf(hint) }))
  const columns = sql`${typedList(sql, hintRow)}, first_id uuid, last_id uuid`
  const named = sql`named as materialized (
    select r.id as callback_id, a.id, r.merchant_id, r.environment, r.gateway_id, r.proof, r.raw,
           r.body_hash, r.request, r.outcome, r.due_after_s, r.rest_s, r.first_id, r.last_id
      from ${jsonRows(sql, rows, columns)} as r
      join attempts a on a.merchant_id = r.merchant_id and a.id = r.attempt_id
                     and a.gateway_code = r.gateway_code)`
  return part('named', named)
}

type HintColumn = 'id' | 'merchant_id' | 'rest_s' | 'callback_id'

/** Callbacks of an attempt have ids of its own millisecond, so the primary key finds them. */
function idsOf({ id }: Pick<AttemptKeyOf, 'id'>) {
  const ms = timeOfId(id)
  const at = (byte: number) => idFromHash(ms, Buffer.alloc(32, byte))
  return { first_id: at(0x00), last_id: at(0xff) }
}

/**
 * `hint_kept as (…)`: a repeated callback is kept once, the signed one in place of another; of
 * those that nothing proves only so many are kept of one attempt, further ones only wake it.
 */
function keepHints(sql: Sql, { when }: Gate<HintColumn>): Part<never> {
  const kept = sql`hint_kept as (
    insert into gateway_callbacks (merchant_id, id, environment, gateway_id, attempt_id, proof,
      raw, body_hash, request, outcome, due_at)
    select n.merchant_id, n.callback_id, n.environment, n.gateway_id, n.id, n.proof,
           decode(n.raw, 'base64'), decode(n.body_hash, 'base64'), n.request, n.outcome,
           now() + n.due_after_s * interval '1 second'
      from ${sql(when.name)} n
     where n.proof = 'SIGNED' or ${unsignedKeptMost} > (
             select count(*) from (
               select 1 from gateway_callbacks k
                where k.merchant_id = n.merchant_id and k.attempt_id = n.id
                  and k.id between n.first_id and n.last_id
                limit ${unsignedKeptMost}) as so_far)
    on conflict (merchant_id, id) do update
       set proof = excluded.proof, request = excluded.request, outcome = excluded.outcome,
           due_at = excluded.due_at
     where excluded.proof = 'SIGNED' and gateway_callbacks.proof <> 'SIGNED')`
  return part('hint_kept', kept)
}
