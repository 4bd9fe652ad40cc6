// How a test's database is called: by the run, by the worker that asked for it, and by chance.
import { randomBytes } from 'node:crypto'

/** Starts the name of each database of a run. */
export const prefixOfRun = (run: string): string => `pirogue_test_${run}_`

export const nameForWorker = (prefix: string): string =>
  `${prefix}${process.pid}_${randomBytes(6).toString('hex')}`

/** The worker's process, from a text that names a test's database. */
export function workerOfDatabase(text: string): number | undefined {
  const pid = /pirogue_test_[0-9a-f]+_(\d+)_/.exec(text)?.[1]
  return pid === undefined ? undefined : Number(pid)
}
