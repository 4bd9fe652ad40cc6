// Jobs that nobody wakes look for what is due every few seconds. A story that makes something due
// by a statement would wait for them, and ask again and again: so they are woken, as the service's
// processes wake one another (`platform/jobs/notify.ts`). A job may be woken at any time.

import type { TestDatabase } from './database.ts'

/** Those that rest for more than a second, but for upkeep. */
const jobs = [
  'announce-availability',
  'ask-broken-routes',
  'lapse-transfers',
  'match-callbacks',
  'public-keys',
  'send-refunds-again',
  'send-settlements-again',
  'start-approved-settlements',
  'start-waiting-payouts',
  'take-payouts-back',
]

/** In every process on these databases. One that is away has nobody to be woken. */
export async function hurry(databases: Iterable<TestDatabase>): Promise<void> {
  const waking = [...databases].map(({ owner }) =>
    owner.notify('pirogue_wake', ['a-story', ...jobs].join(' ')).catch(() => undefined),
  )
  await Promise.all(waking)
}
