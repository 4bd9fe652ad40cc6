// One document of a merchant, or the right refusal (contract 3.5): another merchant's is refused,
// an unknown or ill-formed id is not found.

import type { Sql } from '../../platform/db.ts'
import { type Refusal, refuse } from '../../platform/errors.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { isUuid } from '../../platform/ids.ts'
import type { KycDocument } from './document.ts'
import { type DocumentKey, findRow, isOfAnother } from './store.ts'

export async function getDocument(sql: Sql, key: DocumentKey): Promise<KycDocument> {
  const document = isUuid(key.id) ? await findRow(sql, key) : undefined
  if (document === undefined) throw await whyNot(sql, key)
  return document
}

/** Only for a document that was not found under `key`. */
export async function whyNot(sql: Sql, key: DocumentKey): Promise<Refusal> {
  const elsewhere = isUuid(key.id) && (await isOfAnother(sql, key))
  return refuse(elsewhere ? transportErrors.permission_denied : transportErrors.not_found)
}
