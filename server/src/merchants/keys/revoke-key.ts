// A key ends, by the command line: from the next call on it is refused everywhere, since every call
// reads its row.

import { systemActor } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import type { Sql } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { lockAnyKey, revokeKeyRow } from './store.ts'

/**
 * All of it or nothing, in the caller's transaction. Does nothing when repeated. Refuses an unknown
 * id.
 */
export async function revokeKey(sql: Sql, id: string): Promise<void> {
  const key = isUuid(id) ? await lockAnyKey(sql, id) : undefined
  if (key === undefined) throw noKey(id)
  if (key.is_revoked) return
  await revokeKeyRow(sql, id)
  await recordAct(sql, {
    merchant_id: key.merchant_id,
    environment: key.environment,
    actor: systemActor,
    action: 'api_key.revoked',
    target_kind: 'api_key',
    target_id: id,
    after: { status: 'REVOKED' },
  })
}

const noKey = (id: string) =>
  refuse(transportErrors.not_found, {
    message: { en: `There is no API key ${id}.`, fr: `La clé API ${id} n’existe pas.` },
  })
