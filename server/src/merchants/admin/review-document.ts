// Staff review a merchant's KYC file: what is in it, each document, and whether it will do. Opening
// a person's papers leaves a line in the audit log.

import { type Act, actorOfPerson } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { requireNotDemo } from '../../catalogue/admin/require-not-demo.ts'
import { type Db, inTransaction, type Sql } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { reviewDocument } from '../kyc/change-documents.ts'
import type { KycDocument } from '../kyc/document.ts'
import { type FileDeps, listDocuments, readDocumentFile } from '../kyc/read-documents.ts'
import { holdMerchant, readMerchant } from './change-merchant.ts'

export type DocumentOf = Readonly<{ merchant_id: string; id: string }>

/** Newest first. Refuses a merchant who is not there. */
export async function documentsOf(sql: Sql, merchant_id: string): Promise<KycDocument[]> {
  await readMerchant(sql, merchant_id)
  return listDocuments(sql, merchant_id)
}

/** To the staff another merchant's document is not found here, like one that is not there. */
function requireAmong(all: readonly KycDocument[], id: string): void {
  if (!all.some((one) => one.id === id)) throw refuse(transportErrors.not_found)
}

export async function openDocument(
  deps: FileDeps,
  person: Person,
  of: DocumentOf,
): Promise<{ document: KycDocument; bytes: Buffer }> {
  await requireNotDemo(deps.db, person)
  requireAmong(await documentsOf(deps.db, of.merchant_id), of.id)
  const opened = await readDocumentFile(deps, of.merchant_id, of.id)
  await recordAct(deps.db, { ...actOn(person, of), action: 'kyc_document.opened' })
  return opened
}

export type Judgement = Readonly<{ status: 'APPROVED' | 'REJECTED'; note: string }>

/** The file as a whole is approved or rejected apart. A later review replaces an earlier one. */
export const judgeDocument = (
  db: Db,
  person: Person,
  of: DocumentOf,
  judgement: Judgement,
): Promise<KycDocument> =>
  inTransaction(db, async (tx) => {
    await requireNotDemo(tx, person)
    await holdMerchant(tx, of.merchant_id)
    requireAmong(await listDocuments(tx, of.merchant_id), of.id)
    const review = { ...of, ...judgement, reviewed_by: person.person_id }
    const { before, after } = await reviewDocument(tx, review)
    await recordAct(tx, {
      ...actOn(person, of),
      action: 'kyc_document.reviewed',
      before: auditView(before),
      after: auditView(after),
    })
    return after
  })

const auditView = ({ status, note }: KycDocument) => ({ status, note })

const actOn = (person: Person, { merchant_id, id }: DocumentOf): Omit<Act, 'action'> => ({
  merchant_id,
  environment: null,
  actor: actorOfPerson(person),
  target_kind: 'kyc_document',
  target_id: id,
})
