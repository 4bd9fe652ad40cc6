// The merchant's KYC file as a whole: its state, and what is in it.

import type { Sql } from '../../platform/db.ts'
import type { KycDocument } from './document.ts'
import { findKyc, type KycFacts, listRows } from './store.ts'

export async function readKyc(
  sql: Sql,
  merchant_id: string,
): Promise<KycFacts & Readonly<{ documents: KycDocument[] }>> {
  const facts = await findKyc(sql, merchant_id)
  return { ...facts, documents: await listRows(sql, merchant_id) }
}
