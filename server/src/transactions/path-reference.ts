// A transaction's reference (`TXN-…`) where a merchant's path has its id (contract 8.18). Staff's
// paths take ids alone.

import type { Db } from '../platform/db.ts'
import type { PathReference } from '../platform/http/path-reference.ts'
import { findIdByReference } from './store.ts'

/** The name of the part of a route's path that is a transaction's id. */
const partOf = (path: string): string | undefined =>
  /^\/(?:sandbox\/)?(?:transactions|payments|payouts)\/:(\w+)\//.exec(path)?.[1]

export const transactionReference = (db: Db): PathReference => ({
  partOf,
  prefix: 'TXN-',
  meaning: 'The transaction’s id, or its reference (`TXN-…`).',
  find: (caller, reference) => findIdByReference(db, caller, reference),
})
