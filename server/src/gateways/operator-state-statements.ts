// The statements about what operators say of how their networks work just now.

import type { Sql, Tx } from '../platform/db.ts'
import { jsonRows } from '../platform/sql.ts'
import type { NetworkState } from './published.ts'
import { states_count_minutes } from './published-columns.ts'

export type DueStates = Readonly<{ id: string; asked_at: Date }>

/** The accounts that this process asks now: on, no imitation, and asked by nobody for `every_s`. */
export const claimStates = (
  sql: Sql,
  gateway_ids: readonly string[],
  every_s: number,
): Promise<DueStates[]> => sql<DueStates[]>`
  update gateways
     set states_asked_at = clock_timestamp()
   where id = any(${[...gateway_ids]}::uuid[]) and is_active and dialect is null
     and states_asked_at <= clock_timestamp() - ${every_s} * interval '1 second'
  returning id, states_asked_at as asked_at`

/**
 * All that an operator says now, in place of what it said before. What lasted through a time in
 * which it was not read begins anew.
 */
export async function replaceStates(
  tx: Tx,
  { id, asked_at }: DueStates,
  states: readonly NetworkState[],
): Promise<void> {
  const [was] = await tx<{ is_fresh: boolean }[]>`
    update gateways n set states_read_at = ${asked_at}
      from gateways b
     where n.id = ${id} and b.id = n.id and n.states_read_at < ${asked_at}
    returning b.states_read_at
                > ${asked_at}::timestamptz - ${states_count_minutes} * interval '1 minute'
                as is_fresh`
  // A later answer than this one was kept meanwhile.
  if (was === undefined) return
  if (!was.is_fresh) await tx`delete from operator_states where gateway_id = ${id}`
  const published = jsonRows(tx, states, tx`network_code text, direction text, state text`)
  await tx`
    delete from operator_states o
     using networks n
     where o.gateway_id = ${id} and n.id = o.network_id
       and not exists (select from ${published} as s
                        where s.network_code = n.code and s.direction = o.direction)`
  await tx`
    insert into operator_states as o (gateway_id, network_id, direction, state, since)
    select ${id}, n.id, s.direction, s.state, ${asked_at}
      from ${published} as s
      join networks n on n.code = s.network_code
     order by n.id, s.direction
    on conflict (gateway_id, network_id, direction) do update
       set state = excluded.state, since = excluded.since
     where o.state <> excluded.state`
}

/** The routes whose operator says that nothing goes there just now. */
export async function listSaidClosed(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select r.id
      from operator_states o
      join gateways g on g.id = o.gateway_id
      join routes r
        on r.gateway_id = o.gateway_id and r.network_id = o.network_id
       and r.direction = o.direction
     where o.state = 'CLOSED'
       and g.states_read_at > now() - ${states_count_minutes} * interval '1 minute'`
  return rows.map(({ id }) => id)
}

/** How long ago the accounts that are on and asked were last published, at most. Seconds. */
export async function readStatesAge(sql: Sql): Promise<number> {
  const [row] = await sql<{ age_s: number }[]>`
    select coalesce(extract(epoch from now() - min(greatest(states_read_at, created_at))),
                    0)::float8 as age_s
      from gateways
     where is_active and states_asked_at > '-infinity'`
  return row?.age_s ?? 0
}
