// The statement of a search: a part for each kind, all in one round trip and one snapshot; keys
// have one of their own, since they stand with control wherever their merchant's records are.

import { foundCustomers } from '../customers/search/found-statements.ts'
import type { Sought } from '../customers/search/statements.ts'
import type { Db, Fragment, Sql } from '../platform/db.ts'
import { control, homeOf } from '../platform/places/places.ts'
import { composed } from '../platform/sql.ts'
import { foundTransactions } from '../transactions/search/found-statements.ts'
import type { Found } from './found.ts'
import {
  foundKeys,
  foundLinks,
  foundRefunds,
  foundSessions,
  foundSettlements,
  foundTransfers,
} from './statements.ts'

const shown = (sql: Sql): Fragment => sql`
  select kind, id, title, detail, transaction_type, transaction, status, amount, currency,
         outcome_unknown, incident, rotated_to, last_used_at, is_exact, at from`

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
  let all = sql`${shown(sql)} ${sql(parts[0]?.name ?? '')}`
  for (const { name } of parts.slice(1)) all = sql`${all} union all ${shown(sql)} ${sql(name)}`
  return homeOf(sql, sought.merchant_id)<Found[]>`${composed(sql, parts, all)}`
}

/** At most `limit` of the merchant's API keys, in no order. */
export async function listFoundKeys(sql: Db, sought: Sought): Promise<Found[]> {
  const keys = foundKeys(sql, sought)
  const all = sql`${shown(sql)} ${sql(keys.name)}`
  return control(sql)<Found[]>`${composed(sql, [keys], all)}`
}
