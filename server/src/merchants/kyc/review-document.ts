// Staff decide whether one document will do. A later review replaces an earlier one. The status of
// the whole file (`kyc_status`) is decided apart, and the caller writes the audit line.

import type { Tx } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import type { KycDocument } from './document.ts'
import { findRow, lockRow, type Review, requireOwnDocument, updateReview } from './store.ts'

export type ReviewRequest = Review & Readonly<{ merchant_id: string; id: string }>

/** How the document was and is. Refuses as `readDocumentFile` does. */
export async function reviewDocument(
  tx: Tx,
  { merchant_id, id, ...review }: ReviewRequest,
): Promise<{ before: KycDocument; after: KycDocument }> {
  const key = { merchant_id, id }
  const locked = isUuid(id) ? await lockRow(tx, key) : undefined
  const before = await requireOwnDocument(tx, key, locked)
  await updateReview(tx, key, review)
  const after = await findRow(tx, key)
  assert(after !== undefined, 'a locked document is gone')
  return { before, after }
}
