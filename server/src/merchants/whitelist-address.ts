// An address from which a merchant's server may pay out (decisions 3.4, 3.5).

import type { Sql } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { insertWhitelistEntry } from './store.ts'

/** Adds an address (v4, v6 or CIDR, already checked); one that is listed stays as it is. */
export const whitelistAddress = (
  sql: Sql,
  entry: Readonly<{ merchant_id: string; ip_address: string; label: string }>,
): Promise<void> => insertWhitelistEntry(sql, { ...entry, id: newId() })
