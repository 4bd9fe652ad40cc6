// Whether callers whose call has not ended would be admitted now as they were when it began: by the
// same session in the same role, or by the same key. Counts no call and keeps no session alive.

import { sessionColumns } from '../people/sessions/store.ts'
import type { Sql } from '../platform/db.ts'
import type { Caller } from '../platform/http/route.ts'
import { jsonRows } from '../platform/sql.ts'
import { isInside } from './whitelist/ip-network.ts'

export type Admitted = Pick<
  Caller,
  'merchant_id' | 'environment' | 'session' | 'member_id' | 'api_key_id' | 'ip'
>

/** For each of them, in one statement. */
export async function areAdmitted(sql: Sql, callers: readonly Admitted[]): Promise<boolean[]> {
  const asked = callers.map(({ session, ip: _ip, ...caller }, at) => ({
    ...{ ...caller, at, session_id: session?.id ?? null, role: session?.role ?? null },
  }))
  const rows = await sql<{ at: number; ip_whitelist: string[] }[]>`
    with asked as (
      select r.at, r.merchant_id, r.member_id, r.api_key_id, r.session_id, r.role
        from ${jsonRows(
          sql,
          asked,
          sql`at int, merchant_id uuid, environment text, member_id uuid, api_key_id uuid,
            session_id uuid, role text`,
        )} as r
        join merchants m on m.id = r.merchant_id
       where r.environment = 'SANDBOX' or m.live_enabled
    )
    select a.at, k.ip_whitelist
      from asked a
      join api_keys k on k.id = a.api_key_id
     where k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    union all
    select a.at, '{}'::text[]
      from asked a
      join memberships b
        on b.merchant_id = a.merchant_id and b.person_id = a.member_id and b.role = a.role
      join lateral (
           select ${sessionColumns(sql)}
             from sessions s
             join people p on p.id = s.person_id
            where s.id = a.session_id and s.person_id = b.person_id) as found on not found.is_over`
  const lists = new Map(rows.map(({ at, ip_whitelist }) => [at, ip_whitelist]))
  return callers.map(({ ip }, at) => {
    const list = lists.get(at)
    return list !== undefined && (list.length === 0 || isInside(list, ip))
  })
}
