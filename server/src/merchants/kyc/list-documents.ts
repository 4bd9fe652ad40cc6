// The documents of one merchant's KYC file, newest first; for himself and for the staff.

import type { Sql } from '../../platform/db.ts'
import type { KycDocument } from './document.ts'
import { listRows } from './store.ts'

export const listDocuments = (sql: Sql, merchant_id: string): Promise<KycDocument[]> =>
  listRows(sql, merchant_id)
