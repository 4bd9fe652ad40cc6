// `index-customers`: makes the search rows of new customers, in portions, minutes after the payment
// that made them; until then a search looks at the customers themselves. Several workers may do it
// at once: each skips an owner whose mark another has locked.
//
// Only customers of more than three minutes ago are taken. A customer's time is that at which their
// transaction began, and they are seen when it commits: were the mark moved to the newest one that
// is seen, one that began before and commits later would lie behind it, and no search would find
// it. No statement takes longer than two minutes and no transaction rests longer than one
// (platform/db.ts), so by then every customer that was under way is there or never will be.

import { type Db, retryOnDeadlock, type Tx } from '../../platform/db.ts'
import type { Job } from '../../platform/jobs/worker.ts'
import { indexSettled, indexThese, insertMark, listBehind, reindexChanged } from './store.ts'

/** Commits need not be durable: a lost mark is lost with its rows, and both are made again. */
type Deps = Readonly<{ quick: Db }>

const owners_at_once = 200
const customers_at_once = 1_000
const every_ms = 30_000

export function indexCustomers({ quick }: Deps): Job {
  return {
    name: 'index-customers',
    poll_ms: every_ms,
    async run({ signal }) {
      const owners = await listBehind(quick, owners_at_once)
      let full = false
      for (const owner of owners) {
        if (signal.aborted) return 'rest'
        await insertMark(quick, owner)
        const read = await retryOnDeadlock(() => indexSettled(quick, owner, customers_at_once))
        full ||= read === customers_at_once
      }
      return full || owners.length === owners_at_once ? 'more' : 'rest'
    },
  }
}

/** Far longer than the job rests, and than an upgrade leaves two versions beside each other. */
const changed_within_hours = 48

/** A version that knew no search rows changes and erases customers without them. */
export const indexChanged = (quick: Db): Promise<number> =>
  retryOnDeadlock(() => reindexChanged(quick, changed_within_hours))

/** For customers that were made up, in a past that the mark has gone by. */
export const indexMadeUpCustomers = (
  tx: Tx,
  merchant_id: string,
  ids: readonly string[],
): Promise<void> => indexThese(tx, merchant_id, ids)
