// The statements about public keys of operators.

import type { Sql } from '../platform/db.ts'
import type { PublishedKey } from './gateway.ts'

/** Which of these gateways this process may ask for its keys now. Seconds. */
export async function claimKeyReading(
  sql: Sql,
  gateway_ids: readonly string[],
  { every_s, soonest_s }: Readonly<{ every_s: number; soonest_s: number }>,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    update gateways
       set keys_asked_at = now(), keys_wanted = false
     where id = any(${[...gateway_ids]}::uuid[])
       and (keys_asked_at <= now() - ${every_s} * interval '1 second'
            or (keys_wanted and keys_asked_at <= now() - ${soonest_s} * interval '1 second'))
    returning id`
  return rows.map(({ id }) => id)
}

/** Written once, however many callbacks want it. */
export async function updateKeysWanted(sql: Sql, gateway_id: string): Promise<void> {
  await sql`
    update gateways set keys_wanted = true where id = ${gateway_id} and not keys_wanted`
}

/** What an operator shows now is good from now on, and nothing else. */
export async function saveKeys(
  sql: Sql,
  gateway_id: string,
  keys: readonly PublishedKey[],
): Promise<void> {
  await sql`
    insert into gateway_keys as k (gateway_id, key_id, pem)
    select ${gateway_id}, r.id, r.pem
      from jsonb_to_recordset(${sql.json([...keys])}) as r (id text, pem text)
     -- Of two with one id the operator means one: neither is taken on trust before the other.
     where (select count(*) from jsonb_to_recordset(${sql.json([...keys])}) as o (id text)
             where o.id = r.id) = 1
    on conflict (gateway_id, key_id) do update
       set pem = excluded.pem, last_seen = now()`
}
