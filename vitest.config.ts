// One run of all tests: real PostgreSQL for each, started once by the global set-up.
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './server/test/setup/longest-first.ts'

export default defineConfig({
  test: {
    include: ['server/**/*.test.ts', 'simulator/**/*.test.ts', 'tools/**/*.test.ts'],
    globalSetup: ['./server/test/setup/database.ts'],
    pool: 'forks',
    // On two cores: half of what a file takes it waits, for timers, pollers and the database.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    maxConcurrency: 10,
    // Files share a process and what it has imported: a fifth of the whole run's time.
    isolate: false,
    // Against what hangs, not what is slow on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
