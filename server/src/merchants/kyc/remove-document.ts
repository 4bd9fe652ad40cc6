// A member removes a document that is not reviewed yet. The row goes first, then the file: a crash
// in between leaves a sealed file that the sweep removes. When the last one goes, nothing is under
// review any more.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import { inTransaction, type Tx } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { loosenFile, removeLoose } from '../../platform/storage/loose-files.ts'
import { lockMerchant } from '../store.ts'
import type { KycDocument } from './document.ts'
import { kycErrors } from './errors.ts'
import type { FileDeps } from './read-document-file.ts'
import {
  countRows,
  deleteRow,
  findKyc,
  lockRow,
  requireOwnDocument,
  updateKycStatus,
} from './store.ts'

/** Refuses one that was reviewed, one of another merchant (403) and one that is not there (404). */
export async function removeDocument(deps: FileDeps, caller: Caller, id: string): Promise<void> {
  const removed = await inTransaction(deps.db, (tx) => removeRow(tx, caller, id))
  await removeLoose(deps, removed.storage_key)
}

async function removeRow(tx: Tx, caller: Caller, id: string): Promise<KycDocument> {
  const { merchant_id } = caller
  const key = { merchant_id, id }
  await lockMerchant(tx, merchant_id)
  const document = await requireOwnDocument(tx, key, await lockRow(tx, key))
  if (document.status !== 'PENDING') throw refuse(kycErrors.document_reviewed)
  await deleteRow(tx, key)
  await loosenFile(tx, document.storage_key)
  const { kyc_status } = await findKyc(tx, merchant_id)
  const isEmpty = (await countRows(tx, merchant_id)) === 0
  const next = isEmpty && kyc_status === 'PENDING' ? 'NONE' : kyc_status
  if (next !== kyc_status) await updateKycStatus(tx, merchant_id, next)
  await recordAct(tx, {
    merchant_id,
    environment: null,
    actor: actorOf(caller),
    action: 'kyc_document.removed',
    target_kind: 'kyc_document',
    target_id: id,
    before: { kyc_status, kind: document.kind },
    after: { kyc_status: next },
  })
  return document
}
