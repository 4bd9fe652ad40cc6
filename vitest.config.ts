// One run of all tests: real PostgreSQL for each, started once by the global set-up.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['server/**/*.test.ts', 'simulator/**/*.test.ts', 'tools/**/*.test.ts'],
    globalSetup: ['./server/test/setup/database.ts'],
    pool: 'forks',
    maxWorkers: 2,
    maxConcurrency: 10,
    // Files share a process and what it has imported: a fifth of the whole run's time.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
