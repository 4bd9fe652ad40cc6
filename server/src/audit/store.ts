// The audit log's own statements: rows are added and read, never changed.

import type { Sql } from '../platform/db.ts'
import type { Act } from './audit.ts'

const jsonOf = (fields: Act['before']): string | null =>
  fields === undefined || fields === null ? null : JSON.stringify(fields)

export async function insertAct(sql: Sql, id: string, act: Act): Promise<void> {
  const { actor } = act
  await sql`
    insert into audit_logs (merchant_id, id, environment, actor_kind, actor_id, actor_role, action,
      target_kind, target_id, ip, request_id, before, after)
    values (${act.merchant_id}, ${id}, ${act.environment}, ${actor.kind}, ${actor.id},
      ${actor.role}, ${act.action}, ${act.target_kind}, ${act.target_id}, ${actor.ip},
      ${actor.request_id}, ${jsonOf(act.before)}::text::jsonb, ${jsonOf(act.after)}::text::jsonb)`
}
