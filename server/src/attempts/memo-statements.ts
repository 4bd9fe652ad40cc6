// What operators gave for us to remember about an attempt: sealed, written with the answer that
// brought it, and gone thirty days after the attempt's end.

import type { Memo } from '../gateways/gateway.ts'
import { batchCalls, batchPool, perPool } from '../platform/batch-calls.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import type { Db, Sql } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { isFields, readFields } from '../platform/json-fields.ts'
import { eachGroup, homeOf } from '../platform/places/places.ts'
import { type Gate, jsonRows, type Part, part } from '../platform/sql.ts'
import type { AttemptKeyOf } from './attempt.ts'

export type Seals = Pick<Keyring, 'seal' | 'unseal'>

/** What the text is bound to, by the primary key of its row. */
export const memoBinding = ([merchant_id = '', attempt_id = '']: readonly string[]): string =>
  `attempt_memos:${merchant_id}:${attempt_id}`

const bindingOf = ({ merchant_id, id }: AttemptKeyOf) => memoBinding([merchant_id, id])

/** Sealed, in Base64: as a statement takes it. */
export function sealMemo(seals: Seals | undefined, key: AttemptKeyOf, memo: Memo): string {
  assert(seals !== undefined, `nothing seals what attempt ${key.id} must remember`)
  return seals.seal(JSON.stringify(memo), bindingOf(key)).toString('base64')
}

export type SealedMemo = Readonly<{ merchant_id: string; id: string; sealed_memo: string }>

/** `memo_kept as (…)`: while the attempts of `when` are accepted; a newer answer's is the one. */
export function keepMemos(sql: Sql, rows: readonly SealedMemo[], { when }: Gate): Part<never> {
  const kept = sql`memo_kept as (
    insert into attempt_memos as m (merchant_id, attempt_id, sealed)
    select r.merchant_id, r.id, decode(r.sealed_memo, 'base64')
      from ${jsonRows(sql, rows, sql`merchant_id uuid, id uuid, sealed_memo text`)} as r
     where exists (select 1 from ${sql(when.name)} g where g.id = r.id)
    on conflict (merchant_id, attempt_id) do update set sealed = excluded.sealed)`
  return part('memo_kept', kept)
}

/** Undefined where there is none, or no more. */
export async function findMemo(
  { db, seals }: Readonly<{ db: Db; seals?: Seals | undefined }>,
  key: AttemptKeyOf,
): Promise<Memo | undefined> {
  if (seals === undefined) return undefined
  const { merchant_id, id } = key
  const sealed = await memoBatch(homeOf(batchPool(db, 'LIVE'), merchant_id))({ merchant_id, id })
  if (sealed === undefined) return undefined
  const fields = readFields(seals.unseal(sealed, bindingOf(key)))
  assert(isFields(fields) && typeof fields['ask'] === 'string', `memo of ${key.id} is unreadable`)
  const { ask, notice } = fields
  return typeof notice === 'string' ? { ask, notice } : { ask }
}

/** It waits for no row, so both environments may share it (docs/decisions/0011). */
const memoBatch = perPool((db) =>
  batchCalls<AttemptKeyOf, Buffer | undefined>({
    run: async (keys) => {
      const rows = await listSealedMemos(db, keys)
      const found = new Map(rows.map(({ attempt_id, sealed }) => [attempt_id, sealed]))
      return keys.map(({ id }) => found.get(id))
    },
  }),
)

async function listSealedMemos(
  at: Sql,
  keys: readonly AttemptKeyOf[],
): Promise<{ attempt_id: string; sealed: Buffer }[]> {
  return at`
    select m.attempt_id, m.sealed
      from ${jsonRows(at, keys, at`merchant_id uuid, id uuid`)} as k
      join attempt_memos m on m.merchant_id = k.merchant_id and m.attempt_id = k.id`
}

const keptDays = 30

/** Removes at most `limit`, of attempts that ended so long ago; how many. */
export async function dropOldMemos(sql: Sql, limit = 1_000): Promise<number> {
  const rows = await eachGroup(
    sql,
    (at) => at`
    delete from attempt_memos m
     using (select o.merchant_id, o.attempt_id
              from attempt_memos o
              join attempts a on a.merchant_id = o.merchant_id and a.id = o.attempt_id
             where o.created_at < now() - ${keptDays} * interval '1 day'
               and a.finished_at < now() - ${keptDays} * interval '1 day'
             order by o.created_at limit ${limit}) as old
     where m.merchant_id = old.merchant_id and m.attempt_id = old.attempt_id
    returning 1 as one`,
  )
  return rows.length
}
