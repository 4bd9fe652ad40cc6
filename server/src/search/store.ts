// The statement of a search: a part for each kind, all in one round trip and one snapshot.

import { foundCustomers } from '../customers/search/found-statements.ts'
import type { Sought } from '../customers/search/statements.ts'
import type { Db } from '../platform/db.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed } from '../platform/sql.ts'
import { foundTransactions } from '../transactions/search/found-statements.ts'
import type { Found } from './found.ts'
import {
  foundLinks,
  foundRefunds,
  foundSessions,
  foundSettlements,
  foundTransfers,
} from './statements.ts'

/** At most `limit` of each kind, in no order. */
export async function listFound(sql: Db, sought: Sought): Promise<Found[]> {
  const parts = [
    foundTransactions(sql, sought),
    foundCustomers(sql, sought),
    foundLinks(sql, sought),
    foundSessions(sql, sought),
    foundRefunds(sql, sought),
    foundSettlements(sql, sought),
    foundTransfers(sql, sought),
  ]
  const shown = sql`
    select kind, id, title, detail, transaction_type, transaction, status, amount, currency,
           outcome_unknown, incident, is_exact, at from`
  let all = sql`${shown} ${sql(parts[0]?.name ?? '')}`
  for (const { name } of parts.slice(1)) all = sql`${all} union all ${shown} ${sql(name)}`
  return homeOf(sql, sought.merchant_id)<Found[]>`${composed(sql, parts, all)}`
}
