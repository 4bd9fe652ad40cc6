// One process's share of the worlds, in batches: after each the whole ledger is verified, which no
// single world can do. What is found names the command that plays it alone.

import { formatFound, hunt } from '../../server/test/worlds/hunt.ts'
import type { Stage } from '../../server/test/worlds/stage.ts'
import { brokenBooks } from '../../server/test/worlds/verify-books.ts'
import { unequalDays } from '../../server/test/worlds/verify-days.ts'
import type { Options } from './options.ts'
import { withStage } from './with-stage.ts'

export type Share = Readonly<
  Pick<Options, 'count' | 'seed' | 'path' | 'lanes'> & {
    /** Called once for each world played. */
    tick: () => void
    halted: () => boolean
  }
>

const batchMax = 2500
/** Each lane of a batch has a seed of its own, from the batch's seed on. */
const seedsOfBatch = 100

/** The finding, for a person; undefined when every law held in every world. */
export const playShare = (share: Share): Promise<string | undefined> =>
  withStage(async (stage) => {
    for (let batch = 0; batch * batchMax < share.count && !share.halted(); batch += 1) {
      const count = Math.min(batchMax, share.count - batch * batchMax)
      const seed = share.seed + batch * seedsOfBatch
      const wrong = await playBatch(stage, { ...share, count, seed })
      if (wrong !== undefined) return wrong
    }
    return undefined
  })

async function playBatch(stage: Stage, share: Share): Promise<string | undefined> {
  const { count, seed, path, lanes, tick, halted } = share
  const one = path === undefined ? {} : { path }
  const found = await hunt(stage, { count, seed, lanes, tick, halted, ...one })
  if (found !== undefined) return formatFound(found)
  const wrong = [
    ...(await brokenBooks(stage.owner)).map(
      ({ check, examples }) => `ledger verify: ${check}: ${examples.join('; ')}`,
    ),
    ...(await unequalDays(stage)).map((day) => `counted otherwise than it was: ${day}`),
  ]
  if (wrong.length === 0) return undefined
  return [
    ...wrong,
    `again: npm run worlds -- --seed ${seed} --count ${count} --lanes ${lanes} --processes 1`,
  ].join('\n')
}
