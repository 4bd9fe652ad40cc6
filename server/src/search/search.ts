// One search over what a merchant has: transactions, customers, links, sessions, refunds,
// settlements, transfers; a few of each, in one round trip. Beside them the keys, for people alone:
// whoever holds a key lists no keys (contract 3.4).

import { readTerms } from '../customers/search/terms.ts'
import type { Db } from '../platform/db.ts'
import type { Caller } from '../platform/http/route.ts'
import { isUuid } from '../platform/ids.ts'
import { type Found, foundKinds } from './found.ts'
import { listFound, listFoundKeys } from './store.ts'

/** How many of a kind are shown. */
export const each_max = 5

/** How many of the newest of each kind are looked at before any index of words. */
const looked_through = 2_000

export type Group = Readonly<{ kind: Found['kind']; more: boolean; results: readonly Found[] }>

/** A group for each kind that has any; first those that have the very thing that was typed. */
export async function search(
  db: Db,
  { merchant_id, environment, via }: Pick<Caller, 'merchant_id' | 'environment' | 'via'>,
  q: string,
): Promise<readonly Group[]> {
  const typed = q.trim()
  const sought = {
    ...{ merchant_id, environment, typed, steps: looked_through, limit: each_max + 1 },
    id: isUuid(typed) ? typed.toLowerCase() : undefined,
    terms: readTerms(typed),
  }
  const [records, keys] = await Promise.all([
    listFound(db, sought),
    via === 'SESSION' ? listFoundKeys(db, sought) : [],
  ])
  const found = [...records, ...keys]
  const groups = foundKinds.map((kind) => groupOf(found, kind))
  const [exact, others] = [true, false].map((wanted) =>
    groups.filter(({ results }) => (results[0]?.is_exact ?? false) === wanted),
  )
  return [...(exact ?? []), ...(others ?? [])].filter(({ results }) => results.length > 0)
}

function groupOf(found: readonly Found[], kind: Found['kind']): Group {
  const ofKind = found
    .filter((one) => one.kind === kind)
    .sort((a, b) => Number(b.is_exact) - Number(a.is_exact) || b.at.getTime() - a.at.getTime())
  return { kind, more: ofKind.length > each_max, results: ofKind.slice(0, each_max) }
}
