// One run of all tests: real PostgreSQL for each, started once by the global set-up. With
// PROOF=whole only those that run small otherwise, whole (`npm run proof`); with PROOF=apart all
// but those.
import './server/test/setup/read-built.mjs'
import { configDefaults, defineConfig } from 'vitest/config'
import { isAsked } from './server/test/setup/cpu-of-files.ts'
import { LongestFirst } from './server/test/setup/longest-first.ts'
import { areLeft, isWhole, proofFiles, proofFilesNow } from './server/test/setup/proof-files.ts'

/** Everything of ours but the test files, which Vitest reads itself. */
const readByNode = /\/(server|simulator|sdk|tools|dashboard)\/.*(?<!\.test)\.ts$/

const allTests = ['server', 'simulator', 'dashboard', 'tools'].map((at) => `${at}/**/*.test.ts`)

/**
 * A test kills its worker's connections. The driver reads a new connection's types by a query of
 * its own, whose failure nobody can catch; the service outlives it too (`app/main.ts`).
 */
function isOfKilledConnection(error: Readonly<Record<string, unknown>>): boolean {
  return error['code'] === 'CONNECTION_DESTROYED' && String(error['query']).includes('b.typarray')
}

/** A worker and what its files start grow to as much, PostgreSQL and the system aside. */
const worker_bytes = 1.5 * 2 ** 30

/**
 * Of a file's time more than half is waiting, for timers, pollers and the database: with four
 * workers two cores stood still for 44 % of a run. Fewer where the memory has no room for six.
 */
function workersFor(free_bytes: number): number {
  return Math.min(6, Math.max(3, Math.floor(free_bytes / worker_bytes)))
}

export default defineConfig({
  test: {
    onUnhandledError: (error) => (isOfKilledConnection({ ...error }) ? false : undefined),
    include: isWhole ? proofFilesNow() : allTests,
    exclude: [...configDefaults.exclude, ...(areLeft ? proofFiles() : [])],
    globalSetup: [
      './server/test/setup/memory-place.ts',
      ...(isAsked ? ['./server/test/setup/cpu-of-files.ts'] : []),
      './server/test/setup/say-what-ran-small.ts',
      './server/test/setup/bundle-main.ts',
      './server/test/setup/database.ts',
    ],
    setupFiles: ['./server/test/setup/map-stacks.ts', './server/test/setup/note-cpu.ts'],
    pool: 'forks',
    server: { deps: { external: [readByNode] } },
    // Room for what is young, as `npm start` has it: garbage was a tenth of a worker's time.
    execArgv: ['--max-semi-space-size=64', '--import=./server/test/setup/read-built.mjs'],
    maxWorkers: workersFor(process.availableMemory()),
    sequence: { sequencer: LongestFirst },
    maxConcurrency: 10,
    // Against what never comes, too: by itself a poll gives up after a second.
    expect: { poll: { interval: 100, timeout: 30_000 } },
    // Files share a process and what it has imported: a fifth of the whole run's time.
    isolate: false,
    // Against what hangs, not what is slow on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
