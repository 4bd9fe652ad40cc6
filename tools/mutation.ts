// `npm run mutation`: changes the code that moves or proves money in many small ways, one at a
// time, and checks whether a test notices (stryker.config.json names the code). Ends with an error
// when an area stays below its threshold. `--mutate server/src/money/round.ts` runs a part,
// `--concurrency 1` one mutant at a time, beside other work. Law: the code is mutated in a copy
// (.pirogue-mutants), and one PostgreSQL serves all runners.

import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { startEmbedded } from '../server/src/platform/embedded/start-embedded.ts'
import { killed_percent_min, scores, type Verdict } from './mutation/areas.ts'

const { values } = parseArgs({
  options: { mutate: { type: 'string', multiple: true }, concurrency: { type: 'string' } },
})

process.chdir(resolve(import.meta.dirname, '..'))
sweep('.pirogue-mutants') // of a run that was interrupted
const started = Date.now()
const verdicts = await withDatabase(() =>
  new Stryker({
    ...(values.mutate === undefined ? {} : { mutate: values.mutate }),
    ...(values.concurrency === undefined ? {} : { concurrency: Number(values.concurrency) }),
  }).runMutationTest(),
)
if (!printVerdicts(verdicts)) process.exitCode = 1

/** Prints one line an area; false when one of them is below its threshold. */
function printVerdicts(verdicts: readonly Verdict[]): boolean {
  let isEnough = true
  for (const [area, { mutants, killed, percent }] of scores(verdicts)) {
    const mark = percent >= killed_percent_min ? '' : `  below ${killed_percent_min} %`
    const counts = `${killed} of ${mutants}`.padStart(13)
    console.log(`${area.padEnd(20)}${counts} killed, ${percent.toFixed(1).padStart(5)} %${mark}`)
    if (mark !== '') isEnough = false
  }
  console.log(`in ${Math.round((Date.now() - started) / 1000)} s; .pirogue-mutation/mutation.html`)
  return isEnough
}

/** A runner that is stopped (a mutant without end) must not take the database with it. */
async function withDatabase<T>(work: () => Promise<T>): Promise<T> {
  if (process.env.DATABASE_URL_TEST !== undefined) return work()
  const dir = await mkdtemp(join(tmpdir(), 'pirogue-mutation-'))
  const settings = {
    fsync: 'off',
    full_page_writes: 'off',
    synchronous_commit: 'off',
    max_connections: '100',
  }
  const server = await startEmbedded({ dir, settings })
  const { host, port, user, directory } = server
  // Also when Stryker ends this process because it was interrupted; its watchdog ends PostgreSQL.
  process.on('exit', () => sweep(dir, directory, host))
  const url = new URL(`postgres://${user}@localhost:${port}/postgres`)
  url.searchParams.set('host', host)
  process.env.DATABASE_URL_TEST = url.href
  try {
    return await work()
  } finally {
    await server.stop()
  }
}

function sweep(...paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { recursive: true, force: true, maxRetries: 20 })
}
