// A job that simply runs every so often.

import type { Job } from '../platform/jobs/worker.ts'

export function periodic(name: string, every_ms: number, run: () => Promise<unknown>): Job {
  return {
    name,
    poll_ms: every_ms,
    async run() {
      await run()
      return 'rest'
    },
  }
}
