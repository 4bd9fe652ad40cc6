// `announce-availability`: sees that a network closed, or works again, and makes an event of it for
// each merchant that asks for it by name. What is seen is recorded before anybody is sent anything,
// so whoever dies leaves the rest to the next run; a merchant's mark makes it one event, whatever
// happens. One process at a time looks, for the sake of the work: the statements hold without it.

import type { FeedKey } from '../../events/event.ts'
import { sequencersOf } from '../../events/feed.ts'
import { availabilityOf } from '../../gateways/availability.ts'
import { listFares } from '../../gateways/availability-store.ts'
import { nilId } from '../../ledger/account.ts'
import { type Db, retryOnDeadlock } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { takeLease } from '../../platform/jobs/leases.ts'
import type { OnFault } from '../../platform/jobs/troubles.ts'
import type { Job } from '../../platform/jobs/worker.ts'
import { groupsOf } from '../../platform/places/places.ts'
import { newsOf } from './change.ts'
import {
  announceTo,
  finishChange,
  listAsking,
  listOpenChanges,
  listStates,
  listWorkingIn,
  moveStates,
  type OpenChange,
} from './store.ts'

export type AnnounceDeps = Readonly<{
  db: Db
  /** Wakes a job of this process, and of the others. */
  wake: (name: string) => void
  /** Milliseconds since 1970; by itself this process's. */
  clock?: () => number
}>

const name = 'announce-availability'
const every_ms = 5_000
const lease_s = 30
/** Read at once; a run has all that are open. */
const changes_at_once = 50
/** Whose feeds are locked together, for as long as one commit takes. */
const merchants_at_once = 100

export function announceAvailability(deps: AnnounceDeps): Job {
  return {
    name,
    poll_ms: every_ms,
    async run({ signal, onFault }) {
      if ((await takeLease(deps.db, name, lease_s)) === undefined) return 'rest'
      await noticeChanges(deps)
      await announceChanges(deps, { signal, onFault })
      return 'rest'
    },
  }
}

const environments: readonly Environment[] = ['SANDBOX', 'LIVE']

/** Records what has changed since it was last announced; how many changes there are. */
export async function noticeChanges({
  db,
  clock = Date.now,
}: Omit<AnnounceDeps, 'wake'>): Promise<number> {
  const fares = await listFares(db)
  let changes = 0
  for (const environment of environments) {
    const now_ms = clock()
    const rows = availabilityOf(fares, environment, now_ms)
    const known = await listStates(db, environment)
    changes += await moveStates(db, newsOf(rows, known, { environment, now_ms }))
  }
  return changes
}

type Running = Readonly<{ signal?: AbortSignal; onFault?: OnFault | undefined }>

/**
 * Makes the events of what was recorded, oldest change first in each place, however many wait for a
 * place that is away.
 */
export async function announceChanges(
  deps: Omit<AnnounceDeps, 'clock'>,
  running: Running = {},
): Promise<void> {
  const groups = groupsOf(deps.db)
  let places: readonly Db[] = groups.length === 0 ? [deps.db] : groups
  let isOfAll = true
  let last: OpenChange | undefined
  do {
    const open = await listOpenChanges(deps.db, changes_at_once, last)
    last = open.at(-1)
    // How many of these every place has had.
    let finished = isOfAll ? open.length : 0
    const on: Db[] = []
    for (const at of places) {
      const done = await announceAll(deps, { at, open, isOne: groups.length === 0, ...running })
      finished = Math.min(finished, done)
      if (done === open.length) on.push(at)
    }
    for (const { id } of open.slice(0, finished)) await finishChange(deps.db, id)
    isOfAll &&= on.length === places.length
    places = on
  } while (last !== undefined && places.length > 0)
}

type Place = Running & Readonly<{ at: Db; open: readonly OpenChange[]; isOne: boolean }>

/** How many of these the place has had. */
async function announceAll(
  deps: Omit<AnnounceDeps, 'clock'>,
  { at, open, isOne, signal, onFault }: Place,
): Promise<number> {
  let done = 0
  try {
    for (const change of open) {
      if (!(await announceIn(deps, { at, change, signal }))) break
      done += 1
    }
  } catch (error) {
    // A place that is away keeps no other waiting; it has what it missed in order, later.
    if (isOne) throw error
    onFault?.('a shard group', error)
  }
  return done
}

type Announcing = Readonly<{ at: Db; change: OpenChange; signal: AbortSignal | undefined }>

/** False where it was broken off. */
async function announceIn(
  { db, wake }: Omit<AnnounceDeps, 'clock'>,
  { at, change, signal }: Announcing,
): Promise<boolean> {
  const { environment, country_code } = change
  let after = nilId
  for (;;) {
    if (signal?.aborted === true) return false
    const asking = await listAsking(at, change, { after, limit: merchants_at_once })
    const last = asking.at(-1)
    if (last === undefined) return true
    const merchant_ids = asking.map(({ merchant_id }) => merchant_id)
    const served = await listWorkingIn(db, merchant_ids, country_code)
    const made = await retryOnDeadlock(() => announceTo(at, change, served))
    for (const merchant_id of made) {
      const feed: FeedKey = { merchant_id, environment }
      wake(sequencersOf(feed))
    }
    if (asking.length < merchants_at_once) return true
    after = last.merchant_id
  }
}
