// The command line of the worlds.

import { parseArgs } from 'node:util'
import { randomSeed, wholeNumber } from '../command/command-line.ts'

export type Options = Readonly<{
  count: number
  seed: number
  /** One world of the seed, as reported by the run that found it; then it is played alone. */
  path: string | undefined
  /** How many worlds a process plays at a time. */
  lanes: number
  processes: number
}>

/** Fewer are played sooner than another PostgreSQL starts. */
const worthAnother = 500

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      count: { type: 'string', default: '2000' },
      seed: { type: 'string', default: randomSeed() },
      path: { type: 'string' },
      lanes: { type: 'string' },
      processes: { type: 'string' },
    },
  })
  const { path } = values
  const count = path === undefined ? wholeNumber('count', values.count) : 1
  // A path leads to its world under its own seed only, and only one run has that seed.
  const lanes = path === undefined ? (values.lanes ?? '6') : '1'
  const processes = count < worthAnother ? '1' : (values.processes ?? '2')
  return {
    count,
    seed: wholeNumber('seed', values.seed),
    path,
    lanes: wholeNumber('lanes', lanes),
    processes: wholeNumber('processes', processes),
  }
}
