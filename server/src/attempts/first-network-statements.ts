// Which network a transaction was first asked on: what is counted by networks stays as it was
// counted, though a payment is asked for again elsewhere.

import type { Fragment, Sql } from '../platform/db.ts'

/** Of the transaction `t`; no row where nobody was asked yet. */
export const firstNetwork = (sql: Sql): Fragment => sql`
  select a.network_code from attempts a
   where a.merchant_id = t.merchant_id and a.transaction_id = t.id
   order by a.created_at, a.id limit 1`
