// Bars by the clock on the wall, which whatever else runs on the machine stretches. `npm run proof`
// runs the test files that import this after all others, one at a time (`proof-files.ts`).

import { availableParallelism, loadavg } from 'node:os'

/** How much longer things take among others: 1 up to so many tasks a core, else in proportion. */
export const crowd = (tasks_a_core = 2): number =>
  Math.max(1, (loadavg()[0] ?? 0) / availableParallelism() / tasks_a_core)
