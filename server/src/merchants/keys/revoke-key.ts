// A key ends: from the next call on it is refused everywhere, since every call reads its row.

import type { Sql } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { revokeKeyRow } from './store.ts'

/** Revoking twice keeps the first moment. Refuses an id that is no key's. */
export async function revokeKey(sql: Sql, id: string): Promise<void> {
  if (isUuid(id) && (await revokeKeyRow(sql, id))) return
  throw refuse(transportErrors.not_found, {
    message: { en: `There is no API key ${id}.`, fr: `Il n’y a pas de clé API ${id}.` },
  })
}
